"""Interleaving: fair to equals, decided for the better, and the marginal sum done literally."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback import INTERLEAVINGS, PositionBased, interleave
from rankwise.feedback.interleaving.probabilistic import Probabilistic
from rankwise.feedback.session_setting import SessionSetting
from tests.feedback.made import few_queries, one_list

every_method = pytest.mark.parametrize("method", INTERLEAVINGS)


@every_method
def test_a_ranker_does_not_beat_itself(method: str) -> None:
    found = interleave(few_queries(), "feature:3", "feature:3", method=method, sessions=20_000)
    assert found.low <= 0.0 <= found.high
    assert found.first == found.second
    assert found.wins + found.losses + found.ties == 20_000


@every_method
def test_the_better_ranker_wins_whichever_stands_first(method: str) -> None:
    data = few_queries()
    one = interleave(data, "feature:3", "random", method=method, seed=2)
    other = interleave(data, "random", "feature:3", method=method, seed=2)
    assert one.first > one.second
    assert one.low > 0.0 > other.high
    assert one.preference == pytest.approx(-other.preference, abs=0.05)
    assert one.p_value < 0.001


@every_method
def test_same_seed_same_result(method: str) -> None:
    results = [
        interleave(few_queries(), "feature:3", "random", method=method, sessions=500, seed=seed)
        for seed in (1, 1, 2)
    ]
    assert results[0] == results[1] != results[2]


def test_probabilistic_lists_and_credit_are_those_of_the_equations() -> None:
    """Three documents and a user who clicks all: every order has its chance and its credit."""
    data = Dataset.from_arrays(np.zeros((3, 1)), [0, 1, 2], group=[3])
    setting = SessionSetting(data, PositionBased((1.0, 1.0, 1.0), severity=0.0), 0)
    one, other = np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 3.0])
    outcomes = Probabilistic().outcomes(setting, one, other, 60_000, 9)
    chances = [np.argsort(np.argsort(-scores)) + 1.0 for scores in (one, other)]
    expected: dict[float, float] = {}
    for order in permutations(range(3)):
        chance, credit = literal_order(order, [ranks**-3.0 for ranks in chances])
        expected[round(credit, 9)] = expected.get(round(credit, 9), 0.0) + chance
    values, counts = np.unique(np.round(outcomes, 9), return_counts=True)
    assert set(values.tolist()) == set(expected)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        assert count / 60_000 == pytest.approx(expected[value], abs=0.01)


def literal_order(order: tuple[int, ...], weights: list[np.ndarray]) -> tuple[float, float]:
    """The chance that a list comes out in this order, and E[sign] over all 2^n assignments."""
    chance, shares, left = 1.0, [], set(order)
    for row in order:
        parts = [one[row] / sum(one[k] for k in left) for one in weights]
        chance *= sum(parts) / 2
        shares.append(parts[0] / sum(parts))
        left.remove(row)
    credit = 0.0
    for owners in product((1, 0), repeat=len(order)):
        odds = [p if owner else 1 - p for p, owner in zip(shares, owners, strict=True)]
        credit += float(np.prod(odds)) * np.sign(2 * sum(owners) - len(order))
    return chance, credit


def test_what_is_refused() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'team-draft'"):
        interleave(one_list(), "random", "feature:1", method="team-drafts")
    with pytest.raises(RankwiseError, match="at least 2 sessions, found 1"):
        interleave(one_list(), "random", "feature:1", sessions=1)
