"""The order of a query's documents: by score, and by one of these rules where scores are equal.

| rule | tied documents stand |
|---|---|
| input | as in the input |
| reversed | in the reverse of the input |
| document-ascending, document-descending | by the bytes of their document ids |
| worst, best | lowest, highest label first: the ends of what any order can give |
| expected | nowhere: the measure is its exact mean over all orders |
| quicksort | as numba's unstable quicksort leaves them, which is what ranx shows |
| undefined | nowhere: a query with tied scores has no value (scikit-learn's `ignore_ties`) |

All rules but the first become a number per document, its priority among equals.
This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NONE = np.empty(0)
_RUN = 16


def priorities(
    rule: str, labels: Floats, scores: Floats, offsets: Integers, document_ids: Sequence[str] | None
) -> Floats:
    """The priority of every document among those with its score; empty for `input`."""
    if rule in ("input", "undefined"):
        return NONE
    if rule == "reversed":
        return np.arange(len(scores), dtype=np.float64)
    if rule in ("best", "expected"):
        return _known(labels)
    if rule == "worst":
        return -_known(labels)
    if rule == "quicksort":
        return _quicksort_places(read_only(scores), read_only(offsets, np.int64))
    direction = 1.0 if rule == "document-descending" else -1.0
    return direction * _document_places(scores, offsets, document_ids)


def tied_rows(scores: Floats, offsets: Integers) -> Integers:
    """The rows whose score occurs more than once in their query."""
    marks = np.zeros(len(scores), dtype=np.bool_)
    longest = int(np.max(np.diff(offsets), initial=0))
    keys, rows = np.empty(2 * longest), np.empty(2 * longest, np.int64)
    _mark_ties(read_only(scores), read_only(offsets, np.int64), keys, rows, marks)
    return np.flatnonzero(marks)


def read_only(array: NDArray[Any], dtype: type = np.float64) -> NDArray[Any]:
    """A contiguous view that cannot be written to.

    A kernel is compiled anew for arrays that can be written to; data sets' arrays cannot be.
    """
    view: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _known(labels: Floats) -> Floats:
    return np.where(np.isnan(labels), 0.0, labels)


def _document_places(
    scores: Floats, offsets: Integers, document_ids: Sequence[str] | None
) -> Floats:
    """The place of each tied document in the order of the bytes of all their ids."""
    places = np.zeros(len(scores))
    tied = tied_rows(scores, offsets)
    if len(tied) == 0:
        return places
    if document_ids is None:
        raise RankwiseError(
            "ties are to be broken by document id, but the data name no documents and "
            f"{len(tied)} of them have tied scores; choose another tie rule"
        )
    encoded = [document_ids[row].encode("utf-8", "surrogateescape") for row in tied.tolist()]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    place = -1
    for number, index in enumerate(order):
        place += number == 0 or encoded[index] != encoded[order[number - 1]]
        places[tied[index]] = place
    return places


@compiled
def _quicksort_places(scores: Floats, offsets: Integers) -> Floats:
    places = np.empty(len(scores))
    for query in range(len(offsets) - 1):
        start = offsets[query]
        order = np.argsort(-scores[start : offsets[query + 1]])
        for place in range(len(order)):
            places[start + order[place]] = -float(place)
    return places


@compiled
def _mark_ties(
    scores: Floats, offsets: Integers, keys: Floats, rows: Integers, marks: NDArray[np.bool_]
) -> None:
    for query in range(len(offsets) - 1):
        start = offsets[query]
        size = offsets[query + 1] - start
        for i in range(size):
            keys[i] = scores[start + i]
            rows[i] = start + i
        sort_descending(keys, rows, 0, size)
        for i in range(1, size):
            if keys[i] == keys[i - 1]:
                marks[rows[i]] = True
                marks[rows[i - 1]] = True


@compiled
def rank_query(
    scores: Floats, priority: Floats, start: int, size: int, keys: Floats, rows: Integers
) -> None:
    """Put the rows start … start + size - 1 in rank order into `rows`, their scores into `keys`.

    Both need room for twice the size. Equal scores go by descending priority, then by row.
    """
    for i in range(size):
        keys[i] = scores[start + i]
        rows[i] = start + i
    sort_descending(keys, rows, 0, size)
    if len(priority) == 0:
        return
    first = 0
    while first < size:
        last = first + 1
        while last < size and keys[last] == keys[first]:
            last += 1
        if last > first + 1:
            score = keys[first]
            for i in range(first, last):
                keys[i] = priority[rows[i]]
            sort_descending(keys, rows, first, last)
            for i in range(first, last):
                keys[i] = score
        first = last


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
