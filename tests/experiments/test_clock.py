"""Runs under a clock that is wrong by a year: their figures count in the order of the runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores import reading

FAKETIME = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), Path("no library"))
COMMAND = "from rankwise.cli.main import run; run()"


@pytest.mark.skipif(not FAKETIME.exists(), reason="libfaketime is not installed")
def test_a_run_with_the_clock_of_last_year_counts(folds: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"

    def rankwise(shift: str, *words: object) -> str:
        clock = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "DONT_FAKE_MONOTONIC": "1"}
        command = [sys.executable, "-c", COMMAND, *map(str, words)]
        ended = subprocess.run(
            command, env={**os.environ, **clock}, capture_output=True, text=True, check=True
        )
        return ended.stdout + ended.stderr

    def bench(shift: str, select: str) -> None:
        words = ("--data", folds, "--ranker", "best-feature", "--fold", "1", "--jobs", "1")
        rankwise(
            shift, "bench", *words, "-m", "MAP", "--select", select, "--store", path, "--quiet"
        )

    for shift, select in (("+1y", "MAP"), ("-1y", "NDCG@10"), ("+0", "NDCG@5")):
        bench(shift, select)
        (task,) = reading(path).tasks()
        assert reading(path).origin(task.number)["inputs"]["selection"][0] == select
    bench("-1y", "MAP")
    kept = [task.key for task in reading(path).tasks()]
    assert "2 tasks removed" in rankwise("+1y", "results", "gc", path)
    assert [task.key for task in reading(path).tasks(superseded=True)] == kept
