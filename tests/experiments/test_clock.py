"""Runs under a clock that is wrong by a year: their figures count in the order of the runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores import reading

FAKETIME = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), Path("no library"))
HOOK = Path(__file__).parent / "clock_hook"
COMMAND = "from rankwise.cli.main import run; run()"
LIBRARY = pytest.mark.skipif(not FAKETIME.exists(), reason="libfaketime is not installed")


def set_clock(years: int, way: str) -> dict[str, str]:
    """The environment of a process whose clock is set back or forth by years."""
    if way == "library":
        shift = f"{years:+d}y" if years else "+0"
        return {"LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "DONT_FAKE_MONOTONIC": "1"}
    path = os.pathsep.join(filter(None, [str(HOOK), os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path, "SHIFT_YEARS": str(years)}


def rankwise(clock: dict[str, str], *words: object) -> str:
    command = [sys.executable, "-c", COMMAND, *map(str, words)]
    ended = subprocess.run(
        command, env={**os.environ, **clock}, capture_output=True, text=True, check=True
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("way", ["Python", pytest.param("library", marks=LIBRARY)])
def test_a_run_with_the_clock_of_last_year_counts(way: str, folds: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"

    def bench(years: int, select: str) -> None:
        words = ("--data", folds, "--ranker", "best-feature", "--fold", "1", "--jobs", "1")
        how = ("-m", "MAP", "--select", select, "--store", path, "--quiet")
        rankwise(set_clock(years, way), "bench", *words, *how)

    def years_stored() -> set[str]:
        return {task.finished[:4] for task in reading(path).tasks(superseded=True)}

    for years, select in ((1, "MAP"), (-1, "NDCG@10"), (0, "NDCG@5")):
        bench(years, select)
        (task,) = reading(path).tasks()
        assert reading(path).origin(task.number)["inputs"]["selection"][0] == select
    assert len(years_stored()) == 3
    bench(-1, "MAP")
    kept = [task.key for task in reading(path).tasks()]
    assert "2 tasks removed" in rankwise(set_clock(1, way), "results", "gc", path)
    assert [task.key for task in reading(path).tasks(superseded=True)] == kept
