from __future__ import annotations

import shutil
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.cluster import NoWorkers, WrongCode
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import digest_code
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running.dask import DaskEngine, _Flow, _take_outcome, run_on_worker
from rankwise.experiments.running.engine import Event
from rankwise.experiments.running.runner import RunProgress
from rankwise.experiments.running.shared_data import SharingFailure
from tests.experiments.running import HERE, choices, facts_of, figures, planned, run, run_here
from tests.stores import reading

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")


def test_a_cluster_of_two_workers_gives_the_figures_of_this_machine(
    folds: Path, tmp_path: Path
) -> None:
    rankers = [{"name": name} for name in ("ridge-regression", "rankboost")]
    plan = planned(folds, *rankers, "Faulty", folds=[1, 2])
    run_here(plan, tmp_path / "local.sqlite")
    engine = DaskEngine(2, send_data=True)
    progress = run(plan, tmp_path / "dask.sqlite", engine=engine)
    assert (progress.done, progress.failed) == (4, 2)
    assert figures(tmp_path / "local.sqlite") == figures(tmp_path / "dask.sqlite") != {}
    assert choices(tmp_path / "local.sqlite") == choices(tmp_path / "dask.sqlite")


def _mortal(folder: Path, deaths: int = 1) -> dict[str, Any]:
    return {"name": f"{HERE}:Mortal", "set": {"deaths": deaths, "counter": str(folder / "count")}}


def test_a_killed_dask_worker_loses_nothing_and_is_told(folds: Path, tmp_path: Path) -> None:
    from tests.rankers.local_cluster import local_cluster

    plan = planned(folds, _mortal(tmp_path), "OneFeature", folds=[1])
    stood: list[tuple[int, int]] = []

    def watch(progress: RunProgress) -> None:
        stood.append((progress.lost_workers, progress.begun_again.total()))

    with local_cluster(2) as cluster:
        engine = DaskEngine(2, cluster.scheduler_address)
        progress = run(plan, tmp_path / "s.sqlite", engine=engine, watch=watch)
    assert (tmp_path / "count").read_text() == "x"
    assert (progress.done, progress.failed, progress.lost_workers) == (2, 0, 1)
    (mortal,) = [task for task in plan.tasks if task.name.method == "mortal"]
    assert progress.begun_again[mortal.key] == 1
    assert (stood[0], stood[-1][0]) == ((0, 0), 1)
    assert facts_of(tmp_path / "s.sqlite", "mortal")[0]["begun_again"] == 1


