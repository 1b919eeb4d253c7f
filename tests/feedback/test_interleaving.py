"""Interleaving: fair to equals, decided for the better, and the marginal sum done literally."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback import INTERLEAVINGS, PositionBased, interleave
from rankwise.feedback.interleaving import Probabilistic, TeamDraft
from rankwise.feedback.simulation import SessionSetting
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
    assert (one.first, one.second) == (other.second, other.first)
    assert one.low > 0.0 > other.high
    assert one.preference == pytest.approx(-other.preference, abs=0.05)
    assert one.wins > one.losses
    assert other.wins < other.losses
    assert max(one.p_value, other.p_value) < 0.001


def test_the_interval_and_p_value_are_those_of_the_mean_outcome() -> None:
    for first, second in (("feature:3", "feature:1"), ("feature:1", "feature:3")):
        found = interleave(few_queries(), first, second, sessions=150, seed=4)
        outcomes = np.repeat([1.0, -1.0, 0.0], [found.wins, found.losses, found.ties])
        error = outcomes.std(ddof=1) / np.sqrt(150)
        assert len(outcomes) == 150
        assert found.preference == pytest.approx(outcomes.mean())
        assert found.low == pytest.approx(outcomes.mean() - stats.norm.ppf(0.975) * error)
        assert found.high == pytest.approx(outcomes.mean() + stats.norm.ppf(0.975) * error)
        expected = 2 * stats.norm.sf(abs(outcomes.mean()) / error)
        assert found.p_value == pytest.approx(expected, rel=1e-6)


@every_method
def test_same_seed_same_result(method: str) -> None:
    results = [
        interleave(few_queries(), "feature:3", "random", method=method, sessions=500, seed=seed)
        for seed in (1, 1, 2)
    ]
    assert results[0] == results[1] != results[2]


def test_probabilistic_lists_and_credit_are_those_of_the_equations() -> None:
    """Three documents that are always clicked: every order has its chance and its credit.

    They are the second query; in the first nothing is clicked, and nobody wins.
    """
    data = Dataset.from_arrays(np.zeros((5, 1)), [0, 0, 1, 2, 2], group=[2, 3])
    setting = SessionSetting(data, PositionBased((0.0, 1.0, 1.0), severity=0.0), 0)
    one, other = np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 3.0])
    scores = [np.concatenate([[1.0, 2.0], own]) for own in (one, other)]
    outcomes = Probabilistic().outcomes(setting, *scores, 60_000, 9)
    chances = [np.argsort(np.argsort(-own)) + 1.0 for own in (one, other)]
    expected = {0.0: 0.5}
    for order in permutations(range(3)):
        chance, credit = literal_order(order, [ranks**-3.0 for ranks in chances])
        expected[round(credit, 9)] = expected.get(round(credit, 9), 0.0) + chance / 2
    values, counts = np.unique(np.round(outcomes, 9), return_counts=True)
    assert set(values.tolist()) == set(expected)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        assert count / 60_000 == pytest.approx(expected[value], abs=0.01)


@pytest.mark.parametrize("clicked", [(0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)])
def test_teams_are_drafted_as_captains_choose_players(clicked: tuple[int, ...]) -> None:
    """Every fall of the coins has the winner that the rule gives; the first query has no clicks."""
    labels = [0, 0, *clicked]
    data = Dataset.from_arrays(np.zeros((5, 1)), labels, group=[2, 3])
    setting = SessionSetting(data, PositionBased((0.0, 1.0), severity=0.0), 0)
    scores = np.array([2.0, 1, 3, 2, 1]), np.array([1.0, 2, 3, 1, 2])
    outcomes = TeamDraft().outcomes(setting, *scores, 40_000, 3)
    chances = {1: 0.0, -1: 0.0, 0: 0.5}
    for coins in product((0, 1), repeat=2):
        left = [[0, 1, 2], [0, 2, 1]]
        credit, players = 0, []
        for coin in coins:
            for captain in (coin, 1 - coin):
                if left[captain]:
                    player = left[captain][0]
                    players.append(player)
                    credit += (1 - 2 * captain) * clicked[player]
                    left = [[one for one in order if one != player] for order in left]
        assert sorted(players) == [0, 1, 2]
        chances[int(np.sign(credit))] += 0.125
    for outcome, chance in chances.items():
        assert np.mean(outcomes == outcome) == pytest.approx(chance, abs=0.01)


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
