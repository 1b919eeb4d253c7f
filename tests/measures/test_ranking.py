"""The order of documents: the core's sort against numpy's, numba's quicksort against ours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.misc.quicksort import make_py_quicksort
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.document_order import priorities, ranked_rows, tied_rows

SIZES = (0, 1, 2, 15, 16, 17, 23, 24, 25, 33, 64, 100, 1000, 1023, 1024, 1025, 2048, 2500, 5000)
KINDS = {
    "even": lambda rng, size: rng.random(size),
    "normal": lambda rng, size: rng.normal(size=size),
    "few values": lambda rng, size: rng.integers(0, 5, size).astype(float),
    "skewed": lambda rng, size: np.exp(8 * rng.normal(size=size)),
    "an outlier": lambda rng, size: np.where(np.arange(size) == size // 2, 1e12, rng.random(size)),
    "one value": lambda rng, size: np.full(size, 3.5),
    "rising": lambda rng, size: np.arange(float(size)),
    "falling": lambda rng, size: -np.arange(float(size)),
    "zeros of both signs": lambda rng, size: np.where(rng.random(size) < 0.5, 0.0, -0.0),
    "the smallest numbers": lambda rng, size: rng.integers(0, 9, size) * 5e-324,
    "the largest numbers": lambda rng, size: rng.choice([-1.7e308, 0.0, 1.7e308, 1.0], size),
    "infinite ones": lambda rng, size: rng.choice([-np.inf, np.inf, 0.0, 1.0], size),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_ranked_by_falling_score_and_stay_in_order_among_equals(kind: str) -> None:
    rng = np.random.default_rng(7)
    for size in SIZES:
        scores = KINDS[kind](rng, size)
        expected = np.argsort(-scores, kind="stable")
        assert ranked_rows(scores, offsets_of([size])).tolist() == expected.tolist(), size


@given(st.lists(st.lists(st.floats(allow_nan=False), max_size=60), max_size=4), st.integers(0, 99))
def test_any_scores_are_ranked_within_their_queries(queries: list[list[float]], seed: int) -> None:
    scores = np.array([score for query in queries for score in query])
    offsets = offsets_of([len(query) for query in queries])
    priority = np.random.default_rng(seed).integers(0, 3, len(scores)).astype(float)
    rows = ranked_rows(scores, offsets, priority)
    for start, end in pairwise(offsets):
        # Negative zero ties with zero: adding 0 makes them one.
        keys = (-priority[start:end], -(scores[start:end] + 0.0))
        assert rows[start:end].tolist() == (start + np.lexsort(keys)).tolist()


def test_rows_that_were_not_retrieved_stay_at_the_end() -> None:
    scores, offsets = np.array([1.0, 2, np.nan, 5, 7]), offsets_of([3, 2])
    assert ranked_rows(scores, offsets, retrieved=np.array([2, 2])).tolist() == [1, 0, 2, 4, 3]


def test_quicksort_orders_the_retrieved_rows_alone() -> None:
    """As they stand without those that a run lacks: ranx sorts what the run has."""
    rng = np.random.default_rng(3)
    scores, lengths, retrieved = rng.integers(0, 3, 90).astype(float), [50, 40], np.array([33, 20])
    scores[33:50] = np.nan
    places = priorities("quicksort", scores, scores, offsets_of(lengths), None, retrieved)
    for start, size in ((0, 33), (50, 20)):
        rows = slice(start, start + size)
        assert places[rows].tolist() == quicksort(scores[rows], offsets_of([size])).tolist()
    assert not places[33:50].any() and not places[70:].any()
    with pytest.raises(ValueError, match="query offsets must rise"):
        priorities("quicksort", scores, scores, offsets_of(lengths), None, np.array([51, 0]))


def test_rows_that_were_not_retrieved_tie_with_none() -> None:
    scores, offsets = np.array([1.0, 1, 1, 2, 2, np.nan]), offsets_of([3, 3])
    assert tied_rows(scores, offsets, np.array([2, 1])).tolist() == [0, 1]
    # No ids are needed where only such rows have equal scores.
    places = priorities("document-ascending", scores, scores, offsets, None, np.array([1, 1]))
    assert not places.any()


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(RankwiseError, match="scores must be numbers"):
        ranked_rows(np.array([1.0, np.nan]), offsets_of([2]))
    with pytest.raises(ValueError, match="query offsets must rise"):
        ranked_rows(np.zeros(2), offsets_of([2]), retrieved=np.array([3]))
    with pytest.raises(ValueError, match="one priority"):
        ranked_rows(np.zeros(2), offsets_of([2]), np.zeros(1))
    for offsets in ([0, 3], [-1, 2], [2, 0]):
        for ask in (ranked_rows, tied_rows, quicksort):
            with pytest.raises(ValueError, match="query offsets must rise"):
                ask(np.zeros(2), np.array(offsets))


def quicksort(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    return priorities("quicksort", scores, scores, offsets, None)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_quicksort_leaves_ties_as_numba_does(levels: int) -> None:
    """numba's own source, run as Python."""
    argsort = make_py_quicksort(is_argsort=True).run_quicksort
    rng = np.random.default_rng(levels)
    for size in (1, 2, 14, 15, 16, 17, 31, 40, 100, 400):
        for _ in range(5):
            scores = rng.integers(0, levels, size).astype(float)
            places = np.empty(size)
            places[argsort(-scores)] = -np.arange(float(size))
            assert quicksort(scores, offsets_of([size])).tolist() == places.tolist()
