"""LETOR's and MSLR's significance scripts: layout, printing and odd cases.

Their stored figures are compared in tests/differential.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankwise.comparison.significance_tests import (
    letor_report,
    letor_rows,
    mslr_report,
    one_sided_t_test,
)
from rankwise.comparison.significance_tests.letor_scripts import printed_p_value, upper_tail
from rankwise.errors import RankwiseError


def test_layout_of_eval_test_3() -> None:
    a = {"P@1": [1.0, 0.0, 1.0], "NDCG@10": [1.0, None, 0.5], "NDCG@9": [0.1] * 3, "MAP": [0.5] * 3}
    b = {"P@1": [0.0, 0.0, 1.0], "NDCG@10": [0.5, None, 0.5], "NDCG@9": [0.1] * 3, "MAP": [0.5] * 3}
    assert letor_report(a, b, "one.txt", "two.txt") == (
        "t-test results for A: one.txt and B: two.txt\n\n\n"
        "Measure\tNumber of queries\tMean A\tMean B\tt-value\tp-value\n"
        "map\t3\t0.5\t0.5\t0\t0.50000\n"
        "ndcg@9\t3\t0.1\t0.1\t0\t0.50000\n"
        "ndcg@10\t2\t0.75\t0.5\t1\t0.25000\n"
        "prec@1\t3\t0.666666666666667\t0.333333333333333\t1\t0.21132\n"
    )


def test_layout_of_the_mslr_script() -> None:
    # t = (1/3) / sqrt((1/3) / 3) = 1 with two degrees of freedom: p = 1 - 1/sqrt(3).
    assert mslr_report([1.0, 0.0, 1.0], [0.0, 0.0, 1.0]) == (
        "Number of queries:    3\n"
        "Mean perf. measure 1: 0.66666667\n"
        "Mean perf. measure 2: 0.33333333\n"
        "t-statistic:          1.00000000\n"
        f"p-value:              {1 - 1 / math.sqrt(3):.8f}\n"
    )


def test_the_mslr_script_reads_four_decimals() -> None:
    assert "1: 0.33330000\n" in mslr_report([1 / 3, 1 / 3], [0.0, 0.5])


@pytest.mark.parametrize("figures", [[0.5, 0.25], [0.5]])
def test_the_mslr_script_prints_nan_where_there_is_nothing_to_test(figures: list[float]) -> None:
    assert mslr_report(figures, figures).endswith(
        "t-statistic:          nan\np-value:              nan\n"
    )


def test_the_same_data_have_half_the_p_value_in_letors_test() -> None:
    differences = np.array([0.1, -0.2, 0.3, 0.25, -0.05])
    two_sided = stats.ttest_1samp(differences, 0.0).pvalue
    assert one_sided_t_test(differences).p_value == pytest.approx(two_sided / 2, rel=1e-9)
    assert one_sided_t_test(-differences).p_value == pytest.approx(1 - two_sided / 2, rel=1e-9)


def test_one_pass_variance_loses_digits_where_differences_are_nearly_constant() -> None:
    a, b = np.array([0.1, 0.3, 0.3]), np.array([0.0, 0.2, 0.2])
    assert one_sided_t_test(a - b).statistic == pytest.approx(92988769.67, abs=0.01)


def test_no_variance_at_all_is_t_zero() -> None:
    result = one_sided_t_test([0.25, 0.25, 0.25])
    assert (result.statistic, result.p_value) == (0.0, 0.5)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 21, 156, 1691])
@pytest.mark.parametrize("t", [-6.0, -1.5, 0.0, 0.3, 1.0, 2.5, 4.0])
def test_upper_tail_is_students(freedom: int, t: float) -> None:
    assert upper_tail(freedom, t) == pytest.approx(stats.t.sf(t, freedom), abs=3e-12)


def test_upper_tail_far_out_shows_the_perl_librarys_pi() -> None:
    # 1 - (1/2 + (π/2) / 3.1415926536) for one degree of freedom and an infinite t.
    assert upper_tail(1, math.inf) == 1 - (0.5 + math.pi / 2 / 3.1415926536)
    assert upper_tail(2, 1e9) == 0.0


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "0"), (0.5, "0.50000"), (1.0, "1.00000"), (0.04162, "0.041620"),
     (0.00050761, "0.00050761"), (0.98245, "0.98245"), (1.2345678e-9, "0.0000000012346")],
)  # fmt: skip
def test_printed_p_values(p: float, text: str) -> None:
    assert printed_p_value(p) == text


def test_a_measure_without_any_figure_has_no_row() -> None:
    a = {"NDCG@15": [0.5, 0.4], "NDCG@16": [None, math.nan]}
    assert [row.measure for row in letor_rows(a, a)] == ["ndcg@15"]


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ({"P@1": [1.0, 0.0]}, {"P@2": [1.0, 0.0]}, "the same measures"),
        ({"P@1": [1.0, None]}, {"P@1": [1.0, 0.0]}, "query number 2"),
        ({"P@9": [1.0, None]}, {"P@9": [1.0, None]}, "at least two queries .* prec@9, found 1"),
        ({"ERR": [1.0, 0.0]}, {"ERR": [1.0, 0.0]}, "knows the measures .* found 'ERR'"),
        ({"MAP@5": [1.0, 0.0]}, {"MAP@5": [1.0, 0.0]}, "found 'MAP@5'"),
        ({"NDCG@x": [1.0, 0.0]}, {"NDCG@x": [1.0, 0.0]}, "found 'NDCG@x'"),
    ],
)
def test_what_cannot_be_tested_is_said(a: dict, b: dict, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        letor_rows(a, b)


def test_one_query_cannot_be_tested() -> None:
    with pytest.raises(RankwiseError, match="at least two queries, found 1"):
        one_sided_t_test([0.5])
