"""All figures of the real tools, case by case."""

from __future__ import annotations

from pathlib import Path

from tests.differential.golden import T_TESTS, TOOLS, compare_all


def test_every_golden_figure_is_reproduced(shared: Path) -> None:
    tally = compare_all(shared / "golden")
    assert tally.wrong == []
    assert set(tally.compared) == {*TOOLS, *T_TESTS}
    assert tally.compared.total() > 70_000
