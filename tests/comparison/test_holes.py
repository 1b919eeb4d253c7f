"""Holes laid over tables whose order is known."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest

from rankwise.comparison.estimators import ESTIMATORS
from rankwise.comparison.hole_study import KINDS, HoleStudy
from rankwise.comparison.holes import lay_holes
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.recovery import find_truth
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import dense_facts, punched, table_of

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
    assert "τ: nwn" in repr(clear)
    assert len(clear.to_frame()) == 2 * len(ESTIMATORS)


def test_the_same_seed_gives_the_same_and_another_another(clear: HoleStudy) -> None:
    assert lay_holes(dense(5.0, 0.1), pattern(0.3), draws=8) == clear
    assert lay_holes(dense(5.0, 0.1), pattern(0.3), draws=8, seed=1) != clear


def test_another_process_finds_the_same() -> None:
    code = (
        "import hashlib; from dataclasses import asdict;"
        "from rankwise.comparison.holes import lay_holes;"
        "from tests.comparison.test_holes import dense, pattern;"
        "print(repr(asdict(lay_holes(dense(1.0, 1.0), pattern(), draws=2))))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    here = asdict(lay_holes(dense(1.0, 1.0), pattern(), draws=2))
    assert answer.stdout.decode().strip() == repr(here)


def test_holes_of_the_survey_are_laid_by_short_name(tax: ResultTable) -> None:
    names = tax.methods()[:20]
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
