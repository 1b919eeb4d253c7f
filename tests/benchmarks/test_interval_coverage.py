"""The program behind the tables of coverage: that it runs, and that it counts as it says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "interval_coverage.py"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    found = importlib.util.spec_from_file_location("coverage_of_intervals", PROGRAM)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def test_the_quick_run_prints_every_table_twice_alike() -> None:
    command = [sys.executable, str(PROGRAM), "--quick", "--part", "queries"]
    first, again = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)
    )
    assert first == again
    for title in ("Coverage of 95 % intervals", "Size of paired tests", "Below 90 % without"):
        assert title in first


def test_the_default_intervals_cover_what_they_claim(program: ModuleType) -> None:
    """Few replicates: three standard errors below 95 % and 90 %."""
    covered, rejected = program.measure_queries((10,), 60, seed=4)
    for shape, least in (("normal", 0.95), ("skewed", 0.9)):
        share = covered["t", shape, 0.0, 10].share()
        assert share >= least - 3 * np.sqrt(least * (1 - least) / 60)
    assert rejected["bootstrap", "normal", 0.0, 10].share() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_intervals_of_winning_numbers_cover_what_they_claim(program: ModuleType) -> None:
    made = program.make_truth("normal", 10, 0.0, 300)
    truth = {row.method: row.nwn for row in made.rows}
    covered: dict[tuple[str, str, float, int], object] = {}
    generator = np.random.default_rng(2)
    for number in range(25):
        made = program.make_comparison("normal", 10, 5, 0.0, generator, versions=2)
        program.try_numbers(covered, ("normal", 0.0, 5), made, truth, number)
    assert covered["spread", "normal", 0.0, 5].share() >= 0.9  # type: ignore[attr-defined]
    assert covered["percentile", "normal", 0.0, 5].warned  # type: ignore[attr-defined]


def test_a_share_is_of_cases_without_a_warning_where_there_are_some(program: ModuleType) -> None:
    tally = program.Tally()
    for hit, warned in ((True, False), (False, False), (True, True), (True, True)):
        tally.add(hit, warned)
    assert (tally.share(), tally.shown()) == (1 / 2, "0.50")
    for _ in range(60):
        tally.add(True, warned=True)
    assert tally.shown() == "(1.00)"
