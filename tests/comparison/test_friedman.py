from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import FriedmanTest, critical_difference, friedman_test
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable, separate_versions

from .tables import Fact, table_of


def dense(values: list[list[float]], measure: str = "MAP") -> list[Fact]:
    """Results of methods A, B, … (rows) on data sets d0, d1, … (columns)."""
    return [
        ("ABCDEFGH"[i], f"d{j}", measure, value)
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]


# Demšar (2006), Table 5(a): q for α = .05 and 2, 3, 4, 5 and 10 methods.
@pytest.mark.parametrize(
    ("methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_critical_differences_have_the_printed_quantiles(methods: int, q: float) -> None:
    expected = q * sqrt(methods * (methods + 1) / (6 * 14))
    assert critical_difference(methods, 14, 0.05) == pytest.approx(expected, rel=3e-4)


def test_the_statistic_is_that_of_scipy_with_and_without_ties() -> None:
    from scipy.stats import friedmanchisquare

    for levels in (1000, 3):
        values = np.random.default_rng(levels).integers(0, levels, (4, 9)).astype(float)
        found = friedman_test(compare_table(table_of(dense(values.tolist()))))
        expected = friedmanchisquare(*values)
        assert found.chi_square == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.pvalue)


def test_iman_and_davenport_follow_from_chi_square() -> None:
    values = np.random.default_rng(4).random((4, 9))
    found = friedman_test(compare_table(table_of(dense(values.tolist()))))
    k, n = 4, 9
    expected = (n - 1) * found.chi_square / (n * (k - 1) - found.chi_square)
    assert found.iman_davenport == pytest.approx(expected)


def test_full_agreement_of_all_data_sets() -> None:
    found = friedman_test(compare_table(table_of(dense([[0.9] * 6, [0.5] * 6, [0.1] * 6]))))
    assert found.methods == ("A", "B", "C")
    assert found.average_ranks == (1.0, 2.0, 3.0)
    assert found.chi_square == pytest.approx(6 * (3 - 1))
    assert (found.iman_davenport, found.iman_davenport_p_value) == (inf, 0)
    # CD = 2.343 √(3 · 4 / (6 · 6)) = 1.35: neighbours are joined, the ends are not.
    assert found.groups == (("A", "B"), ("B", "C"))


def test_methods_that_are_always_level_do_not_differ() -> None:
    level = dense([[0.5] * 6] * 3)
    facts = [*level, ("D", "d0", "MAP", 0.9), ("D", "d1", "MAP", 0.1)]
    found = friedman_test(compare_table(table_of(facts)))
    assert (found.chi_square, found.p_value) == (0, 1)
    assert found.left_out == ("D",)


def test_measures_together_are_not_independent_and_said_so() -> None:
    facts = dense([[0.9] * 5, [0.5] * 5, [0.1] * 5])
    facts += dense([[0.9] * 5, [0.5] * 5, [0.1] * 5], "P@5")
    together = friedman_test(compare_table(table_of(facts)))
    assert len(together.blocks) == 10
    assert together.remark is not None
    assert "not independent" in together.remark
    assert friedman_test(compare_table(table_of(facts)), "MAP").remark is None


def in_versions(values: np.ndarray, versions: tuple[str, ...]) -> Comparison:
    """Methods × data sets × versions."""
    return compare_table(
        separate_versions(
            ResultTable.from_rows(
                {"collection": "c", "dataset": f"d{d}", "version": versions[v],
                 "method": "ABCDEFGH"[m], "measure": "MAP", "value": value}
                for (m, d, v), value in np.ndenumerate(values)
                if not np.isnan(value)
            )
        )
    )  # fmt: skip


def test_versions_of_a_data_set_are_one_block_with_their_mean() -> None:
    from scipy.stats import friedmanchisquare

    values = np.random.default_rng(8).random((4, 6, 3))
    found = friedman_test(in_versions(values, ("x", "y", "z")))
    expected = friedmanchisquare(*values.mean(axis=2))
    assert len(found.blocks) == 6
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.critical_difference == critical_difference(4, 6, 0.05)
    assert found.remark is not None and "18 versions of 6 data sets" in found.remark


def test_four_data_sets_in_three_versions_are_four() -> None:
    values = np.random.default_rng(8).random((4, 4, 3))
    with pytest.raises(RankwiseError, match="versions of one data set counted once"):
        friedman_test(in_versions(values, ("x", "y", "z")), "MAP")


def test_a_version_that_some_methods_lack_stays_out_of_the_mean() -> None:
    from scipy.stats import friedmanchisquare

    values = np.random.default_rng(9).random((4, 6, 2))
    values[0, 2, 1] = np.nan
    found = friedman_test(in_versions(values, ("x", "y")))
    means = values.mean(axis=2)
    means[:, 2] = values[:, 2, 0]
    assert len(found.methods) == 4
    assert found.chi_square == pytest.approx(friedmanchisquare(*means).statistic)


def test_versions_without_a_true_difference_are_not_taken_for_evidence() -> None:
    """Six data sets in three versions each: about 5 % of tests may reject, not half of them."""
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(60):
        values = rng.random((5, 6, 1)) + 0.05 * rng.random((5, 6, 3))
        rejected += friedman_test(in_versions(values, ("x", "y", "z"))).p_value < 0.05
    assert rejected <= 9


def test_a_table_that_is_too_sparse_is_refused() -> None:
    facts = dense([[0.9] * 4, [0.5] * 4, [0.1] * 4])
    with pytest.raises(RankwiseError, match="at least 3 methods with results on the same 5"):
        friedman_test(compare_table(table_of(facts)), "MAP")


def test_the_literature_is_dense_where_the_official_baselines_are(
    tax_comparison: Comparison,
) -> None:
    found: FriedmanTest = friedman_test(tax_comparison, "NDCG@10")
    assert {dataset.split()[1] for dataset, _ in found.blocks} == {"3.0"}
    assert len(found.blocks) == 7
    assert found.methods[0] == "SmoothRank"
    assert found.p_value < 0.01
    assert len(found.methods) + len(found.left_out) == 87
