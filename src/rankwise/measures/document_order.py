"""The order of a query's documents: by score, and by one of these rules where scores are equal.

| rule | tied documents stand |
|---|---|
| input | as in the input |
| reversed | in the reverse of the input |
| document-ascending, document-descending | by the bytes of their document ids |
| label-ascending, label-descending | lowest, highest label first |
| worst, best | worth least, most to the measure first: the ends of what any order can give |
| expected | nowhere: the measure is its exact mean over all orders |
| quicksort | as numba's unstable quicksort leaves them, which is what ranx shows |
| undefined | nowhere: a query with tied scores has no value (scikit-learn's `ignore_ties`) |

All rules but the first become a number per document, its priority among equals. Only retrieved
documents tie: a judged document that a run does not have stands in no order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NONE: Floats = np.empty(0)


def priorities(
    rule: str,
    labels: Floats,
    scores: Floats,
    offsets: Integers,
    document_ids: Sequence[str] | None,
    retrieved: Integers | None = None,
) -> Floats:
    """The priority of every retrieved document among those with its score; empty for `input`.

    For `worst` and `best` give in place of the labels what documents are worth to the measure, as
    `rankwise.measures.computation` has it.
    """
    if rule in ("input", "undefined"):
        return NONE
    if rule == "reversed":
        return np.arange(len(scores), dtype=np.float64)
    if rule in ("best", "label-descending", "expected"):
        return _known(labels)
    if rule in ("worst", "label-ascending"):
        return -_known(labels)
    if rule == "quicksort":
        return _quicksort_places(scores, offsets, retrieved)
    direction = 1.0 if rule == "document-descending" else -1.0
    return direction * _document_places(scores, offsets, retrieved, document_ids)


def ranked_rows(
    scores: Floats,
    offsets: Integers,
    priority: Floats = NONE,
    retrieved: Integers | None = None,
) -> Integers:
    """The rows of every query in rank order; those that were not retrieved stay at its end."""
    values, starts, lengths = _arrays(scores, offsets, retrieved)
    rows = np.arange(len(values), dtype=np.int64)
    queries = len(starts) - 1
    if len(priority) not in (0, len(values)):
        raise ValueError("there must be one priority per row")
    among_equals = np.ascontiguousarray(priority, np.float64)
    address = among_equals.ctypes.data if len(priority) else None
    raise_if_failed(_rank(values, address, len(values), starts, lengths, queries, rows))
    return rows


def tied_rows(scores: Floats, offsets: Integers, retrieved: Integers | None = None) -> Integers:
    """The retrieved rows whose score occurs more than once among those of their query."""
    values, starts, lengths = _arrays(scores, offsets, retrieved)
    rows = ranked_rows(values, starts, retrieved=lengths)
    ranked = values[rows]
    place = np.arange(len(values)) - np.repeat(starts[:-1], np.diff(starts))
    within = (place > 0) & (place < np.repeat(lengths, np.diff(starts)))
    equal = (ranked[1:] == ranked[:-1]) & within[1:]
    marks = np.zeros(len(values), dtype=np.bool_)
    marks[rows[1:][equal]] = True
    marks[rows[:-1][equal]] = True
    return np.flatnonzero(marks)


def raise_if_failed(outcome: int) -> None:
    """Raise what a C function of this room says by `enum outcome` of evaluating.h."""
    if outcome == 1:
        raise MemoryError
    if outcome == 2:
        raise ValueError("query offsets must rise within the documents, and plans reach as far")
    if outcome == 3:
        raise RankwiseError("scores must be numbers, found NaN")


def _arrays(
    scores: Floats, offsets: Integers, retrieved: Integers | None
) -> tuple[Floats, Integers, Integers]:
    """Scores, offsets and retrieved lengths as C reads them; None is whole queries."""
    starts = np.ascontiguousarray(offsets, np.int64)
    lengths = np.diff(starts) if retrieved is None else np.ascontiguousarray(retrieved, np.int64)
    if len(lengths) != len(starts) - 1:
        raise ValueError("there must be one retrieved length per query")
    return np.ascontiguousarray(scores, np.float64), starts, lengths


def _known(labels: Floats) -> Floats:
    return np.where(np.isnan(labels), 0.0, labels)


def _document_places(
    scores: Floats,
    offsets: Integers,
    retrieved: Integers | None,
    document_ids: Sequence[str] | None,
) -> Floats:
    """The place of each tied document in the order of the bytes of all their ids."""
    places = np.zeros(len(scores))
    tied = tied_rows(scores, offsets, retrieved)
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


def _quicksort_places(scores: Floats, offsets: Integers, retrieved: Integers | None) -> Floats:
    values, starts, lengths = _arrays(scores, offsets, retrieved)
    places = np.zeros(len(values))
    raise_if_failed(_quicksort(values, len(values), starts, lengths, len(starts) - 1, places))
    return places


_rank = function(
    "rankwise_rank", DOUBLES, ADDRESS, INT64, INT64S, INT64S, INT64, INT64S_OUT, returns=INT64
)
_quicksort = function(
    "rankwise_quicksort_places",
    *(DOUBLES, INT64, INT64S, INT64S, INT64, DOUBLES_OUT),
    returns=INT64,
)
