from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt

import numpy as np
import pytest

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import compute_agreement
from rankwise.comparison.strengths import Strengths, fit_bradley_terry, fit_pairs, fit_plackett_luce
from rankwise.errors import RankwiseError

from .tables import Fact, table_of


def duels(*results: tuple[str, str, int]) -> Comparison:
    """One data set for each win of the first over the second."""
    facts: list[Fact] = []
    for winner, loser, times in results:
        for _ in range(times):
            dataset = f"d{len(facts)}"
            facts += [(winner, dataset, "MAP", 0.9), (loser, dataset, "MAP", 0.1)]
    return compare_table(table_of(facts))


def test_two_methods_have_the_odds_of_their_wins() -> None:
    # σ(λ_A - λ_B) = 3/4, and the information of a difference is n p q, half of it each way.
    found = fit_bradley_terry(duels(("A", "B", 3), ("B", "A", 1)), "none")
    strength = found.by_method()
    assert strength["A"] - strength["B"] == pytest.approx(log(3 / 1))
    assert strength["A"] + strength["B"] == pytest.approx(0)
    assert found.strengths[0].standard_error == pytest.approx(sqrt(1 / (4 * 3 / 4 * 1 / 4)) / 2)


def test_a_tie_is_half_a_win_for_bradley_terry() -> None:
    facts = [("A", "d1", "MAP", 0.5), ("B", "d1", "MAP", 0.5)]
    facts += [("A", "d2", "MAP", 0.9), ("B", "d2", "MAP", 0.1)]
    strength = fit_bradley_terry(compare_table(table_of(facts)), "none").by_method()
    assert strength["A"] - strength["B"] == pytest.approx(log(1.5 / 0.5))


def test_the_models_agree_where_cells_hold_two() -> None:
    comparison = duels(("A", "B", 3), ("B", "A", 1), ("B", "C", 2), ("C", "A", 1))
    for regularization in ("none", "virtual-tie"):
        pairs, rankings = (
            fit(comparison, regularization).by_method()
            for fit in (fit_bradley_terry, fit_plackett_luce)
        )
        assert rankings == pytest.approx(pairs, abs=1e-5)


def test_a_virtual_tie_is_a_tie_with_a_method_of_strength_0() -> None:
    # The likelihood is at its highest where wins and expected wins are the same for each method:
    # 3 + 1/2 = 3 σ(λ_A - λ_B) + σ(λ_A) and 0 + 1/2 = 3 σ(λ_B - λ_A) + σ(λ_B).
    strength = fit_bradley_terry(duels(("A", "B", 3)), "virtual-tie").by_method()
    a, b = strength["A"], strength["B"]
    assert 3 * _logistic(a - b) + _logistic(a) == pytest.approx(3.5)
    assert 3 * _logistic(b - a) + _logistic(b) == pytest.approx(0.5)


def test_expected_wins_are_the_wins_at_the_maximum() -> None:
    generator = np.random.default_rng(2)
    wins = generator.integers(1, 6, (7, 7)).astype(np.float64)
    np.fill_diagonal(wins, 0)
    strength, errors = fit_pairs(wins, 0.0)
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    assert ((wins + wins.T) * chance).sum(axis=1) == pytest.approx(wins.sum(axis=1))
    assert strength.sum() == pytest.approx(0, abs=1e-9)
    assert (errors > 0).all()


def test_plackett_luce_is_at_the_maximum_of_its_literal_likelihood() -> None:
    facts: list[Fact] = [
        ("A", "d1", "MAP", 0.9), ("B", "d1", "MAP", 0.5), ("C", "d1", "MAP", 0.5),
        ("D", "d1", "MAP", 0.2), ("B", "d2", "MAP", 0.7), ("A", "d2", "MAP", 0.6),
        ("D", "d2", "MAP", 0.1), ("C", "d3", "MAP", 0.4), ("D", "d3", "MAP", 0.8),
        ("A", "d3", "MAP", 0.3),
    ]  # fmt: skip
    best = fit_plackett_luce(compare_table(table_of(facts))).by_method()
    highest = _literal_likelihood(facts, best)
    for method in best:
        for step in (-1e-3, 1e-3):
            moved = {**best, method: best[method] + step}
            assert _literal_likelihood(facts, moved) < highest


