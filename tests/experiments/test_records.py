"""What is kept of a task, and what its process is given: values, clocks, memory, threads, time."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from rankwise.cli.experiments.bench_command import _format_progress
from rankwise.data.folds import read_fold
from rankwise.experiments.planning import ExperimentPlan, Task
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running import local
from rankwise.experiments.running.engine import Event, TaskStanding
from rankwise.experiments.running.local import LocalEngine
from rankwise.experiments.running.runner import Pace, Remaining, RunProgress
from rankwise.experiments.running.task_run import run_task
from rankwise.rankers.ranker import Round, looks_at_figures
from rankwise.results.task_records import TaskOutcome
from tests.experiments.running import HERE, HereEngine, planned, run


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


def test_what_was_quick_says_nothing_of_other_rankers(folds: Path) -> None:
    """The pace is that of a ranker on a data set; its combinations take about as long."""
    quick = planned(folds, "OneFeature", folds=[1, 2, 3]).tasks
    slow = planned(folds, "Refusing", folds=[1, 2]).tasks
    progress = RunProgress(5, 2, left=Remaining([task.key for task in (*quick, *slow)]))
    pace = Pace([*quick, *slow])

    def end(task: Task, seconds: float) -> None:
        progress.left.remove(task.key)
        progress.left.expect(pace.note(task, seconds))

    end(quick[0], 1.0)
    assert progress.seconds_left is None
    assert (progress.left.unknown, progress.left.least_seconds(2)) == (2, 1.0)
    end(quick[1], 3.0)
    assert progress.left.least_seconds(2) == 2.0
    end(slow[0], 6000.0)
    assert progress.seconds_left == 6000.0
    end(quick[2], 2.0)
    end(slow[1], 5000.0)
    assert progress.seconds_left == 0.0


def test_a_task_that_tries_more_takes_longer(folds: Path) -> None:
    several, one = (planned(folds, {"name": f"{HERE}:OneFeature", **given}, folds=[1]).tasks[0]
                    for given in ({}, {"label": "one", "set": {"feature": 1}}))  # fmt: skip
    assert (several.tried, one.tried) == (4, 1)
    assert Pace([several, one]).note(several, 12.0) == {one.key: 3.0}


def test_how_far_a_task_is_is_no_new_beginning(folds: Path, tmp_path: Path) -> None:
    plan = planned(folds, "OneFeature", folds=[1])
    (task,) = plan.tasks

    class Telling(HereEngine):
        def run(self, tasks: Any, limits: TaskLimits) -> Any:
            begun, ended = super().run(tasks, limits)
            yield begun
            yield Event(task, standing=TaskStanding(2, 30, 500))
            yield ended

    seen: list[str] = []
    progress = run(plan, tmp_path / "s.sqlite", engine=Telling(),
                   watch=lambda one: seen.append("\n".join(_format_progress(one))))  # fmt: skip
    assert "fold 1, seed 0: training 2 of 4, round 30 of 500" in seen[2]
    assert "time left not known" in seen[2]
    assert "training" not in seen[3]
    assert not progress.begun_again


def test_a_worker_tells_how_far_it_is_and_looks_at_no_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = multiprocessing.Pipe()
    monkeypatch.setattr(local, "TELL_SECONDS", 0.0)
    teller = local._ProgressTeller(theirs)
    assert not looks_at_figures(teller)
    for progress in (Round(0, 1), Round(1, 9), Round(0, 1), Round(7, 9)):
        assert teller(progress) is False
    told = [ours.recv() for _ in range(4)]
    assert told == [
        TaskStanding(1, 0, 1),
        TaskStanding(1, 1, 9),
        TaskStanding(2, 0, 1),
        TaskStanding(2, 7, 9),
    ]