def test_a_worker_that_goes_while_it_is_given_data_is_survived(
    folds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.experiments.running.dask.await_workers", lambda *given: None)
    (task,) = planned(folds, "OneFeature", folds=[1]).tasks
    failures = [OSError("the stream is closed")]

    def scatter(fold: Any, hash: bool) -> str:
        if failures:
            raise failures.pop()
        return "sent"

    client = SimpleNamespace(scatter=scatter, status="running")
    flow = _Flow(client, deque(), TaskLimits(), send_data=True, wait=0.0)
    assert flow._send_data(task) == flow._send_data(task) == "sent"
    # Where the scheduler is gone nobody waits.
    gone = SimpleNamespace(scatter=scatter, status="closed")
    failures.append(OSError("the scheduler is gone"))
    with pytest.raises(OSError, match="the scheduler is gone"):
        _Flow(gone, deque(), TaskLimits(), send_data=True, wait=0.0)._send_data(task)


def test_data_that_died_with_their_worker_are_sent_again(folds: Path, tmp_path: Path) -> None:
    from tests.rankers.local_cluster import local_cluster

    plan = planned(folds, _mortal(tmp_path), folds=[1, 2])
    # The only worker has all data, and its nanny starts another one.
    with local_cluster(1) as cluster:
        engine = DaskEngine(1, cluster.scheduler_address, send_data=True, wait=600.0)
        progress = run(plan, tmp_path / "s.sqlite", engine=engine)
    assert (progress.done, progress.failed, progress.lost_workers) == (2, 0, 1)
    assert set(progress.begun_again) <= {task.key for task in plan.tasks}
    assert max(progress.begun_again.values()) == 1


def test_a_task_that_ends_all_its_workers_says_how_many_there_were() -> None:
    from distributed import KilledWorker

    for allowed in (0, 3):
        error = KilledWorker("a task", SimpleNamespace(address="tcp://a:1"), allowed)
        outcome = _take_outcome(SimpleNamespace(status="error", exception=lambda e=error: e))
        assert (outcome.kind, outcome.reason) == ("killed", f"its worker ended {allowed + 1} times")


def test_a_cluster_that_loses_its_last_worker_ends_the_run(folds: Path) -> None:
    """What it held would wait for ever; the scheduler tells of the loss before of anything else."""
    there, hear = {"tcp://a:1": 1}, []
    client: Any = SimpleNamespace(
        nthreads=lambda: dict(there),
        run=lambda function, *coded, workers, on_error: {workers[0]: digest_code(*coded)},
        submit=lambda *arguments, key, **options: Pending(key),
        subscribe_topic=lambda topic, handler: hear.append(handler),
        unsubscribe_topic=lambda topic: hear.clear(),
        scheduler=SimpleNamespace(address="tcp://head:8786"),
        loop=None,
    )
    tasks = planned(folds, "OneFeature", folds=[1, 2, 3]).tasks
    flow = _Flow(client, deque(tasks), TaskLimits(), send_data=False, wait=0.0)
    events = flow.events(Arriving())
    assert [next(events).task for _ in range(2)] == list(tasks[:2])
    there.clear()
    (tell,) = hear
    keys = [future.key for future in flow.running]
    tell((0.0, {"action": "add-worker", "worker": "tcp://b:1"}))
    tell((0.0, {"action": "remove-worker", "processing-tasks": keys[:1]}))
    assert next(events) == Event(tasks[0], lost=1)
    with pytest.raises(NoWorkers, match=r"found none in 0 seconds.*stored: run the same command"):
        next(events)
    assert hear == []


@dataclass(frozen=True)
class Pending:
    """A future that does not end."""

    key: str
    status: str = "pending"


class Arriving:
    """Futures of which none ends."""

    def add(self, future: Any) -> None: ...

    def has_ready(self) -> bool:
        return False


def test_workers_with_other_code_are_refused(folds: Path) -> None:
    task = planned(folds, "OneFeature", folds=[1]).tasks[0]
    with pytest.raises(WrongCode, match="must have Rankwise another code and what it needs"):
        run_on_worker(replace(task, code="another code"), None, None)


def test_a_cluster_that_cannot_be_started_is_a_sentence(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**options: Any) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr("distributed.LocalCluster", fail)
    with pytest.raises(RankwiseError, match=r"cluster of 1 processes could not be started .*Nanny"):
        run(planned(folds, "OneFeature", folds=[1]), tmp_path / "s.sqlite", engine=DaskEngine(1))


def test_a_scheduler_that_does_not_answer_is_a_sentence(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.cluster._CONNECT_SECONDS", 1)
    engine = DaskEngine(1, "tcp://127.0.0.1:9")
    with pytest.raises(RankwiseError, match="must be a Dask scheduler at"):
        run(planned(folds, "OneFeature", folds=[1]), tmp_path / "s.sqlite", engine=engine)


@pytest.mark.parametrize("address", ["nonsense", "foo://x:3", "tcp://head"])
def test_what_is_no_address_is_told_at_once(folds: Path, tmp_path: Path, address: str) -> None:
    with pytest.raises(RankwiseError, match="must be like tcp://head:8786, found"):
        run(planned(folds, "OneFeature", folds=[1]), tmp_path / "s.sqlite",
            engine=DaskEngine(1, address))  # fmt: skip


def test_a_worker_that_outlives_a_run_does_not_take_old_data_for_new(
    folds: Path, tmp_path: Path
) -> None:
    home = tmp_path / "data"
    shutil.copytree(folds, home)
    before = planned(home, "OneFeature", folds=[1]).tasks[0]
    first = run_on_worker(before, None, None)
    for part in (home / "Fold1").iterdir():
        part.write_text(part.read_text().replace("\n0 ", "\n2 "))
    after = planned(home, "OneFeature", folds=[1]).tasks[0]
    second = run_on_worker(after, None, None)
    assert after.key != before.key
    assert [one.mean for one in second.values] != [one.mean for one in first.values]
    with pytest.raises(SharingFailure, match="files of fold 1 have changed"):
        run_on_worker(replace(before, checksums={**before.checksums, "test": "0"}), None, None)


def test_the_time_limit_is_looked_at_between_combinations_too(folds: Path) -> None:
    grid = {"name": f"{HERE}:Drowsy", "grid": {"feature": [0, 1, 2, 3]}}
    task = planned(folds, grid, folds=[1]).tasks[0]
    assert run_on_worker(task, None, 0.3).kind == "time"
    assert run_on_worker(task, None, 600.0).ending == "done"


@pytest.mark.parametrize("where", ["worker", "scheduler"])
def test_a_cluster_without_rankwise_is_a_sentence(where: str) -> None:
    error: Exception = ModuleNotFoundError("No module named 'rankwise'")
    if where == "scheduler":
        # This is how Dask tells of what its scheduler cannot import.
        cause, error = error, RuntimeError("Error during deserialization of the task graph")
        error.__cause__ = cause
    future = SimpleNamespace(status="error", exception=lambda: error)
    with pytest.raises(WrongCode, match=r"have Rankwise \d.*found: No module.*; install the same"):
        _take_outcome(future)


def test_a_cluster_without_workers_ends_the_run_and_fails_no_task(
    folds: Path, tmp_path: Path
) -> None:
    from tests.rankers.local_cluster import local_cluster

    with local_cluster(0) as cluster:
        engine = DaskEngine(1, cluster.scheduler_address, wait=0.0)
        with pytest.raises(NoWorkers, match="must have workers, found none in 0 seconds; start"):
            run(planned(folds, "OneFeature", folds=[1]), tmp_path / "s.sqlite", engine=engine)
    assert reading(tmp_path / "s.sqlite").tasks() == []


def test_workers_that_join_later_are_asked_for_their_code_and_counted(folds: Path) -> None:
    there = {"tcp://a:1": 1}
    asked: list[Any] = []

    def answer(function: Any, *coded: Any, workers: list[str], on_error: str) -> dict[str, Any]:
        asked.append(workers)
        code = digest_code(*coded)
        return {one: code if one != "tcp://c:1" else OSError("gone") for one in workers}

    client: Any = SimpleNamespace(
        nthreads=lambda: dict(there), run=answer, submit=lambda *arguments, **options: object()
    )
    tasks = planned(folds, "OneFeature", folds=[1, 2, 3, 4, 5]).tasks
    flow = _Flow(client, deque(tasks), TaskLimits(), send_data=False, wait=0.0)
    assert [event.jobs for event in flow._submit(set())] == [1, 1]
    assert list(flow._submit(set())) == []
    there["tcp://b:1"] = there["tcp://c:1"] = 1
    assert [event.jobs for event in flow._submit(set())] == [3, 3, 3]
    assert [sorted(one) for one in asked] == [["tcp://a:1"], ["tcp://b:1", "tcp://c:1"]]


def test_the_time_left_is_judged_by_the_threads_of_the_cluster(folds: Path, tmp_path: Path) -> None:
    plan = planned(folds, "OneFeature", folds=[1, 2, 3, 4])

    class Wide:
        jobs = 1
        spreads = False

        def run(self, tasks: Any, limits: TaskLimits) -> Any:
            yield Event(tasks[0], jobs=4)

    seen: list[float | None] = []
    expected = {task.key: 60.0 for task in plan.tasks}
    run(plan, tmp_path / "s.sqlite", engine=Wide(), expected=expected,
        watch=lambda progress: seen.append(progress.seconds_left))  # fmt: skip
    assert seen == [240.0, 60.0]
