"""Numbers that the row parser left open, and the rare questions about indices.

A handful of numbers goes to Python; many go to a compiled converter, which a first call on an
ordinary file never has to compile.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

FEW = 256
MOST_DIGITS = 13
# Python's float() takes more than files may hold: underscores, blanks, other scripts' digits.
NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)|nan|null",
    re.IGNORECASE,
)
INDEX = re.compile(rb"(?<=[ \t])[0-9]+(?=:)")


def settle(
    buffer: NDArray[np.uint8],
    entries: NDArray[np.int64],
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
) -> tuple[int, bool] | None:
    """Write the open numbers into the arrays; the byte position of the first that is none.

    An entry is (row, column or -1 for the label, begin, end). The second value returned tells
    whether the wrong one is a label.
    """
    values, wrong = _values(buffer, entries)
    is_label = entries[:, 1] < 0
    wrong = np.union1d(wrong, np.flatnonzero(is_label & ~np.isfinite(values)))
    if len(wrong):
        first = int(wrong[0])
        return int(entries[first, 2]), bool(is_label[first])
    labels[entries[is_label, 0]] = values[is_label]
    cells = entries[~is_label]
    features[cells[:, 0], cells[:, 1]] = values[~is_label]
    return None


def _values(
    buffer: NDArray[np.uint8], entries: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values, and which entries are no numbers."""
    values = np.zeros(len(entries))
    if len(entries) <= FEW:
        chosen, wrong = np.arange(len(entries)), np.empty(0, np.int64)
    else:
        from rankwise.data.formats.decimal_kernel import convert

        wrong, chosen = convert(buffer, entries, values)
    bad = []
    for entry in chosen.tolist():
        text = buffer[entries[entry, 2] : entries[entry, 3]].tobytes()
        if NUMBER.fullmatch(text) is None:
            bad.append(entry)
        else:
            values[entry] = np.nan if text.lower() == b"null" else float(text)
    return values, np.union1d(wrong, np.array(bad, np.int64))


def largest_index(buffer: NDArray[np.uint8]) -> int:
    """The largest index in whole lines: digits between a blank and a colon, the first 13."""
    largest = 0
    for line in buffer.tobytes().split(b"\n"):
        found = INDEX.findall(line.split(b"#", 1)[0])
        if found:
            largest = max(largest, max(int(text[:MOST_DIGITS]) for text in found))
    return largest


def first_repeated_index(buffer: NDArray[np.uint8]) -> int | None:
    """Byte position of the first feature index that stands twice in its row."""
    start = 0
    for line in buffer.tobytes().split(b"\n"):
        seen: set[int] = set()
        for found in INDEX.finditer(line.split(b"#", 1)[0]):
            index = int(found.group())
            if index in seen:
                return start + found.start()
            seen.add(index)
        start += len(line) + 1
    return None