def test_without_wins_leading_everywhere_no_maximum_exists() -> None:
    comparison = duels(("A", "B", 2), ("B", "C", 1))
    for fit in (fit_bradley_terry, fit_plackett_luce):
        with pytest.raises(RankwiseError, match="wins lead from every method to every other"):
            fit(comparison, "none")
        assert [one.method for one in fit(comparison).strengths] == ["A", "B", "C"]


def test_groups_that_never_met_are_told_in_a_sentence() -> None:
    found = fit_bradley_terry(duels(("A", "B", 2), ("B", "A", 1), ("A", "C", 1), ("X", "Y", 1)))
    assert [set(group) for group in found.groups] == [{"A", "B", "C"}, {"X", "Y"}]
    assert found.remark is not None
    assert "2 groups" in found.remark
    joined = fit_bradley_terry(duels(("A", "B", 1), ("B", "X", 1)))
    assert (len(joined.groups), joined.remark) == (1, None)


def test_an_unknown_regularization_is_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="one of virtual-tie, none"):
        fit_bradley_terry(duels(("A", "B", 1)), "ridge")  # type: ignore[arg-type]


@pytest.mark.parametrize("fit", [fit_bradley_terry, fit_plackett_luce])
def test_strengths_and_winning_numbers_of_the_literature_agree(
    tax_comparison: Comparison, fit: Callable[[Comparison], Strengths]
) -> None:
    found = fit(tax_comparison)
    nwn = {row.method: row.nwn for row in tax_comparison.rows}
    alike = compute_agreement(nwn, found.by_method())
    assert alike.methods == 87
    assert alike.kendall is not None
    assert alike.kendall > 0.7
    assert [one.method for one in found.strengths[:2]] == ["LARF", "LRUF"]
    assert found.strengths[-1].method == "ListMLE"


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x))


def _literal_likelihood(facts: list[Fact], strength: dict[str, float]) -> float:
    total = 0.0
    for dataset in {fact[1] for fact in facts}:
        results = [(m, v) for m, d, _, v in facts if d == dataset]
        for method, value in results:
            below = [exp(strength[other]) for other, lower in results if lower < value]
            if below:
                total += strength[method] - log(exp(strength[method]) + sum(below))
    # One virtual tie: half a win and half a loss against strength 0.
    for value in strength.values():
        total += 0.5 * log(_logistic(value)) + 0.5 * log(_logistic(-value))
    return total


def test_the_error_with_virtual_ties_is_that_of_the_distance() -> None:
    """λ_A = -λ_B = λ; the information of their difference is n p q and, of the ties, σ(1 - σ) / 2.

    So the error of each is half of √(1 / (n p q + σ(λ)(1 - σ(λ)) / 2)).
    """
    found = fit_bradley_terry(duels(("A", "B", 3), ("B", "A", 1)))
    a, b = found.by_method()["A"], found.by_method()["B"]
    assert a == pytest.approx(-b)
    p, s = _logistic(a - b), _logistic(a)
    expected = sqrt(1 / (4 * p * (1 - p) + s * (1 - s) / 2)) / 2
    assert [one.standard_error for one in found.strengths] == pytest.approx([expected] * 2)


@pytest.mark.parametrize("methods", [3, 12])
def test_many_meetings_leave_no_error_but_theirs(methods: int) -> None:
    """Where the imagined method stands was not measured: with wins known, nothing is uncertain."""
    wins = np.full((methods, methods), 1e8) * (1 + np.triu(np.ones((methods, methods))))
    np.fill_diagonal(wins, 0)
    free, bound = fit_pairs(wins, 0.0), fit_pairs(wins, 1.0)
    assert bound[0] - bound[0].mean() == pytest.approx(free[0], abs=1e-6)
    assert bound[1] == pytest.approx(free[1], rel=0.3)
    assert bound[1].max() < 1e-3


def test_the_errors_of_a_group_are_its_own() -> None:
    """Methods that met nobody of a group say nothing of it."""
    rng = np.random.default_rng(5)
    wins = rng.integers(1, 6, (4, 4)).astype(np.float64)
    np.fill_diagonal(wins, 0)
    both = np.zeros((7, 7))
    both[:4, :4], both[4:, 4:] = wins, wins[:3, :3]
    alone, among = fit_pairs(wins, 1.0), fit_pairs(both, 1.0)
    assert among[0][:4] == pytest.approx(alone[0])
    assert among[1][:4] == pytest.approx(alone[1])
