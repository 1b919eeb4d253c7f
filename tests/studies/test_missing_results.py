"""Holes laid over tables whose order is known, and the patterns that are laid."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from studies.missing_results import (
    KINDS,
    DenseNames,
    HoleStudy,
    describe_places,
    find_dense_part,
    find_truth,
    lay_holes,
    main,
    make_error_bars,
    make_error_table,
    make_hole_figures,
    make_recovery_bars,
    make_recovery_table,
    make_steps_table,
    make_truth_table,
    match_pattern,
    shuffle_holes,
    trade,
)

from rankwise.comparison.estimators import ESTIMATORS
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.errors import RankwiseError
from rankwise.reports.drawing.renderer import FORMATS, _render_all, render
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_files import write_results
from rankwise.results.result_table import ResultTable
from tests.comparison.tables import dense_facts, punched, table_of
from tests.reports.test_matplotlib_renderer import drawn

METHODS, DATASETS = 14, 7


def dense(signal: float, noise: float, seed: int = 0) -> Comparison:
    return compare_table(
        table_of(dense_facts(METHODS, DATASETS, signal=signal, noise=noise, seed=seed))
    )


def pattern(holes: float = 0.6, prefix: str = "old") -> ResultTable:
    """Data sets of other names, so that each draw puts them in another order."""
    facts = punched(dense_facts(METHODS, 12, signal=0.0, noise=1.0), holes, seed=5)
    return table_of([(m, f"{prefix}{d}", e, v) for m, d, e, v in facts])


@pytest.fixture(scope="module")
def clear() -> HoleStudy:
    return lay_holes(dense(5.0, 0.1), pattern(0.3), draws=8)


def test_every_estimator_is_asked_under_both_kinds_of_pattern(clear: HoleStudy) -> None:
    for kind in KINDS:
        assert [one.estimator for one in clear.of_kind(kind)] == list(ESTIMATORS)
        assert {one.draws for one in clear.of_kind(kind)} == {8}


def test_a_clear_order_is_recovered_by_all(clear: HoleStudy) -> None:
    for one in clear.recoveries:
        assert one.kendall > 0.9, one
        assert one.kendall_unseen is not None and one.kendall_unseen > 0.85, one
        assert one.rank_error < 0.8
        assert one.kendall_low <= one.kendall <= one.kendall_high


def test_of_mere_chance_nothing_unseen_is_told() -> None:
    """Averaged over tables: one table of 7 data sets has an order by chance itself."""
    taus = np.array([
        [one.kendall_unseen for one in lay_holes(dense(0.0, 1.0, seed), pattern(), draws=3)
         .recoveries] for seed in range(12)
    ], dtype=np.float64)  # fmt: skip
    assert np.abs(taus.mean(axis=0)).max() < 0.12


def test_nothing_left_out_is_the_truth_itself() -> None:
    found = lay_holes(dense(1.0, 0.5), pattern(0.0, ""), draws=5)
    assert found.filled == 1.0
    assert found.results == 2 * DATASETS
    nwn = found.of_kind("laid")[0]
    assert (nwn.kendall, nwn.rank_error, nwn.coverage, nwn.draws) == (1.0, 0.0, 1.0, 1)
    assert nwn.kendall_unseen is None
    assert nwn.best_first == nwn.best_on_front == 1.0


def test_the_truth_is_nwn_and_the_mean_value_of_the_whole_table(clear: HoleStudy) -> None:
    whole = dense(5.0, 0.1)
    assert [(one.method, one.nwn) for one in clear.truth] == [
        (row.method, row.nwn) for row in whole.rows
    ]
    best = clear.truth[0]
    assert best.mean_value == pytest.approx(whole.table.where(method=best.method).value.mean())
    assert best.level_with_best
    assert not clear.truth[-1].level_with_best


def test_level_with_the_best_is_what_a_paired_test_does_not_tell_apart() -> None:
    """Against scipy's paired t-test of the shares of rivals beaten by data set."""
    from scipy.stats import ttest_rel

    from rankwise.comparison.estimates import ResultSample

    whole = dense(1.0, 1.0, 2)
    truth = find_truth(ResultSample(whole.cells, whole.unversioned), ESTIMATORS)
    best = int(np.argmax(truth.nwn))
    for method in range(METHODS):
        p = ttest_rel(truth.shares[best], truth.shares[method]).pvalue
        assert truth.level[method] == (method == best or p >= 0.05)
    assert 1 < truth.level.sum() < METHODS


