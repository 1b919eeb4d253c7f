"""Figures of `sensitivity` and `second_opinions`."""

from __future__ import annotations

import pytest

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import friedman_test
from rankwise.comparison.resampling import resample_datasets
from rankwise.comparison.strengths import fit_bradley_terry
from rankwise.errors import RankwiseError
from rankwise.reports.certainty_figures import (
    make_bagplots,
    make_critical_difference,
    make_interval_bars,
    make_strength_bars,
)
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_table import ResultTable

from .conftest import made_table


def sparse() -> Comparison:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": "MAP", "value": v}
        for m, v in (("a", 0.1), ("b", 0.2))
    ]
    return compare_table(ResultTable.from_rows(rows))


def test_a_bagplot_has_a_point_for_each_data_set_left_out(made: Comparison) -> None:
    figure = make_bagplots(made)
    assert figure is not None
    table = made_table()
    for panel in figure.panels:
        for point in panel.points:
            row = compare_table(table.without(dataset=point.name)).by_method[panel.name]
            assert (point.x, point.y) == (row.iwn, row.nwn)


def test_the_paper_s_six_methods_are_among_the_bagplots(tax: Comparison) -> None:
    figure = make_bagplots(tax)
    assert figure is not None
    six = {"ListNet", "SmoothRank", "FenchelRank", "FSMRank", "LRUF", "LARF"}
    assert six < {panel.name for panel in figure.panels}


def test_there_is_no_bagplot_where_every_method_has_one_data_set() -> None:
    assert make_bagplots(sparse()) is None


def test_bars_carry_the_bootstrap_intervals(made: Comparison) -> None:
    found = resample_datasets(made, 30, seed=3)
    figure = make_interval_bars(made, found)
    assert [(b.name, b.value, b.low, b.high) for b in figure.bars] == [
        (one.method, one.nwn, one.lower, one.upper) for one in found.intervals
    ]
    assert "30 draws" in figure.caption


def test_a_method_with_one_data_set_has_no_whisker() -> None:
    bar = make_interval_bars(sparse(), resample_datasets(sparse(), 5)).bars[0]
    assert (bar.low, bar.high) == (None, None)
    assert "one data set only" in bar.detail


def test_the_critical_difference_is_that_of_the_densest_measure() -> None:
    comparison = compare_table(read_shipped())
    figure = make_critical_difference(comparison)
    test = friedman_test(comparison, "NDCG@1")
    assert figure.names == test.methods
    assert figure.ranks == test.average_ranks
    assert figure.difference == test.critical_difference
    for first, last in figure.groups:
        assert figure.ranks[last] - figure.ranks[first] <= figure.difference
        if last + 1 < len(figure.ranks):
            assert figure.ranks[last + 1] - figure.ranks[first] > figure.difference


def test_a_sparse_table_is_refused_in_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="Friedman's test needs at least 3 methods"):
        make_critical_difference(sparse())


def test_strengths_are_drawn_with_their_errors(made: Comparison) -> None:
    figure = make_strength_bars(made)
    found = {one.method: one for one in fit_bradley_terry(made).strengths}
    for bar in figure.bars:
        one = found[bar.name]
        assert one.standard_error is not None
        assert bar.value == one.strength
        assert bar.high == one.strength + 1.96 * one.standard_error
    assert "Kendall's τ" in figure.caption
    assert figure.axis.low <= min(bar.value for bar in figure.bars)
