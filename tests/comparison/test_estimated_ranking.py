"""Methods ranked by another estimator: order, ranks, warnings, refusals."""

from __future__ import annotations

import pytest

import rankwise as rw
from rankwise.comparison.estimators import ESTIMATORS, rank_by
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.mixed_model import UNEQUAL_SCALES, UNKNOWN_SCALES
from rankwise.comparison.resampling import FEW_RESULTS, ONE_DATASET
from rankwise.errors import RankwiseError

from .tables import dense_facts, table_of


@pytest.mark.parametrize("name", ESTIMATORS)
def test_all_methods_with_a_rival_are_ranked_best_first(
    name: str, tax_comparison: Comparison
) -> None:
    found = rank_by(tax_comparison, name)
    assert {one.method for one in found.rows} == {one.method for one in tax_comparison.rows}
    scores = [one.score for one in found.rows]
    assert scores == sorted(scores, reverse=True)
    for one in found.rows:
        assert one.rank == 1 + sum(score > one.score for score in scores)
        if one.lower is not None and one.upper is not None:
            assert one.lower <= one.score <= one.upper


def test_counts_are_those_of_the_comparison(tax_comparison: Comparison) -> None:
    for one in rank_by(tax_comparison, "nwn").rows:
        row = tax_comparison.by_method[one.method]
        assert (one.score, one.rank, one.results) == (row.nwn, row.rank, row.datasets)
        assert one.datasets == row.distinct_datasets
        assert (one.lower is None) == (one.warning == ONE_DATASET) == (one.datasets == 1)


def test_intervals_of_nwn_are_those_of_the_scatter(tax_comparison: Comparison) -> None:
    """The same as `resample_datasets` gives by default."""
    from rankwise.comparison.resampling import resample_datasets

    known = {one.method: one for one in resample_datasets(tax_comparison, 1).intervals}
    for one in rank_by(tax_comparison, "nwn").rows:
        assert (one.lower, one.upper) == (known[one.method].lower, known[one.method].upper)


def test_compare_gives_the_ranking_beside_the_winning_numbers() -> None:
    table = table_of(dense_facts(6, 6, signal=3.0, noise=0.2))
    found = rw.compare(table, by="mixed-model")
    assert found.estimated == rank_by(found, "mixed-model")
    assert found.estimated is not None and found.estimated.rows[0].method == "m00"
    assert rw.compare(table).estimated is None
    assert "6 methods by mixed-model; best: m00" in repr(found.estimated)
    assert list(found.estimated.to_frame().columns)[:3] == ["rank", "method", "score"]


def test_intervals_that_rest_on_little_say_so() -> None:
    facts = dense_facts(3, 3, signal=1.0, noise=0.5)
    for name in ESTIMATORS:
        found = rank_by(compare_table(table_of(facts)), name)
        assert {one.warning for one in found.rows} == {FEW_RESULTS}, name
        assert any("may cover less than 90 %" in remark for remark in found.remarks)


def test_unequal_scales_are_told_of_the_plain_model_only() -> None:
    facts = dense_facts(12, 12, signal=1.0, noise=0.5)
    alike = [(m, d, e, 0.4 + (v - 0.4) / (1 + int(d[1:]) % 3)) for m, d, e, v in facts]
    unequal = [(m, d, e, 0.4 + (v - 0.4) * 4.0 ** (int(d[1:]) % 2)) for m, d, e, v in alike]
    few = [fact for fact in alike if int(fact[1][1:]) < 9]
    for chosen, warning in (
        (alike, None),
        (unequal, UNEQUAL_SCALES),
        (few, UNKNOWN_SCALES),
    ):
        comparison = compare_table(table_of(chosen))
        plain = rank_by(comparison, "mixed-model")
        assert {one.warning for one in plain.rows} == {warning}
        scaled = rank_by(comparison, "scaled-mixed-model")
        assert {one.warning for one in scaled.rows} == {None}


def test_what_is_no_estimator_and_other_weights_are_refused() -> None:
    table = table_of(dense_facts(4, 4, signal=1.0, noise=0.5))
    with pytest.raises(RankwiseError, match="no way to rank methods 'median'"):
        rw.compare(table, by="median")
    with pytest.raises(RankwiseError, match="found weights 'datasets'"):
        rw.compare(table, by="mean-rank", weights="datasets")
    with pytest.raises(RankwiseError, match="confidence"):
        rank_by(compare_table(table), "nwn", confidence=0.0)


def test_versions_of_one_data_set_are_one() -> None:
    """Twice the same results under two versions leave intervals of the scatter as they are."""
    facts = dense_facts(6, 6, signal=1.0, noise=0.5)
    rows = table_of(facts).rows()
    twice = rw.ResultTable.from_rows(
        [{**row, "dataset": f"{row['dataset']}, {v}", "version": v} for row in rows for v in "AB"]
    )
    once = rank_by(compare_table(table_of(facts)), "mean-rank").rows
    double = rank_by(compare_table(twice), "mean-rank").rows
    for one, other in zip(once, double, strict=True):
        assert (one.method, one.datasets) == (other.method, other.datasets)
        assert other.lower == pytest.approx(one.lower)
