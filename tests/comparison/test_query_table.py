"""Methods query by query: means with intervals, paired differences, disputed queries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.comparison.significance_tests.query_table import (
    QueryTable,
    compare_with,
    compute_means,
    find_disputed,
)
from rankwise.errors import RankwiseError

VALUES = np.array([[0.1, 0.5, 0.9, 0.3], [0.2, 0.6, 0.9, 0.8], [0.1, 0.5, 0.1, np.nan]])
TABLE = QueryTable(
    "Made", "d", "definition", ("a", "b", "c"), ("q1", "q2", "q3", "q4"), {"MAP": VALUES}
)


def test_means_are_of_the_queries_that_all_have_best_first() -> None:
    found = compute_means(TABLE, "MAP")
    assert [one.method for one in found] == ["b", "a", "c"]
    assert found[0].mean == pytest.approx((0.2 + 0.6 + 0.9) / 3)
    spread = math.sqrt(sum((x - 1.5 / 3) ** 2 for x in (0.1, 0.5, 0.9)) / 2)
    # t of 2 degrees of freedom at 97.5 %.
    assert found[1].interval.high - 0.5 == pytest.approx(4.302653 * spread / math.sqrt(3))


def test_less_is_better_where_the_measure_says_so() -> None:
    errors = QueryTable("", "d", "definition", ("a", "b"), ("q", "r"), {"RMSE": VALUES[:2, :2]})
    assert [one.method for one in compute_means(errors, "RMSE")] == ["a", "b"]


def test_everyone_is_compared_with_the_baseline() -> None:
    assert [one.system for one in compare_with(TABLE, "MAP")] == ["b", "c"]
    found = {one.system: one for one in compare_with(TABLE, "MAP", "c")}
    assert found["a"].difference == pytest.approx(0.8 / 3)
    assert found["a"].queries == 3


def test_a_baseline_and_a_measure_that_are_not_there_are_named() -> None:
    with pytest.raises(RankwiseError, match="one of a, b, c; found 'd'"):
        compare_with(TABLE, "MAP", "d")
    with pytest.raises(RankwiseError, match="in MAP; found 'P@1'"):
        compute_means(TABLE, "P@1")


def test_the_widest_disputes_come_first_and_level_queries_not_at_all() -> None:
    assert find_disputed(TABLE, "MAP", 9) == [2, 0, 1]
    assert find_disputed(TABLE, "MAP", 1) == [2]
    assert find_disputed(TABLE, "MAP", 9, ("a", "c")) == [2]
