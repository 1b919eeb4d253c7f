"""Doubles as decimal digits: number = ±digits / 10^places, found on whole arrays."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.text import TextColumn

LARGEST_EXACT = 2**53
MOST_PLACES = 17
NULL, AS_TEXT = -1, -2


class Decimals(NamedTuple):
    """`digits / 10^places` per number; places -1 is NULL, -2 is text number `digits` of `texts`."""

    digits: NDArray[np.int64]
    places: NDArray[np.int64]
    texts: TextColumn


def shortest(values: NDArray[np.float64]) -> Decimals:
    """The fewest places that read back to the same bits.

    digits / 10^places is one correctly rounded division of exact numbers, both here and in the
    reader, as long as digits <= 2^53: equality here is equality there. The rest (very small, very
    large, infinite, -0) is printed by Python, whose repr also reads back to the same bits.
    """
    digits, places = np.zeros(len(values), np.int64), np.full(len(values), AS_TEXT, np.int64)
    places[np.isnan(values)] = NULL
    plain = np.isfinite(values) & ~((values == 0) & np.signbit(values))
    open_ones = np.flatnonzero(plain & (np.abs(values) < LARGEST_EXACT))
    for count in range(MOST_PLACES + 1):
        if len(open_ones) == 0:
            break
        candidates = values[open_ones]
        scaled = np.rint(candidates * 10.0**count)
        hit = (np.abs(scaled) <= LARGEST_EXACT) & (scaled / 10.0**count == candidates)
        digits[open_ones[hit]] = scaled[hit].astype(np.int64)
        places[open_ones[hit]] = count
        open_ones = open_ones[~hit]
    return _with_texts(values, digits, places, repr)


def fixed(values: NDArray[np.float64], count: int) -> Decimals:
    """Exactly `count` places as LETOR's files were printed.

    The double is written with 17 significant digits and that decimal is rounded, ties away from
    zero, as older Microsoft C libraries did. Only near a tie can this differ from rounding the
    product, so only there it is done in decimal arithmetic.
    """
    scaled = np.abs(values) * 10.0**count
    digits, places = np.zeros(len(values), np.int64), np.full(len(values), AS_TEXT, np.int64)
    places[np.isnan(values)] = NULL
    plain = np.isfinite(values) & (scaled < LARGEST_EXACT)
    near = np.floor(scaled[plain] + 0.5)
    digits[plain] = np.copysign(near, values[plain]).astype(np.int64)
    places[plain] = count
    with np.errstate(invalid="ignore"):
        to_tie = np.abs(scaled - np.floor(scaled) - 0.5)
        close = plain & (to_tie <= np.maximum(1e-6, scaled * 1e-15))
    unit = Decimal(1).scaleb(-count)
    for entry in np.flatnonzero(close).tolist():
        rounded = Decimal(f"{values[entry]:.17g}").quantize(unit, ROUND_HALF_UP)
        digits[entry] = int(rounded.scaleb(count))
    return _with_texts(values, digits, places, lambda value: f"{value:.{count}f}")


def _with_texts(
    values: NDArray[np.float64],
    digits: NDArray[np.int64],
    places: NDArray[np.int64],
    print_number: Callable[[float], str],
) -> Decimals:
    left = np.flatnonzero(places == AS_TEXT)
    digits[left] = np.arange(len(left))
    return Decimals(digits, places, TextColumn.from_texts(map(print_number, values[left].tolist())))
