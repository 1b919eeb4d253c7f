"""Workers that must stay: what is said of those that are missing, new, or without the packages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.distributed import ClusterLost, SchedulerLost, Workers


class _Scheduler:
    """A client whose scheduler says what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.scheduler = SimpleNamespace(identity=None, address="tcp://head:8786")
        self.answer = answer
        self.answers: dict[str, Any] = {}

    def run(self, function: Any, workers: list[str], on_error: str) -> dict[str, Any]:
        assert (function(), on_error) == (None, "return")
        return {one: self.answers[one] for one in workers}

    def sync(self, function: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"workers": self.answer}


def test_clusters_without_workers_or_scheduler_are_sentences() -> None:
    with pytest.raises(SchedulerLost, match="must have workers, found none; start some: dask work"):
        Workers.of(_Scheduler({}))
    with pytest.raises(SchedulerLost, match="no longer answers"):
        Workers.of(_Scheduler(OSError("gone")))


def test_a_worker_in_the_place_of_another_is_not_it() -> None:
    client = _Scheduler({"tcp://a:1": {"nthreads": 2, "local_directory": "/tmp/worker-x"}})
    workers = Workers.of(client)
    assert workers.lost() == []
    client.answer = {"tcp://a:1": {"nthreads": 2, "local_directory": "/tmp/worker-y"}}
    assert workers.lost() == ["tcp://a:1"]


def test_a_loss_is_known_before_the_scheduler_notices_it() -> None:
    """A worker whose neighbour died may tell of its broken connection first."""
    there = {"nthreads": 2, "local_directory": "/tmp/worker-x"}
    client = _Scheduler({"tcp://a:1": there, "tcp://b:1": there})
    client.answers = {"tcp://a:1": None, "tcp://b:1": None}
    workers = Workers.of(client)
    workers.refuse_loss(ask=True)
    client.answers["tcp://b:1"] = OSError("closed")
    workers.refuse_loss()
    with pytest.raises(ClusterLost, match="found tcp://b:1 gone"):
        workers.refuse_loss(ask=True)


def test_workers_without_the_packages_are_a_sentence() -> None:
    client = _Scheduler({"tcp://a:1": {"nthreads": 2, "local_directory": "/tmp/worker-x"}})

    def result(timeout: float) -> None:
        raise ModuleNotFoundError("No module named 'lightgbm'")

    future = SimpleNamespace(status="error", result=result, key="one")
    with pytest.raises(
        RankwiseError, match=r"found: No module named 'lightgbm'; install it .*lightgbm"
    ):
        Workers.of(client).answers([future], lambda: None)


def test_a_call_that_itself_times_out_is_not_waited_for() -> None:
    client = _Scheduler({"tcp://a:1": {"nthreads": 2, "local_directory": "/tmp/worker-x"}})
    late = TimeoutError("connection timed out")

    def result(timeout: float) -> None:
        raise late

    def tick() -> None:
        raise AssertionError("this waits for a call that has ended")

    future = SimpleNamespace(status="error", result=result, exception=lambda: late, key="one")
    with pytest.raises(RankwiseError, match=r"a worker failed: TimeoutError\('connection timed"):
        Workers.of(client).answers([future], tick)
