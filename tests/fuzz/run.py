"""Mutated files through every reader: only results and RankwiseErrors may come out.

    python -m tests.fuzz.run --inputs 2000 --seed 7 [--reader letor] [--first 1234]

Inputs are spread over the readers in equal shares. Input number n of a seed is always the same:
`--first n --inputs 1` reads it alone, and `--folder` keeps it, also when a sanitizer ends the
process. Prints per reader tried, accepted and refused, and ends at the first outcome that is not
allowed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rankwise.errors import RankwiseError
from tests.fuzz.mutators import mutate
from tests.fuzz.readers import READERS, Reader

LONGEST_MESSAGE = 1000


@dataclass
class Outcomes:
    """What came of the inputs of one reader."""

    accepted: int = 0
    refused: int = 0

    @property
    def tried(self) -> int:
        return self.accepted + self.refused


def fuzz(reader: str, inputs: int, seed: int, folder: Path, first: int = 0) -> Outcomes:
    """Read `inputs` mutated files; anything but a result or a RankwiseError is raised."""
    outcomes = Outcomes()
    for number in range(first, first + inputs):
        rng = Random(f"{seed}/{reader}/{number}")
        path = folder / "input"
        path.write_bytes(mutated(READERS[reader], rng))
        try:
            READERS[reader].read(path, rng)
        except RankwiseError as error:
            _check_sentence(str(error))
            outcomes.refused += 1
        except BaseException as error:
            error.add_note(f"input {number} of reader {reader}, seed {seed}")
            raise
        else:
            outcomes.accepted += 1
    return outcomes


def mutated(reader: Reader, rng: Random) -> bytes:
    """A valid file, changed; now and then as it is."""
    seed = rng.choice(reader.seeds)
    return seed if rng.random() < 0.02 else mutate(seed, reader.seeds, rng)


def _check_sentence(message: str) -> None:
    assert "\n" not in message and message, f"a message must be one sentence, found {message!r}"
    assert len(message) <= LONGEST_MESSAGE, f"a message must be short, found {len(message)} marks"


def shares(inputs: int, readers: list[str]) -> Iterator[tuple[str, int]]:
    """Each reader and its share of the inputs."""
    for place, reader in enumerate(readers):
        yield reader, inputs * (place + 1) // len(readers) - inputs * place // len(readers)


def main() -> None:
    parser = argparse.ArgumentParser(description="mutated files through every reader")
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--reader", choices=READERS, action="append")
    parser.add_argument("--folder", type=Path, help="where the file that is read stands")
    options = parser.parse_args()
    print(f"{'reader':12}{'tried':>9}{'accepted':>10}{'refused':>9}")
    with tempfile.TemporaryDirectory() as temporary:
        for reader, inputs in shares(options.inputs, options.reader or list(READERS)):
            found = fuzz(
                reader, inputs, options.seed, options.folder or Path(temporary), options.first
            )
            print(f"{reader:12}{found.tried:9}{found.accepted:10}{found.refused:9}", flush=True)


if __name__ == "__main__":
    main()
