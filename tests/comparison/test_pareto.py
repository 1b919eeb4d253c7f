from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.winning_numbers import (
    DOMINANCE_RULES,
    Dominance,
    WinningNumber,
    count_dominators,
    find_front,
    find_pareto_ranks,
)
from rankwise.errors import RankwiseError

Place = tuple[float, float]
places = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@pytest.mark.parametrize("dominance", DOMINANCE_RULES)
@given(found=places)
def test_dominators_are_those_found_by_comparing_all(
    found: list[Place], dominance: Dominance
) -> None:
    expected = [sum(_dominates(b, a, dominance) for b in found) for a in found]
    assert count_dominators(found, dominance) == expected


@pytest.mark.parametrize("dominance", DOMINANCE_RULES)
@given(found=places)
def test_the_vectorised_front_is_where_there_are_no_dominators(
    found: list[Place], dominance: Dominance
) -> None:
    first, second = np.array(found, dtype=np.float64).reshape(-1, 2).T
    expected = [count == 0 for count in count_dominators(found, dominance)]
    assert find_front(first, second, dominance).tolist() == expected


@given(places)
def test_strict_dominance_implies_weak_so_its_front_is_larger(found: list[Place]) -> None:
    strict, weak = (count_dominators(found, rule) for rule in ("strict", "weak"))
    assert all(s <= w for s, w in zip(strict, weak, strict=True))


def test_rank_two_has_one_dominator_and_is_not_a_peeled_layer() -> None:
    chain = [_point("best", 4, 0.9), _point("next", 3, 0.8), _point("below both", 2, 0.7)]
    beside = [*chain, _point("certain", 5, 0.1)]
    assert find_pareto_ranks(beside, "iwn") == {
        "best": 1, "next": 2, "below both": 3, "certain": 1,
    }  # fmt: skip


def test_equals_do_not_dominate_each_other() -> None:
    twins = [_point("one", 3, 0.5), _point("other", 3, 0.5)]
    assert find_pareto_ranks(twins, "iwn", "weak") == {"one": 1, "other": 1}


def test_the_rules_part_where_one_axis_is_level() -> None:
    points = [_point("better", 3, 0.6), _point("level", 3, 0.5)]
    assert find_pareto_ranks(points, "iwn", "weak")["level"] == 2
    assert find_pareto_ranks(points, "iwn", "strict")["level"] == 1


def test_the_axis_chosen_is_the_axis_used() -> None:
    points = [
        WinningNumber("A", 5, 10, 0.5, datasets=1, distinct_datasets=1),
        WinningNumber("B", 4, 9, 0.4, datasets=2, distinct_datasets=2),
    ]
    assert find_pareto_ranks(points, "iwn")["B"] == 2
    assert find_pareto_ranks(points, "datasets")["B"] == 1


def test_unknown_rules_are_sentences() -> None:
    with pytest.raises(RankwiseError, match="axis must be one of datasets, iwn"):
        find_pareto_ranks([], "wn")  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="dominance rule must be one of weak, strict"):
        find_pareto_ranks([], "iwn", "firm")  # type: ignore[arg-type]


def _dominates(b: Place, a: Place, rule: Dominance) -> bool:
    if rule == "strict":
        return b[0] > a[0] and b[1] > a[1]
    return b[0] >= a[0] and b[1] >= a[1] and b != a


def _point(name: str, iwn: int, nwn: float) -> WinningNumber:
    return WinningNumber(name, 0, iwn, nwn, 1, 1)
