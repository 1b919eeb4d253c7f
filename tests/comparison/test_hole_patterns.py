"""Patterns of holes: what is kept when they are drawn anew, and whose place is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.comparison.hole_patterns import (
    DenseNames,
    describe_places,
    find_dense_part,
    match_pattern,
    shuffle_holes,
    trade,
)
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import dense_facts, table_of

Matrix = NDArray[np.bool_]


@st.composite
def patterns(draw: st.DrawFn) -> Matrix:
    shape = tuple(draw(st.integers(1, most)) for most in (8, 6, 3))
    share = draw(st.sampled_from([0.1, 0.4, 0.8]))
    return np.random.default_rng(draw(st.integers(0, 999))).random(shape) < share


@settings(deadline=None)
@given(patterns(), st.integers(0, 9))
def test_trades_keep_the_sums_of_rows_and_columns(filled: Matrix, seed: int) -> None:
    on = filled.any(axis=2)
    found = trade(on, 50, np.random.default_rng(seed))
    assert (found.sum(axis=0) == on.sum(axis=0)).all()
    assert (found.sum(axis=1) == on.sum(axis=1)).all()


@settings(deadline=None)
@given(patterns(), st.integers(0, 9))
def test_random_patterns_have_the_margins_of_the_first(filled: Matrix, seed: int) -> None:
    """Rows are dealt out to methods anew, so that their sums are the same ones in another order."""
    found = shuffle_holes(filled, np.random.default_rng(seed))
    assert (found.any(axis=2).sum(axis=0) == filled.any(axis=2).sum(axis=0)).all()
    for one in (lambda x: x.sum(axis=(1, 2)), lambda x: x.any(axis=2).sum(axis=1)):
        assert sorted(one(found).tolist()) == sorted(one(filled).tolist())
    measures = (lambda x: sorted(map(tuple, x[x.any(axis=2)].tolist())))(found)
    assert measures == sorted(map(tuple, filled[filled.any(axis=2)].tolist()))


def test_trades_reach_every_matrix_with_these_sums() -> None:
    """The two rows and columns with sums of 1 have two matrices, each half of the time."""
    on = np.eye(2, dtype=bool)
    generator = np.random.default_rng(0)
    kept = sum(bool((trade(on, 5, generator) == on).all()) for _ in range(400))
    assert abs(kept / 400 - 0.5) < 0.1


def sparse() -> ResultTable:
    names = [("LETOR 2.0", "OHSUMED"), ("LETOR 3.0", "OHSUMED"), ("MSLR", "MSLR-WEB10K"),
             ("LETOR 3.0", "TD2003"), ("LETOR 3.0", "TD2004")]  # fmt: skip
    return ResultTable.from_rows(
        {"collection": c, "dataset": d, "method": m, "measure": "MAP", "value": 0.5}
        for place, (c, d) in enumerate(names)
        for m in "ABCDE"[: place + 1]
    )


def test_data_sets_stand_for_those_of_their_name() -> None:
    names = DenseNames(
        ("A", "B"), ("LETOR 3.0 OHSUMED", "ohsumed", "made MSLR-WEB10K sample", "CACM"), ("MAP",)
    )
    found = match_pattern(sparse(), names)
    assert found.candidates == ((1,), (0, 1), (2,), (3, 4))
    assert found.named == (True, True, True, False)
    assert not found.is_fixed
    laid = found.lay(np.random.default_rng(0))
    # Of B the pattern has a result on every data set but the first.
    assert laid[:, :, 0].tolist() == [[True] * 4, [True, False, True, True]]
    by_name, by_chance = describe_places(found, names)
    assert "made MSLR-WEB10K sample for MSLR MSLR-WEB10K" in by_name
    assert by_chance.endswith("CACM")


def test_a_data_set_without_a_place_has_no_results() -> None:
    names = DenseNames(("A",), tuple(f"new{place}" for place in range(7)), ("MAP",))
    laid = match_pattern(sparse(), names).lay(np.random.default_rng(1))
    assert laid.sum() == 5


def test_a_table_without_all_results_loses_what_lacks_most() -> None:
    facts = dense_facts(6, 4, signal=1.0, noise=0.1)
    # Four methods fail on d3, one on d1: dropping d3 leaves 5 × 3 results, keeping it 2 × 4.
    lacking = {("m00", "d3"), ("m01", "d3"), ("m02", "d3"), ("m03", "d3"), ("m05", "d1")}
    table = table_of([fact for fact in facts if fact[:2] not in lacking])
    names, said = find_dense_part(table, table_of(dense_facts(7, 4, signal=1.0, noise=0.1)))
    assert names.datasets == ("d0", "d1", "d2")
    assert names.methods == ("m00", "m01", "m02", "m03", "m04")
    assert said == [
        "left out for lack of results: m05",
        "left out, as too many methods have no results there: d3",
    ]


def test_methods_and_measures_that_the_pattern_lacks_are_left_out_and_said() -> None:
    dense = table_of([*dense_facts(4, 3, signal=1.0, noise=0.1), ("new", "d0", "P@10", 0.5)])
    names, said = find_dense_part(dense, table_of(dense_facts(4, 3, signal=1.0, noise=0.1)))
    assert len(names.methods) == 4
    assert said[0] == "1 of 5 methods are left out: the pattern has none of their names"
    assert said[1].endswith("P@10")


def test_a_pattern_without_a_common_method_is_refused() -> None:
    dense = table_of(dense_facts(4, 3, signal=1.0, noise=0.1))
    with pytest.raises(RankwiseError, match="needs a method that the table has too"):
        find_dense_part(dense, sparse())
    other = table_of([(m, d, "P@5", 0.1) for m, d, _, _ in dense_facts(4, 3, signal=1.0, noise=1)])
    with pytest.raises(RankwiseError, match="needs a measure that the table has too"):
        find_dense_part(dense, other)
