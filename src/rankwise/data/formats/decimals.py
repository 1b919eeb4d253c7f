"""Doubles as decimal digits: number = ±digits / 10^places, found on whole arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLES, INT64, INT64S_OUT, function

NULL, NO_DECIMAL = -1, -2
MOST_PLACES = 9
_SHORTEST = -1

_find_decimals = function("rankwise_find_decimals", DOUBLES, INT64, INT64, INT64S_OUT, INT64S_OUT)


class Decimals(NamedTuple):
    """`digits / 10^places` per number; places -1 is NULL, -2 a number that has no such form."""

    digits: NDArray[np.int64]
    places: NDArray[np.int64]


def shortest(values: NDArray[np.float64]) -> Decimals:
    """The fewest places that read back to the same bits.

    digits / 10^places is one correctly rounded division of exact numbers, both here and in the
    reader, as long as digits <= 2^53: equality here is equality there. Very small, very large and
    infinite numbers and -0 have no such form.
    """
    return _decimals(values, _SHORTEST)


def fixed(values: NDArray[np.float64], count: int) -> Decimals:
    """Exactly `count` places (up to 9) as LETOR's files were printed.

    The double is written with 17 significant digits and that decimal is rounded, ties away from
    zero, as older Microsoft C libraries did. Numbers past 2^53 such units have no such form.
    """
    if not 0 <= count <= MOST_PLACES:
        raise ValueError(f"places must be 0 to {MOST_PLACES}, found {count}")
    return _decimals(values, count)


def _decimals(values: NDArray[np.float64], count: int) -> Decimals:
    flat = np.ascontiguousarray(values, np.float64)
    digits, places = np.empty(len(flat), np.int64), np.empty(len(flat), np.int64)
    _find_decimals(flat, len(flat), count, digits, places)
    return Decimals(digits, places)
