"""Where documents are analysed: workers that end, and clusters without the right Rankwise."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise import __version__
from rankwise.collection.index import IndexingWorkers
from rankwise.errors import RankwiseError

distributed = pytest.importorskip("distributed")


def test_a_worker_process_that_is_killed_is_a_sentence() -> None:
    with (
        pytest.raises(RankwiseError, match=r"ended before its time .* fewer jobs"),
        IndexingWorkers(2).executor() as (executor, _),
    ):
        assert executor is not None
        executor.submit(os._exit, 9).result()


class Cluster:
    """Answers as a Dask client does; `versions` are those of the workers."""

    def __init__(self, versions: dict[str, object], scheduler: object = __version__) -> None:
        self.versions, self.scheduler = versions, scheduler
        self.waited, self.asked = 0, 0

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.versions if self.waited or self.versions else {}, 1)

    def wait_for_workers(self, n_workers: int) -> None:
        self.waited += n_workers
        self.versions["tcp://late"] = __version__

    def run(self, ask: Any, name: str, workers: list[str], on_error: str) -> dict[str, object]:
        assert ask(name) == __version__ and on_error == "return"
        self.asked += len(workers)
        return {worker: self.versions[worker] for worker in workers}

    def run_on_scheduler(self, ask: Any, name: str) -> object:
        if isinstance(self.scheduler, Exception):
            raise self.scheduler
        return self.scheduler

    def get_executor(self) -> object:
        return SimpleNamespace()

    def close(self) -> None: ...


def connected(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> IndexingWorkers:
    monkeypatch.setattr(distributed, "Client", lambda address, **options: cluster)
    return IndexingWorkers(dask="tcp://head:8786")


MISSING = ModuleNotFoundError("No module named 'rankwise'")


@pytest.mark.parametrize(
    ("cluster", "found"),
    [
        (Cluster({"tcp://a": __version__, "tcp://b": MISSING}), "No module .* at tcp://b"),
        (Cluster({"tcp://a": "0.0.1"}), r"found: 0\.0\.1 at tcp://a"),
        (Cluster({"tcp://a": __version__}, MISSING), "No module named 'rankwise'"),
        (Cluster({"tcp://a": __version__}, "0.0.1"), r"found: 0\.0\.1 at the scheduler"),
    ],
)
def test_a_cluster_with_another_rankwise_is_a_sentence(
    cluster: Cluster, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = connected(cluster, monkeypatch)
    with (
        pytest.raises(RankwiseError, match=f"must have Rankwise .*{found}.*; install the same"),
        engine.executor() as (_, room),
    ):
        room()


def test_workers_are_waited_for_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster({})
    with connected(cluster, monkeypatch).executor() as (_, room):
        assert [room(), room()] == [2, 2]
        assert (cluster.waited, cluster.asked) == (1, 1)
        cluster.versions |= {"tcp://b": __version__, "tcp://gone": OSError("closed")}
        assert room() == 6 and cluster.asked == 3


@pytest.mark.parametrize("kind", ["killed", "import"])
def test_what_a_cluster_dies_of_is_a_sentence(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = distributed.KilledWorker("batch", SimpleNamespace(address="tcp://a"), 3)
    error, sentence = {
        "killed": (lost, "the same command goes on where this one stopped"),
        "import": (MISSING, "must have Rankwise"),
    }[kind]
    engine = connected(Cluster({"tcp://a": __version__}), monkeypatch)
    with pytest.raises(RankwiseError, match=sentence), engine.executor():
        raise error