def test_more_results_mean_smaller_errors() -> None:
    found = lay_holes(dense(1.5, 1.0), pattern(0.5), draws=30)
    for name in ESTIMATORS:
        steps = [
            one for one in found.steps
            if (one.estimator, one.pattern) == (name, "random") and one.methods >= 0.5
        ]  # fmt: skip
        errors = [one.rank_error for one in steps if one.rank_error is not None]
        assert len(errors) > 2
        assert errors[-1] < errors[0]
    counted = sum(one.methods for one in found.steps if one.estimator == "nwn")
    assert counted == pytest.approx(2 * METHODS, abs=1)


def test_gains_are_over_the_winning_number_on_the_same_draws(clear: HoleStudy) -> None:
    for kind in KINDS:
        nwn, *others = clear.of_kind(kind)
        assert (nwn.gain, nwn.gain_error) == (0.0, 0.0)
        for one in others:
            assert one.gain == pytest.approx(one.kendall - nwn.kendall)


def test_what_was_found_is_said_in_sentences(clear: HoleStudy) -> None:
    said = clear.describe()
    assert said[0].startswith("under the pattern, NWN recovers the dense order with a mean")
    short = replace(clear.recoveries[1], coverage=0.5)
    doubted = replace(clear, recoveries=(clear.recoveries[0], short, *clear.recoveries[2:]))
    assert any("less than 90 %" in one and "mean-rank 0.50" in one for one in doubted.describe())


def test_the_same_seed_gives_the_same_and_another_another(clear: HoleStudy) -> None:
    assert lay_holes(dense(5.0, 0.1), pattern(0.3), draws=8) == clear
    assert lay_holes(dense(5.0, 0.1), pattern(0.3), draws=8, seed=1) != clear


