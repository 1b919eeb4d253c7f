"""Sorting for numba kernels: as `sort_descending` of the compiled core.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_RUN = 16


@compiled
def sort_descending(keys: Floats, rows: Integers, first: int, last: int) -> None:
    """Sort keys[first:last] in descending order, with their rows; equal keys stay as they stand.

    Runs of sixteen by counting, which needs no branch on the data, then merges; the second half
    of both arrays is the room that this needs.
    """
    room = len(keys) // 2
    for left in range(first, last, _RUN):
        _sort_run(keys, rows, left, min(left + _RUN, last), room)
    width = _RUN
    source = 0
    target = room
    while width < last - first:
        for left in range(first, last, 2 * width):
            middle = min(left + width, last)
            right = min(left + 2 * width, last)
            _merge(keys, rows, left, middle, right, source, target)
        source, target = target, source
        width *= 2
    if source != 0:
        for i in range(first, last):
            keys[i] = keys[room + i]
            rows[i] = rows[room + i]


@compiled
def _sort_run(keys: Floats, rows: Integers, left: int, right: int, room: int) -> None:
    """A document's place is the number of those that go before it."""
    run = keys[left:right]
    for i in range(right - left):
        key = run[i]
        place = room + left
        for j in range(i):
            place += run[j] >= key
        for j in range(i + 1, right - left):
            place += run[j] > key
        keys[place] = key
        rows[place] = rows[left + i]
    for i in range(left, right):
        keys[i] = keys[room + i]
        rows[i] = rows[room + i]


@compiled
def _merge(
    keys: Floats, rows: Integers, left: int, middle: int, right: int, source: int, target: int
) -> None:
    # Unsigned places spare the check for negative ones, which costs two thirds of the speed here.
    one = np.uint64(1)
    i = np.uint64(left + source)
    j = np.uint64(middle + source)
    end_i = j
    end_j = np.uint64(right + source)
    out = np.uint64(left + target)
    while i < end_i and j < end_j:
        key_i = keys[i]
        key_j = keys[j]
        later = key_j > key_i
        keys[out] = key_j if later else key_i
        rows[out] = rows[j if later else i]
        step = np.uint64(later)
        j += step
        i += one - step
        out += one
    while i < end_i:
        keys[out] = keys[i]
        rows[out] = rows[i]
        i += one
        out += one
    while j < end_j:
        keys[out] = keys[j]
        rows[out] = rows[j]
        j += one
        out += one
