"""What is kept of a task, and what its process is given: values, clocks, memory, threads, time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rankwise.data.folds import read_fold
from rankwise.experiments.engines import local
from rankwise.experiments.engines.local import LocalEngine
from rankwise.experiments.estimates import Remaining
from rankwise.experiments.limits import TaskLimits
from rankwise.experiments.plan import ExperimentPlan
from rankwise.experiments.runner import RunProgress
from rankwise.experiments.task_run import run_task
from rankwise.results.store_records import TaskOutcome
from tests.experiments.running import HERE, planned


def ended(
    plan: ExperimentPlan, folder: Path, jobs: int = 1, limits: TaskLimits | None = None
) -> list[TaskOutcome]:
    events = LocalEngine(jobs, folder).run(plan.tasks, limits or TaskLimits())
    return [event.outcome for event in events if event.outcome is not None]


def test_values_per_query_are_kept_of_the_test_part_only(folds: Path) -> None:
    (task,) = planned(folds, "OneFeature", folds=[1], measures=["MAP"]).tasks
    fold = read_fold(task.files)
    test, validation = run_task(task, lambda task: fold).values
    assert (test.part, test.query_ids) == ("test", tuple(fold.test.query_ids))
    assert test.values is not None and test.values.mean() == pytest.approx(test.mean)
    assert fold.validation is not None and validation.part == "validation"
    assert (validation.query_ids, validation.values) == ((), None)


def test_a_task_that_sleeps_takes_seconds_but_not_of_the_processor(folds: Path) -> None:
    drowsy = {"name": f"{HERE}:Drowsy", "set": {"feature": 0}}
    (task,) = planned(folds, drowsy, folds=[1]).tasks
    outcome = run_task(task, lambda task: read_fold(task.files))
    assert outcome.ending == "done"
    assert outcome.seconds >= 0.2
    assert 0.0 < outcome.cpu_seconds < outcome.seconds


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_what_a_process_held_before_is_not_the_tasks(folds: Path, tmp_path: Path) -> None:
    weighed = {
        "name": "tests.experiments.heavy_ranker:Weighed",
        "set": {"feature": 0, "pause": 0.8},
    }
    limits = TaskLimits(memory_bytes=40 * 10**6)
    (outcome,) = ended(planned(folds, weighed, folds=[1]), tmp_path, limits=limits)
    assert (outcome.ending, outcome.reason) == ("done", None)
    assert outcome.facts["bytes"] > 40 * 10**6


def test_processes_share_the_processors(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in local._THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(local, "processors", lambda: 7)
    found = ended(planned(folds, "OneFeature", folds=[1, 2]), tmp_path, jobs=2)
    assert [one.environment["threads"] for one in found] == ["3", "3"]


def test_the_rest_takes_no_less_than_its_longest_task() -> None:
    left = Remaining(["a", "b"], {"a": 10.0, "b": 1.0})
    assert (left.seconds(4), left.seconds(1)) == (10.0, 11.0)
    left.remove("a")
    assert (left.seconds(4), left.number) == (1.0, 1)
    assert Remaining(["a", "b"], {"a": 10.0}).seconds(4) is None


def test_the_pace_is_that_of_the_tasks_of_this_run() -> None:
    """Two have ended in 1,000 seconds, three are left; four were in the store before."""
    begun = time.monotonic() - 1000.0
    progress = RunProgress(9, 1, done=5, failed=1, kept=4, begun=begun, left=Remaining("abc"))
    found = progress.seconds_left
    assert found is not None
    assert 1000.0 / 2 * 3 <= found <= (time.monotonic() - begun) / 2 * 3
    fresh = RunProgress(7, 1, done=4, kept=4, left=Remaining("abc"))
    assert fresh.seconds_left is None
