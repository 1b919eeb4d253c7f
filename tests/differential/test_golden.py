"""The figures of the real tools, case by case: a few come with the tests, all where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.golden import (
    CASES,
    T_TESTS,
    TOOLS,
    Tally,
    compare_all,
    compare_case,
    console_mean,
)


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_figures_of_a_made_up_case_are_reproduced(folder: Path) -> None:
    tally = Tally()
    compare_case(folder, tally)
    assert tally.wrong == []
    assert tally.compared.total() + tally.refusals.total() > 0


def test_the_cases_show_every_tool() -> None:
    tally = Tally()
    for folder in CASES.iterdir():
        compare_case(folder, tally)
    assert set(tally.compared) == set(TOOLS)
    assert tally.compared.total() > 10_000


def test_every_golden_figure_is_reproduced(shared: Path) -> None:
    tally = compare_all(shared / "golden")
    assert tally.wrong == []
    assert set(tally.compared) == {*TOOLS, *T_TESTS}
    assert tally.compared.total() > 70_000


def test_the_cases_are_copies(shared: Path) -> None:
    for path in CASES.rglob("*.*"):
        original = shared / "golden/cases" / path.relative_to(CASES)
        assert path.read_bytes() == original.read_bytes(), path


def test_console_means_round_halves_up() -> None:
    assert [console_mean(x) for x in (0.5, 0.12345, 0.71246, 1.0)] == [
        "0.5",
        "0.1235",
        "0.7125",
        "1.0",
    ]
