"""LETOR rows from digits to bytes, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


@compiled
def write_rows(
    label_digits: Integers,
    label_places: Integers,
    digits: Integers,
    places: Integers,
    query_of_rows: Integers,
    query_data: Bytes,
    query_starts: Integers,
    query_ends: Integers,
    prefix_data: Bytes,
    prefix_starts: Integers,
    prefix_ends: Integers,
    comment_data: Bytes,
    comment_starts: Integers,
    comment_ends: Integers,
    label_data: Bytes,
    label_starts: Integers,
    label_ends: Integers,
    value_data: Bytes,
    value_starts: Integers,
    value_ends: Integers,
    out: Bytes,
) -> int:
    """Write all rows into `out`, which must be large enough; the number of bytes written."""
    at = 0
    for row in range(len(label_digits)):
        at = _number(
            label_digits[row], label_places[row], label_data, label_starts, label_ends, out, at
        )
        query = query_of_rows[row]
        at = _copy(query_data, query_starts[query], query_ends[query], out, at)
        for column in range(digits.shape[1]):
            at = _copy(prefix_data, prefix_starts[column], prefix_ends[column], out, at)
            at = _number(
                digits[row, column],
                places[row, column],
                value_data,
                value_starts,
                value_ends,
                out,
                at,
            )
        if comment_ends[row] > comment_starts[row]:
            out[at] = 32
            out[at + 1] = 35
            at = _copy(comment_data, comment_starts[row], comment_ends[row], out, at + 2)
        out[at] = 10
        at += 1
    return at


@compiled
def _copy(data: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    for position in range(begin, end):
        out[at] = data[position]
        at += 1
    return at


@compiled
def _number(
    digits: int, places: int, data: Bytes, starts: Integers, ends: Integers, out: Bytes, at: int
) -> int:
    """One number at `at`; places -1 is NULL, -2 stands for text number `digits`."""
    if places == -1:
        out[at] = 78
        out[at + 1] = 85
        out[at + 2] = 76
        out[at + 3] = 76
        return at + 4
    if places == -2:
        return _copy(data, starts[digits], ends[digits], out, at)
    if digits < 0:
        out[at] = 45
        at += 1
        digits = -digits
    length = 1
    rest = digits // 10
    while rest > 0:
        length += 1
        rest //= 10
    if length <= places:
        length = places + 1
    end = at + length + (1 if places > 0 else 0)
    position = end - 1
    for written in range(length):
        if places > 0 and written == places:
            out[position] = 46
            position -= 1
        out[position] = 48 + digits % 10
        digits //= 10
        position -= 1
    return end
