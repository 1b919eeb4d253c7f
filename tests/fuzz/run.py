"""Mutated files through every reader: only results and RankwiseErrors may come out.

    python -m tests.fuzz.run --inputs 2000 --seed 7 [--reader letor] [--first 1234]

Inputs are spread over the readers in equal shares, each reader in a process of its own. Input
number n of a seed is always the same: `--first n --inputs 1 --reader NAME` reads it alone, and
`--folder` keeps it. Prints per reader tried, accepted, refused, the longest time (of the
processor) and the most memory that one input took, and what was not allowed: another outcome, a
message that is no short and clean sentence or repeats the input, more memory than ten times the
input and 300 MB, and with `--timed` more than 5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from rankwise.errors import RankwiseError
from rankwise.sanitize import LONGEST_SENTENCE, visible
from tests.fuzz.measuring import MOST_SECONDS, allowed_memory, measured, put_up_fence
from tests.fuzz.readers import COMPILED, READERS

MOST_LINES = 21
MOST_REPEATED = 100
MOST_ESCAPES = 5
WIDTHS = "{:<20}{:>9}{:>10}{:>9}{:>11}{:>8}"


@dataclass
class Outcomes:
    """What came of the inputs of one reader."""

    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    memory: int = 0
    escapes: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.accepted + self.refused

    def row(self, reader: str) -> str:
        """One line of the report."""
        megabytes = f"{self.memory / 2**20:.0f}"
        return WIDTHS.format(
            reader, self.tried, self.accepted, self.refused, f"{self.seconds:.2f}", megabytes
        )


def fuzz(
    reader: str, inputs: int, seed: int, folder: Path, first: int = 0, *, timed: bool = False
) -> Outcomes:
    """Read `inputs` mutated files, and gather what should not have come out."""
    outcomes = Outcomes()
    for number in range(first, first + inputs):
        wrong = _read_one(reader, number, seed, folder, outcomes, timed)
        if wrong is not None:
            outcomes.escapes.append(f"input {number} of reader {reader}, seed {seed}: {wrong}")
        if len(outcomes.escapes) == MOST_ESCAPES:
            break
    return outcomes


def _read_one(
    reader: str, number: int, seed: int, folder: Path, outcomes: Outcomes, timed: bool
) -> str | None:
    """Count one input; what is wrong with its outcome, if anything."""
    rng = Random(f"{seed}/{reader}/{number}")
    kind = READERS[reader]
    path = folder / f"input{kind.ending}"
    content = kind.mutated(rng)
    # Where a file is emptied and written again, ext4 waits for the disk.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    wrong = None
    with measured() as use:
        try:
            kind.read(path, rng)
            outcomes.accepted += 1
        except RankwiseError as error:
            outcomes.refused += 1
            wrong = _find_fault(str(error), content)
        except BaseException:  # noqa: BLE001
            outcomes.refused += 1
            wrong = traceback.format_exc(limit=-6)
    outcomes.seconds = max(outcomes.seconds, use.seconds)
    outcomes.memory = max(outcomes.memory, use.memory)
    if timed and use.seconds > MOST_SECONDS:
        wrong = wrong or f"it took {use.seconds:.1f} s"
    if use.memory > allowed_memory(len(content)):
        wrong = wrong or f"it took {use.memory / 2**20:.0f} MB for {len(content)} bytes"
    return wrong


def _find_fault(message: str, content: bytes) -> str | None:
    """Why a message is none that a person can read, if it is not."""
    lines = message.split("\n")
    if not message or len(lines) > MOST_LINES or max(map(len, lines)) > 2 * LONGEST_SENTENCE:
        return f"a message must be one short sentence, found {len(message)} characters: {message!r}"
    if visible(message) != message:
        return f"a message must hold nothing that a terminal obeys, found {message!r}"
    text = content.decode("utf-8", "replace")
    for begin in range(0, len(message) - MOST_REPEATED, 10):
        if message[begin : begin + MOST_REPEATED] in text:
            return f"a message must not repeat its input at length, found {message!r}"
    return None


def shares(inputs: int, readers: list[str]) -> Iterator[tuple[str, int]]:
    """Each reader and its share of the inputs."""
    for place, reader in enumerate(readers):
        yield reader, inputs * (place + 1) // len(readers) - inputs * place // len(readers)


def in_child(reader: str, inputs: int, options: argparse.Namespace) -> Outcomes:
    """The outcomes of one reader, found in a process that may die of it."""
    answer, report = os.pipe()
    child = os.fork()
    if child == 0:
        _work(reader, inputs, options, report)
    os.close(report)
    with os.fdopen(answer) as stream:
        said = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return Outcomes(**json.loads(said))
    return Outcomes(escapes=[f"reader {reader}, seed {options.seed}: ended with {status}"])


def _work(reader: str, inputs: int, options: argparse.Namespace, report: int) -> None:
    """What the child does; it never returns."""
    code = 1
    try:
        put_up_fence()
        with tempfile.TemporaryDirectory() as temporary, redirect_stdout(sys.stderr):
            folder = options.folder or Path(temporary)
            READERS[reader].seeds  # noqa: B018  # Made before anything is measured.
            found = fuzz(reader, inputs, options.seed, folder, options.first, timed=options.timed)
        with os.fdopen(report, "w") as stream:
            json.dump(asdict(found), stream)
        code = 0
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description="mutated files through every reader")
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--reader", choices=READERS, action="append")
    parser.add_argument("--compiled", action="store_true", help="only the readers in C")
    parser.add_argument("--timed", action="store_true", help="more than 5 s are not allowed")
    parser.add_argument("--folder", type=Path, help="where the file that is read stands")
    options = parser.parse_args()
    chosen = options.reader or list(COMPILED if options.compiled else READERS)
    print(WIDTHS.format("reader", "tried", "accepted", "refused", "longest s", "MB"))
    total = Outcomes()
    for reader, inputs in shares(options.inputs, chosen):
        found = in_child(reader, inputs, options)
        print(found.row(reader), *found.escapes, sep="\n", flush=True)
        total.accepted += found.accepted
        total.refused += found.refused
        total.seconds = max(total.seconds, found.seconds)
        total.memory = max(total.memory, found.memory)
        total.escapes += found.escapes
    print(total.row("all"))
    sys.exit(1 if total.escapes else 0)


if __name__ == "__main__":
    main()