def test_another_process_finds_the_same() -> None:
    code = (
        "import hashlib; from dataclasses import asdict;"
        "from studies.missing_results import lay_holes;"
        "from tests.studies.test_missing_results import dense, pattern;"
        "print(repr(asdict(lay_holes(dense(1.0, 1.0), pattern(), draws=2))))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    here = asdict(lay_holes(dense(1.0, 1.0), pattern(), draws=2))
    assert answer.stdout.decode().strip() == repr(here)


def test_holes_of_the_survey_are_laid_by_short_name() -> None:
    names = read_shipped("tax2015_results").methods()[:20]
    facts = dense_facts(20, 5, signal=2.0, noise=0.5)
    made = table_of([(names[int(m[1:])], d, e, v) for m, d, e, v in facts])
    found = lay_holes(compare_table(made), "tax2015", draws=2)
    assert found.pattern == "tax2015"
    assert {one.method for one in found.truth} == set(names)
    assert 0 < found.filled < 0.5


def test_what_cannot_be_drawn_is_refused() -> None:
    whole = dense(1.0, 1.0)
    with pytest.raises(RankwiseError, match="at least once"):
        lay_holes(whole, pattern(), draws=0)
    with pytest.raises(RankwiseError, match="between 0 and 1"):
        lay_holes(whole, pattern(), confidence=1.0)
    with pytest.raises(RankwiseError, match="needs a method"):
        lay_holes(whole, "tax2015")
    two = pattern().where(method=("m00", "m01"))
    with pytest.raises(RankwiseError, match="at least 3 methods"):
        lay_holes(whole, two)
    lonely = table_of([(f"m{place:02}", f"x{place}", "MAP", 0.5) for place in range(METHODS)])
    with pytest.raises(RankwiseError, match="no order to recover"):
        lay_holes(whole, lonely, draws=2)


@pytest.fixture(scope="module")
def whole() -> Comparison:
    return compare_table(table_of(dense_facts(10, 6, signal=2.0, noise=0.5)))


@pytest.fixture(scope="module")
def study(whole: Comparison) -> HoleStudy:
    sparse = punched(dense_facts(10, 9, signal=0.0, noise=1.0), 0.5)
    return lay_holes(whole, table_of([(m, f"old{d}", e, v) for m, d, e, v in sparse]), draws=4)


def test_kendall_s_tau_has_a_bar_for_each_kind_and_estimator(study: HoleStudy) -> None:
    figure = make_recovery_bars(study)
    assert [(bar.value, bar.low, bar.high) for bar in figure.bars] == [
        (one.kendall, one.kendall_low, one.kendall_high) for one in study.recoveries
    ]
    assert len({bar.name for bar in figure.bars}) == 2 * len(ESTIMATORS)


def test_errors_of_ranks_are_grouped_by_the_number_of_results(study: HoleStudy) -> None:
    figure = make_error_bars(study)
    known = [one for one in study.steps if one.pattern == "random" and one.rank_error is not None]
    assert set(figure.groups) == {one.sizes for one in known}
    for series, name in zip(figure.series, ESTIMATORS, strict=True):
        assert series.values == tuple(one.rank_error for one in known if one.estimator == name)


def test_figures_are_whole_files_and_the_same_twice(study: HoleStudy) -> None:
    for figure in make_hole_figures(study):
        files = {name: render(figure, name) for name in FORMATS}
        assert files["png"].startswith(b"\x89PNG\r\n")
        assert files == _render_all(figure, FORMATS)
        assert drawn(figure).axes


def test_tables_have_all_facts(study: HoleStudy) -> None:
    table = make_recovery_table(study)
    assert [row[:4] for row in table.rows] == [
        (one.estimator, one.pattern, one.draws, one.kendall) for one in study.recoveries
    ]
    assert len(make_steps_table(study).rows) == len(study.steps)
    assert len(make_truth_table(study).rows) == len(study.truth)
    assert [row[0] for row in make_error_table(study).rows] == list(ESTIMATORS)


def test_holes_are_laid_over_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(tmp_path / "whole.csv")
    write_results(table_of(dense_facts(10, 6, signal=2.0, noise=0.5)), table)
    words = ["--pattern", table, "--draws", "2", "--seed", "4", "-o", str(tmp_path / "out")]
    main([table, *words])
    shown = capsys.readouterr().out
    assert "Rank error by" in shown
    assert "Under the pattern, NWN recovers the dense order" in shown
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"holes.csv", "holes-by-results.csv", "holes-truth.csv", "holes-kendall.svg",
            "holes-rank-error.svg"} < names  # fmt: skip
    lines = (tmp_path / "out" / "holes.csv").read_text().splitlines()
    assert lines[0].startswith("estimator,pattern,draws,kendall,")


# Patterns: what is kept when they are drawn anew, and whose place is taken.

Matrix = NDArray[np.bool_]


@st.composite
def patterns(draw: st.DrawFn) -> Matrix:
    shape = tuple(draw(st.integers(1, most)) for most in (8, 6, 3))
    share = draw(st.sampled_from([0.1, 0.4, 0.8]))
    return np.random.default_rng(draw(st.integers(0, 999))).random(shape) < share


@settings(deadline=None)
@given(patterns(), st.integers(0, 9))
def test_trades_keep_the_sums_of_rows_and_columns(filled: Matrix, seed: int) -> None:
    on = filled.any(axis=2)
    found = trade(on, 50, np.random.default_rng(seed))
    assert (found.sum(axis=0) == on.sum(axis=0)).all()
    assert (found.sum(axis=1) == on.sum(axis=1)).all()


@settings(deadline=None)
@given(patterns(), st.integers(0, 9))
def test_random_patterns_have_the_margins_of_the_first(filled: Matrix, seed: int) -> None:
    """Rows are dealt out to methods anew, so that their sums are the same ones in another order."""
    found = shuffle_holes(filled, np.random.default_rng(seed))
    assert (found.any(axis=2).sum(axis=0) == filled.any(axis=2).sum(axis=0)).all()
    for one in (lambda x: x.sum(axis=(1, 2)), lambda x: x.any(axis=2).sum(axis=1)):
        assert sorted(one(found).tolist()) == sorted(one(filled).tolist())
    measures = (lambda x: sorted(map(tuple, x[x.any(axis=2)].tolist())))(found)
    assert measures == sorted(map(tuple, filled[filled.any(axis=2)].tolist()))


