"""LETOR's and MSLR's significance scripts: every stored figure, and the layout around it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankwise.comparison.significance import (
    letor_report,
    letor_rows,
    mslr_report,
    one_sided_t_test,
)
from rankwise.comparison.significance.letor import upper_tail
from rankwise.comparison.significance.letor_layout import printed_p_value
from rankwise.errors import RankwiseError

CUTOFFS = range(1, 17)
FOLDERS = {"OHSUMED": "letor3/OHSUMED/QueryLevelNorm", "MQ2008": "letor4/MQ2008"}
LETOR_GAINS = (0, 1, 3)
MSLR_GAINS = (0, 1, 3, 7, 15)
STORED = [
    f"ttest-{dataset}-Fold{fold}-{pair}.json"
    for dataset, pairs in (
        ("MQ2008", ("f25-vs-f25c", "f25-vs-f40")),
        ("OHSUMED", ("f11-vs-f11c", "f11-vs-f25", "f25-vs-f40")),
    )
    for pair in pairs
    for fold in (1, 2, 3)
]


def ranked_labels(path: Path, score: str) -> list[list[int]]:
    """Labels of each query in the order of one feature, ties in file order; `c` = one decimal."""
    feature, coarse = score[1:].removesuffix("c"), score.endswith("c")
    queries: dict[str, list[tuple[float, int]]] = {}
    for line in path.read_text().splitlines():
        label, query, rest = line.split(" ", 2)
        found = re.search(rf"(?:^| ){feature}:(\S+)", rest)
        value = float(found.group(1)) if found else 0.0
        queries.setdefault(query, []).append(
            (float(f"{value:.1f}") if coarse else value, int(label))
        )
    return [
        [label for _, label in sorted(rows, key=lambda row: -row[0])] for rows in queries.values()
    ]


def dcg(labels: Sequence[int], gains: Sequence[int]) -> float:
    """Ranks 1 and 2 count in full, rank i from 3 on counts 1 / log2(i)."""
    return sum(
        gains[label] / (1.0 if rank < 3 else math.log2(rank))
        for rank, label in enumerate(labels, 1)
    )


def ndcg(labels: Sequence[int], k: int, gains: Sequence[int]) -> float:
    ideal = dcg(sorted(labels, reverse=True)[:k], gains)
    return dcg(labels[:k], gains) / ideal if ideal else 0.0


def average_precision(labels: Sequence[int], threshold: int) -> float:
    relevant = [rank for rank, label in enumerate(labels, 1) if label >= threshold]
    return sum(n / rank for n, rank in enumerate(relevant, 1)) / max(1, len(relevant))


def letor3_figures(queries: list[list[int]]) -> dict[str, list[float | None]]:
    """LETOR 3.0's figures per query: none for a query shorter than the cut-off."""
    figures: dict[str, list[float | None]] = {
        "MAP": [average_precision(labels, 1) for labels in queries]
    }
    for k in CUTOFFS:
        long = [len(labels) >= k for labels in queries]
        figures[f"NDCG@{k}"] = [
            ndcg(labels, k, LETOR_GAINS) if enough else None
            for labels, enough in zip(queries, long, strict=True)
        ]
        figures[f"P@{k}"] = [
            sum(label > 0 for label in labels[:k]) / k if enough else None
            for labels, enough in zip(queries, long, strict=True)
        ]
    return figures


def mslr_figures(queries: list[list[int]]) -> dict[str, list[float]]:
    """MSLR's figures per query: relevant from label 2 on, NDCG@10 of a short query is 0."""
    return {
        "NDCG@10": [ndcg(q, 10, MSLR_GAINS) if len(q) >= 10 else 0.0 for q in queries],
        "MAP": [average_precision(q, 2) for q in queries],
        "MeanNDCG": [
            sum(ndcg(q, k, MSLR_GAINS) for k in range(1, len(q) + 1)) / len(q) for q in queries
        ],
        "P@10": [sum(label >= 2 for label in q[:10]) / 10 for q in queries],
    }


@pytest.fixture(scope="module", params=STORED)
def stored(request: pytest.FixtureRequest, shared: Path) -> tuple[dict, list, list]:
    """A stored t-test and the two rankings it is of."""
    case = json.loads((shared / "golden/real" / request.param).read_text())
    path = shared / "data" / FOLDERS[case["dataset"]] / f"Fold{case['fold']}" / "test.txt"
    return case["expected"], ranked_labels(path, case["A"]), ranked_labels(path, case["B"])


def test_every_stored_t_test_is_known(shared: Path) -> None:
    assert sorted(STORED) == sorted(p.name for p in (shared / "golden/real").glob("ttest-*.json"))


def test_every_figure_of_eval_test_3_on_real_data(stored: tuple[dict, list, list]) -> None:
    expected, a, b = stored
    text = letor_report(letor3_figures(a), letor3_figures(b), "A.txt", "B.txt")
    rows = [line.split("\t") for line in text.splitlines()[4:]]
    assert [row[0] for row in rows] == list(expected["letor-3.0-ttest"]["rows"])
    for name, queries, mean_a, mean_b, t_value, p_value in rows:
        want = expected["letor-3.0-ttest"]["rows"][name]
        assert queries == want[0], name
        assert float(mean_a) == pytest.approx(float(want[1]), abs=1e-12), name
        assert float(mean_b) == pytest.approx(float(want[2]), abs=1e-12), name
        assert float(t_value) == pytest.approx(float(want[3]), rel=1e-7), name
        assert p_value == want[4], name


def test_every_figure_of_the_mslr_script_on_real_data(stored: tuple[dict, list, list]) -> None:
    expected, a, b = stored
    first, second = mslr_figures(a), mslr_figures(b)
    for measure, want in expected["mslr-ttest-py"]["rows"].items():
        lines = mslr_report(first[measure], second[measure]).splitlines()
        assert [line.split(":")[1].strip() for line in lines] == want, measure


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
