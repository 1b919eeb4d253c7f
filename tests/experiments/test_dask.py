from __future__ import annotations

import logging
import os
import shutil
import signal
import threading
from collections import deque
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.dask_cluster import WrongCode
from rankwise.errors import RankwiseError
from rankwise.experiments.engines.dask import DaskEngine, _Flow, _take_outcome, run_on_worker
from rankwise.experiments.engines.engine import Event
from rankwise.experiments.keys import digest_code
from rankwise.experiments.limits import TaskLimits
from rankwise.experiments.shared_data import SharingFailure
from tests.experiments.running import HERE, choices, figures, planned, run
from tests.stores import reading

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")


def test_a_cluster_of_two_workers_gives_the_figures_of_this_machine(
    folds: Path, tmp_path: Path
) -> None:
    rankers = [{"name": name} for name in ("ridge-regression", "rankboost")]
    plan = planned(folds, *rankers, "Faulty", folds=[1, 2])
    run(plan, tmp_path / "local.sqlite", jobs=2)
    engine = DaskEngine(2, send_data=True)
    progress = run(plan, tmp_path / "dask.sqlite", engine=engine)
    assert (progress.done, progress.failed) == (4, 2)
    assert figures(tmp_path / "local.sqlite") == figures(tmp_path / "dask.sqlite") != {}
    assert choices(tmp_path / "local.sqlite") == choices(tmp_path / "dask.sqlite")


@pytest.mark.slow
def test_a_killed_dask_worker_loses_nothing(folds: Path, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    mortal = {"name": f"{HERE}:Mortal", "set": {"deaths": 1, "counter": str(counter)}}
    slow = {"name": f"{HERE}:OneFeature", "set": {"pause": 30.0, "feature": 0}}
    plan = planned(folds, mortal, slow, folds=[1])
    engine = DaskEngine(2)
    run(plan, tmp_path / "s.sqlite", engine=engine, limits=TaskLimits(seconds=5.0))
    found = {task.name.method: task for task in reading(tmp_path / "s.sqlite").tasks()}
    assert counter.read_text() == "x"
    assert found["mortal"].ending == "done"
    assert found["one-feature"].kind == "time"


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
    monkeypatch.setattr("rankwise.dask_cluster._CONNECT_SECONDS", 1)
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
    assert run_on_worker(task, None, 30.0).ending == "done"


@pytest.mark.slow
def test_data_that_died_with_a_worker_are_sent_again(folds: Path, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    slow = {"name": f"{HERE}:OneFeature", "set": {"pause": 2.0}, "grid": {"feature": [0, 1]}}
    plan = planned(folds, slow, folds=[1, 2])
    run(plan, tmp_path / "local.sqlite", jobs=2)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
        threading.Timer(3.0, os.kill, (pids[0], signal.SIGKILL)).start()
        engine = DaskEngine(2, cluster.scheduler_address, send_data=True)
        progress = run(plan, tmp_path / "dask.sqlite", engine=engine)
    assert (progress.done, progress.failed) == (2, 0)
    assert figures(tmp_path / "local.sqlite") == figures(tmp_path / "dask.sqlite")


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


def test_only_tasks_that_wait_for_workers_say_so(
    folds: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client: Any = SimpleNamespace(nthreads=dict, submit=lambda *arguments, **options: object())
    for tasks, said in (([], False), (planned(folds, "OneFeature", folds=[1]).tasks, True)):
        with caplog.at_level(logging.WARNING):
            list(_Flow(client, deque(tasks), TaskLimits(), send_data=False)._submit(set()))
        assert ("no workers yet; waiting for them" in caplog.text) is said


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
    flow = _Flow(client, deque(tasks), TaskLimits(), send_data=False)
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
