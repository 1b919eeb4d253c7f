"""Verdicts: the test as its equation says it, and how often it errs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from rankwise.comparison.paired_comparisons import (
    judge_by_datasets,
    judge_by_queries,
    stratified_t_test,
)
from rankwise.comparison.significance_tests.paired_tests import t_test
from rankwise.errors import RankwiseError
from rankwise.results.task_records import Subject

D, E = Subject("Made", "d", None), Subject("Made", "e", None)


def _queries(values: np.ndarray) -> dict[tuple[int, str], float]:
    return {(1, str(number)): float(value) for number, value in enumerate(values)}


def test_the_equation_of_the_stratified_test() -> None:
    draw = np.random.default_rng(0)
    strata = [draw.normal(0.1, 0.3, 12), draw.normal(0.0, 0.1, 40)]
    found = stratified_t_test(strata)
    parts = [one.var(ddof=1) / len(one) / 4 for one in strata]
    error = sqrt(sum(parts))
    freedom = int(error**4 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 39))
    difference = (strata[0].mean() + strata[1].mean()) / 2
    assert found.difference == pytest.approx(difference)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(difference) / error, freedom))
    reach = stats.t.ppf(0.975, freedom) * error
    assert (found.lower, found.upper) == (
        pytest.approx(difference - reach),
        pytest.approx(difference + reach),
    )
    assert found.queries == 52


def test_one_data_set_is_the_paired_t_test() -> None:
    values = np.random.default_rng(1).normal(0.05, 0.2, 30)
    assert stratified_t_test([values]).p_value == pytest.approx(t_test(values).p_value)


def test_differences_that_are_all_alike_are_judged_by_their_signs() -> None:
    assert stratified_t_test([np.zeros(9)]).p_value == 1.0
    assert stratified_t_test([np.full(4, 0.25), np.full(3, 0.25)]).p_value == 2 * 0.5**7


def test_one_query_is_not_enough() -> None:
    with pytest.raises(RankwiseError, match="at least two queries in each data set"):
        stratified_t_test([[0.1], [0.1, 0.2]])


def test_rivals_are_better_worse_or_not_separable_the_hardest_first() -> None:
    draw = np.random.default_rng(2)
    base = {subject: draw.uniform(0.3, 0.6, 200) for subject in (D, E)}
    noise = {subject: draw.normal(0.0, 0.02, 200) for subject in (D, E)}
    own = {subject: _queries(values) for subject, values in base.items()}
    rivals = {
        name: {subject: _queries(base[subject] + shift + noise[subject]) for subject in (D, E)}
        for name, shift in (("weak", -0.05), ("equal", 0.0), ("strong", 0.05))
    }
    found = judge_by_queries("mine", own, rivals, "MAP")
    assert [(one.rival, one.finding) for one in found] == [
        ("strong", "worse"), ("equal", "not separable"), ("weak", "better")
    ]  # fmt: skip
    assert found["strong"].queries == 400
    assert not found.better_than_all
    # Three rivals: the smallest p-value counts threefold, by Holm.
    smallest = min(found, key=lambda one: one.p_value)
    assert smallest.adjusted_p_value == pytest.approx(3 * smallest.p_value)
    assert found.describe() == (
        "better than 1, not separable from 1 and worse than 1 of 3 rivals in MAP, paired by "
        "queries (level 0.05, Holm)"
    )


def test_rounding_of_stored_values_is_no_difference() -> None:
    values = np.random.default_rng(3).uniform(0, 1, 500)
    stored = values.astype(np.float32).astype(np.float64)
    assert (values != stored).any()
    found = judge_by_queries("mine", {D: _queries(values)}, {"kept": {D: _queries(stored)}}, "MAP")
    assert (found["kept"].difference, found["kept"].p_value) == (0.0, 1.0)


def test_queries_without_a_value_are_left_out() -> None:
    own = {D: {(1, "a"): 0.5, (1, "b"): float("nan"), (1, "c"): 0.4, (1, "d"): 0.3}}
    rival = {"r": {D: {(1, "a"): 0.4, (1, "b"): 0.2, (1, "c"): 0.3, (1, "d"): 0.1}}}
    assert judge_by_queries("mine", own, rival, "MAP")["r"].queries == 3


def test_a_rival_with_nothing_in_common_is_left_out() -> None:
    values = np.array([0.1, 0.4, 0.2])
    rivals = {"elsewhere": {E: _queries(values)}, "one query": {D: _queries(values[:1])},
              "here": {D: _queries(values - 0.1)}}  # fmt: skip
    found = judge_by_queries("mine", {D: _queries(values)}, rivals, "MAP")
    assert [one.rival for one in found] == ["here"]


def test_a_small_error_is_better_than_a_large_one() -> None:
    draw = np.random.default_rng(4)
    values = draw.uniform(0.2, 0.4, 50)
    rival = {"r": {D: _queries(values + 0.1 + draw.normal(0, 0.01, 50))}}
    assert judge_by_queries("mine", {D: _queries(values)}, rival, "RMSE")["r"].finding == "better"


def test_means_need_five_data_sets() -> None:
    own = {f"d{n}": 0.5 + 0.01 * n for n in range(5)}
    rivals = {
        "weak": {name: value - 0.1 - 0.001 * n for n, (name, value) in enumerate(own.items())},
        "few": dict.fromkeys(list(own)[:4], 0.1),
    }
    found = judge_by_datasets("mine", own, rivals, "MAP")
    assert [(one.rival, one.finding, one.datasets) for one in found] == [("weak", "better", 5)]
    differences = [0.1 + 0.001 * n for n in range(5)]
    assert found["weak"].p_value == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0])
def test_a_level_is_a_probability(level: float) -> None:
    with pytest.raises(RankwiseError, match="the level must lie between 0 and 1"):
        judge_by_datasets("mine", {}, {}, "MAP", level)


def test_equal_methods_are_told_apart_as_often_as_the_level_says() -> None:
    """400 tests at 20 %: more than 109 or fewer than 52 of them wrong has a chance below .0005."""
    wrong = 0
    draw = np.random.default_rng(5)
    for _ in range(400):
        strata = [draw.normal(0, 0.3, 15), draw.exponential(0.1, 60) - 0.1]
        wrong += stratified_t_test(strata).p_value < 0.2
    assert 52 < wrong < 109
