"""What a fuzzed reader is: valid files to begin with, how a file is read, what may happen to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from tests.fuzz.mutators import MUTATORS, Mutator, mutate


@dataclass(frozen=True)
class Reader:
    """Valid files, and how a mutated one is read.

    Attributes:
        make_seeds: gives the valid files; called once, in the process that reads.
        read: of a path and a generator, which chooses among the ways to read; it returns, or
            raises RankwiseError.
        mutators: what files of this kind suffer.
        ending: of the file's name, where that says what it is.
    """

    make_seeds: Callable[[], tuple[bytes, ...]]
    read: Callable[[Path, Random], object]
    mutators: tuple[Mutator, ...] = MUTATORS
    ending: str = ""

    @cached_property
    def seeds(self) -> tuple[bytes, ...]:
        """The valid files."""
        return self.make_seeds()

    def mutated(self, rng: Random) -> bytes:
        """A valid file, changed; now and then as it is."""
        seed = rng.choice(self.seeds)
        return seed if rng.random() < 0.02 else mutate(seed, self.seeds, rng, self.mutators)
