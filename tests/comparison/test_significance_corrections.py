"""Adjusted p-values, effect sizes and the comparison of several systems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from rankwise.comparison.significance_tests import (
    Procedure,
    adjust,
    benjamini_hochberg,
    bonferroni,
    compare_systems,
    effect_sizes,
    holm,
    t_test,
)
from rankwise.comparison.significance_tests.intervals import hedges_correction
from rankwise.comparison.significance_tests.procedure import CORRECTIONS, TESTS
from rankwise.errors import RankwiseError

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_corrections_by_hand() -> None:
    p = [0.01, 0.04, 0.03]
    assert bonferroni(p) == pytest.approx([0.03, 0.12, 0.09])
    assert holm(p) == pytest.approx([3 * 0.01, max(2 * 0.03, 0.04), 2 * 0.03])
    assert benjamini_hochberg(p) == pytest.approx([3 * 0.01 / 1, 0.04, min(3 * 0.03 / 2, 0.04)])
    assert adjust(p, "none").tolist() == p


@given(p_lists)
def test_benjamini_hochberg_equals_scipys(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p), rel=1e-12)


@given(p_lists, st.floats(0.001, 0.999))
def test_holm_rejects_what_the_stepwise_procedure_rejects(p: list[float], level: float) -> None:
    rejected = set()
    for step, row in enumerate(np.argsort(p, kind="stable")):
        if not (len(p) - step) * p[row] < level:
            break
        rejected.add(int(row))
    assert set(np.flatnonzero(holm(p) < level).tolist()) == rejected


@given(p_lists)
def test_corrections_are_ordered(p: list[float]) -> None:
    assert np.all(np.array(p) <= benjamini_hochberg(p) + 1e-15)
    assert np.all(benjamini_hochberg(p) <= holm(p) + 1e-15)
    assert np.all(holm(p) <= bonferroni(p) + 1e-15)
    assert np.all(bonferroni(p) <= 1.0)


@given(p_lists, st.randoms(use_true_random=False))
def test_corrections_do_not_depend_on_the_order(p: list[float], random) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    for correct in CORRECTIONS.values():
        assert correct([p[i] for i in order]) == pytest.approx(correct(p)[order], rel=1e-12)


@pytest.mark.parametrize("bad", [[0.5, math.nan], [-0.1], [1.5]])
def test_corrections_refuse_what_is_no_probability(bad: list[float]) -> None:
    with pytest.raises(RankwiseError, match="between 0 and 1"):
        holm(bad)


def test_no_comparison_needs_no_correction() -> None:
    assert all(len(correct([])) == 0 for correct in CORRECTIONS.values())


def test_an_unknown_correction_is_said() -> None:
    with pytest.raises(RankwiseError, match="one of holm, bonferroni, bh, none, found 'tukey'"):
        adjust([0.5], "tukey")


def test_effect_sizes_by_hand() -> None:
    # d = 1, 2, -0.5, 0: ranks of |d| are 2, 3, 1; W⁺ = 5, W⁻ = 1.
    d = np.array([1.0, 2.0, -0.5, 0.0])
    effect = effect_sizes(d)
    assert effect.cohen_d == pytest.approx(d.mean() / d.std(ddof=1))
    assert effect.hedges_g == pytest.approx(effect.cohen_d * hedges_correction(3))
    assert effect.rank_biserial == pytest.approx((5 - 1) / 6)
    assert (effect.wins, effect.ties, effect.losses) == (2, 1, 1)


@pytest.mark.parametrize("freedom", [2, 3, 10, 100, 5000])
def test_hedges_correction_is_its_gamma_formula_and_near_its_approximation(freedom: int) -> None:
    exact = special.poch(freedom / 2 - 0.5, 0.5) / math.sqrt(freedom / 2)
    assert hedges_correction(freedom) == pytest.approx(exact, rel=1e-9)
    assert hedges_correction(freedom) == pytest.approx(1 - 3 / (4 * freedom - 1), abs=0.008)


def test_degenerate_effect_sizes() -> None:
    nothing = effect_sizes([0.0, 0.0, 0.0])
    assert (nothing.cohen_d, nothing.hedges_g, nothing.rank_biserial) == (0.0, 0.0, 0.0)
    assert effect_sizes([-1.0, -1.0, -1.0]).cohen_d == -math.inf
    assert effect_sizes([-1.0, -1.0, -1.0]).rank_biserial == -1.0
    one = effect_sizes([0.5])
    assert math.isnan(one.cohen_d)
    assert math.isnan(one.hedges_g)
    assert hedges_correction(1) == 0.0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_wins_ties_and_losses_are_all_queries(differences: list[float]) -> None:
    effect = effect_sizes(differences)
    assert effect.wins + effect.ties + effect.losses == len(differences)
    assert -1.0 <= effect.rank_biserial <= 1.0


def test_two_queries_with_a_constant_difference_have_no_corrected_effect() -> None:
    # J(1) = 0 while d_z is infinite: the product is not a number, and nothing is warned of.
    assert math.isnan(effect_sizes([1.0, 1.0]).hedges_g)


FIGURES = {
    "NDCG@10": {
        "base": [0.1, 0.2, 0.3, 0.4],
        "one": [0.2, 0.4, 0.3, 0.6],
        "two": [0.0, 0.1, 0.3, 0.2],
    },
    "MAP": {
        "base": [0.5, 0.5, 0.5, 0.4],
        "one": [0.6, 0.5, 0.4, 0.6],
        "two": [0.9, 0.7, 0.8, 0.8],
    },
}


def test_the_first_system_is_the_baseline() -> None:
    compared = compare_systems(FIGURES)
    assert [(one.measure, one.baseline, one.system) for one in compared] == [
        ("NDCG@10", "base", "one"),
        ("NDCG@10", "base", "two"),
        ("MAP", "base", "one"),
        ("MAP", "base", "two"),
    ]
    first = compared[0]
    assert (first.baseline_mean, first.system_mean) == pytest.approx((0.25, 0.375))
    assert first.difference == pytest.approx(0.125)
    assert first.result == t_test(np.subtract([0.2, 0.4, 0.3, 0.6], [0.1, 0.2, 0.3, 0.4]))


def test_all_pairs() -> None:
    compared = compare_systems(FIGURES, all_pairs=True)
    assert [(one.baseline, one.system) for one in compared[:3]] == [
        ("base", "one"),
        ("base", "two"),
        ("one", "two"),
    ]


@pytest.mark.parametrize(("family", "sizes"), [("measure", (2, 2)), ("run", (4,))])
def test_the_family_of_the_correction(family: str, sizes: tuple[int, ...]) -> None:
    compared = compare_systems(FIGURES, Procedure(correction="bonferroni", family=family))
    p = np.array([one.result.p_value for one in compared])
    expected = np.minimum(1.0, p * sizes[0])
    assert [one.adjusted_p_value for one in compared] == pytest.approx(expected)


@pytest.mark.parametrize("test", TESTS)
def test_adding_a_system_changes_no_figure_of_the_others(test: str) -> None:
    rng = np.random.default_rng(0)
    rows = {name: rng.random(40) for name in ("base", "one", "two")}
    procedure = Procedure(test=test, correction="none", interval="percentile", samples=300)
    both = compare_systems({"P@5": rows}, procedure)
    alone = compare_systems({"P@5": {name: rows[name] for name in ("base", "two")}}, procedure)
    assert both[1] == alone[0]


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_seed_and_samples_reach_the_test_and_the_interval(test: str) -> None:
    rng = np.random.default_rng(0)
    rows = {"base": rng.random(40), "one": rng.random(40)}
    options = {"test": test, "interval": "percentile"}
    found = [
        compare_systems({"P@5": rows}, Procedure(samples=samples, seed=seed, **options))[0]
        for samples, seed in ((300, 0), (300, 1), (301, 0))
    ]
    assert len({one.result.p_value for one in found}) == 3
    assert len({one.interval for one in found}) == 3
    assert [one.result.method for one in found] == ["300 samples", "300 samples", "301 samples"]


def test_significance_is_judged_by_the_adjusted_p_value() -> None:
    better = np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.0])
    rows = {"base": np.zeros(6), **{f"s{number}": better for number in range(6)}}
    plain = compare_systems({"P@5": rows}, Procedure(correction="none"))
    strict = compare_systems({"P@5": rows}, Procedure(correction="bonferroni"))
    assert all(one.significant() for one in plain)
    assert not any(one.significant() for one in strict)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"test": "z"}, "the test must be one of t, wilcoxon, .* found 'z'"),
        ({"correction": "z"}, "the correction must be one of holm"),
        ({"family": "z"}, "the family must be one of measure, run"),
        ({"samples": 0}, "at least 1, found 0"),
    ],
)
def test_an_unknown_procedure_is_said(options: dict, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        Procedure(**options)


def test_an_error_names_the_measure_and_the_systems() -> None:
    with pytest.raises(RankwiseError, match="MAP, a and b: both systems must have one figure"):
        compare_systems({"MAP": {"a": [0.1, 0.2], "b": [0.1]}})
    with pytest.raises(RankwiseError, match="at least two systems, found 1"):
        compare_systems({"MAP": {"a": [0.1, 0.2]}})