def test_trades_reach_every_matrix_with_these_sums() -> None:
    """The two rows and columns with sums of 1 have two matrices, each half of the time."""
    on = np.eye(2, dtype=bool)
    generator = np.random.default_rng(0)
    kept = sum(bool((trade(on, 5, generator) == on).all()) for _ in range(400))
    assert abs(kept / 400 - 0.5) < 0.1


def sparse() -> ResultTable:
    names = [("LETOR 2.0", "OHSUMED"), ("LETOR 3.0", "OHSUMED"), ("MSLR", "MSLR-WEB10K"),
             ("LETOR 3.0", "TD2003"), ("LETOR 3.0", "TD2004")]  # fmt: skip
    return ResultTable.from_rows(
        {"collection": c, "dataset": d, "method": m, "measure": "MAP", "value": 0.5}
        for place, (c, d) in enumerate(names)
        for m in "ABCDE"[: place + 1]
    )


def test_data_sets_stand_for_those_of_their_name() -> None:
    names = DenseNames(
        ("A", "B"), ("LETOR 3.0 OHSUMED", "ohsumed", "made MSLR-WEB10K sample", "CACM"), ("MAP",)
    )
    found = match_pattern(sparse(), names)
    assert found.candidates == ((1,), (0, 1), (2,), (3, 4))
    assert found.named == (True, True, True, False)
    assert not found.is_fixed
    laid = found.lay(np.random.default_rng(0))
    # Of B the pattern has a result on every data set but the first.
    assert laid[:, :, 0].tolist() == [[True] * 4, [True, False, True, True]]
    by_name, by_chance = describe_places(found, names)
    assert "made MSLR-WEB10K sample for MSLR MSLR-WEB10K" in by_name
    assert by_chance.endswith("CACM")


def test_a_data_set_without_a_place_has_no_results() -> None:
    names = DenseNames(("A",), tuple(f"new{place}" for place in range(7)), ("MAP",))
    laid = match_pattern(sparse(), names).lay(np.random.default_rng(1))
    assert laid.sum() == 5


def test_a_table_without_all_results_loses_what_lacks_most() -> None:
    facts = dense_facts(6, 4, signal=1.0, noise=0.1)
    # Four methods fail on d3, one on d1: dropping d3 leaves 5 × 3 results, keeping it 2 × 4.
    lacking = {("m00", "d3"), ("m01", "d3"), ("m02", "d3"), ("m03", "d3"), ("m05", "d1")}
    table = table_of([fact for fact in facts if fact[:2] not in lacking])
    names, said = find_dense_part(table, table_of(dense_facts(7, 4, signal=1.0, noise=0.1)))
    assert names.datasets == ("d0", "d1", "d2")
    assert names.methods == ("m00", "m01", "m02", "m03", "m04")
    assert said == [
        "left out for lack of results: m05",
        "left out, as too many methods have no results there: d3",
    ]


def test_methods_and_measures_that_the_pattern_lacks_are_left_out_and_said() -> None:
    dense = table_of([*dense_facts(4, 3, signal=1.0, noise=0.1), ("new", "d0", "P@10", 0.5)])
    names, said = find_dense_part(dense, table_of(dense_facts(4, 3, signal=1.0, noise=0.1)))
    assert len(names.methods) == 4
    assert said[0] == "1 of 5 methods are left out: the pattern has none of their names"
    assert said[1].endswith("P@10")


def test_a_pattern_without_a_common_method_is_refused() -> None:
    dense = table_of(dense_facts(4, 3, signal=1.0, noise=0.1))
    with pytest.raises(RankwiseError, match="needs a method that the table has too"):
        find_dense_part(dense, sparse())
    other = table_of([(m, d, "P@5", 0.1) for m, d, _, _ in dense_facts(4, 3, signal=1.0, noise=1)])
    with pytest.raises(RankwiseError, match="needs a measure that the table has too"):
        find_dense_part(dense, other)
