from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankwise.comparison.bootstrap import resample_datasets
from rankwise.comparison.ranking import Comparison, compare_table
from rankwise.errors import RankwiseError
from rankwise.results.table import ResultTable

from .tables import Fact, table_of

TESTS = Path(__file__).parents[1]
FACTS: list[Fact] = [
    (method, dataset, "MAP", value)
    for dataset, values in {
        "d1": {"A": 0.9, "B": 0.5, "C": 0.1},
        "d2": {"A": 0.2, "B": 0.8, "C": 0.5},
        "d3": {"B": 0.3, "C": 0.4},
        "d4": {"D": 0.3, "C": 0.2},
    }.items()
    for method, value in values.items()
]


def test_a_resample_is_the_comparison_of_the_table_drawn() -> None:
    # Each data set drawn is entered as often as it was drawn, under a new name, and compared.
    comparison = compare_table(table_of(FACTS))
    seed, resamples = 5, 40
    found = {one.method: one for one in resample_datasets(comparison, resamples, seed).intervals}
    generator = np.random.default_rng(seed)
    expected: dict[str, list[float]] = {method: [] for method in "ABCD"}
    fronts = dict.fromkeys("ABCD", 0)
    for _ in range(resamples):
        drawn = [f"d{i + 1}" for i in generator.choice(4, 4)]
        again = compare_table(_copies(drawn))
        for row in again.rows:
            expected[row.method].append(row.nwn)
            fronts[row.method] += row.pareto
    for method in "ABC":
        bounds = np.quantile(expected[method], [0.025, 0.975])
        assert (found[method].lower, found[method].upper) == pytest.approx(tuple(bounds))
    for method in "ABCD":
        assert found[method].front_probability == fronts[method] / resamples
        assert found[method].present == len(expected[method]) / resamples


def test_a_single_data_set_gives_no_interval() -> None:
    found = {
        one.method: one for one in resample_datasets(compare_table(table_of(FACTS)), 50).intervals
    }
    assert (found["D"].lower, found["D"].upper) == (None, None)
    assert found["D"].present < 1


def test_intervals_hold_what_they_should(tax_comparison: Comparison) -> None:
    found = resample_datasets(tax_comparison, 200, seed=1)
    assert [one.method for one in found.intervals] == [row.method for row in tax_comparison.rows]
    for one in found.intervals:
        if one.lower is not None and one.upper is not None:
            assert 0 <= one.lower <= one.upper <= 1
        assert 0 <= one.front_probability <= one.present <= 1
    probability = {one.method: one.front_probability for one in found.intervals}
    assert probability["ListNet"] > 0.7
    assert probability["Linear Regression"] == 0
    # The front is less certain than it looks: nobody is on it in nine of ten draws.
    assert max(probability.values()) < 0.9


def test_a_wider_confidence_is_a_wider_interval(tax_comparison: Comparison) -> None:
    narrow, wide = (
        resample_datasets(tax_comparison, 100, confidence=c).intervals for c in (0.5, 0.95)
    )
    for one, other in zip(narrow, wide, strict=True):
        if one.lower is not None and other.lower is not None:
            assert other.lower <= one.lower


def test_the_same_seed_gives_the_same_figures_in_another_process() -> None:
    script = "from comparison.test_bootstrap import figures\nprint(figures())"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TESTS
    )
    assert ran.stdout.strip() == figures()
    assert figures(seed=4) != figures(seed=3)


def test_progress_is_told() -> None:
    done: list[float] = []
    resample_datasets(compare_table(table_of(FACTS)), 3, advance=done.append)
    assert done == [1, 2, 3]


def test_senseless_settings_are_sentences() -> None:
    comparison = compare_table(table_of(FACTS))
    with pytest.raises(RankwiseError, match="at least one resample; found 0"):
        resample_datasets(comparison, 0)
    with pytest.raises(RankwiseError, match="between 0 and 1; found 95"):
        resample_datasets(comparison, 10, confidence=95)


def figures(seed: int = 3) -> str:
    return repr(resample_datasets(compare_table(table_of(FACTS)), 30, seed).intervals)


def _copies(drawn: list[str]) -> ResultTable:
    return table_of(
        [
            (method, f"{dataset} draw {number}", measure, value)
            for number, name in enumerate(drawn)
            for method, dataset, measure, value in FACTS
            if dataset == name
        ]
    )
