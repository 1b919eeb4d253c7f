"""Seeds of random numbers: whole numbers from 0, of any size."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.shown import brief

if TYPE_CHECKING:
    import numpy as np


def check_seed(seed: int) -> int:
    """The seed, where it is one; what is none is told before a generator is made of it."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise RankwiseError(f"a seed must be 0 or a positive whole number, found {brief(seed)}")
    return int(seed)


def seed_of(rng: np.random.Generator) -> int:
    """The number that a generator was made from: what others want to be given."""
    sequence: Any = rng.bit_generator.seed_seq
    return int(sequence.entropy)
