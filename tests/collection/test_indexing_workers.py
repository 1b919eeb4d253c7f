"""Where documents are analysed: workers that end, and clusters without the right Rankwise."""

from __future__ import annotations

import os
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise import __version__
from rankwise.cluster import NoWorkers
from rankwise.collection.index.indexing import IndexingWorkers, _wait_for_one
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

    def __init__(self, versions: dict[str, object], version: object = __version__) -> None:
        self.versions, self.version = versions, version
        self.scheduler = SimpleNamespace(address="tcp://head:8786")
        self.waited, self.asked = 0, 0

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.versions if self.waited or self.versions else {}, 1)

    def wait_for_workers(self, n_workers: int, timeout: float) -> None:
        self.waited += n_workers
        self.versions["tcp://late"] = __version__

    def run(self, ask: Any, name: str, workers: list[str], on_error: str) -> dict[str, object]:
        assert ask(name) == __version__ and on_error == "return"
        self.asked += len(workers)
        return {worker: self.versions[worker] for worker in workers}

    def run_on_scheduler(self, ask: Any, name: str) -> object:
        if isinstance(self.version, Exception):
            raise self.version
        return self.version

    def get_executor(self) -> object:
        return SimpleNamespace()

    def close(self) -> None: ...


def connected(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, wait: float | None = None
) -> IndexingWorkers:
    monkeypatch.setattr(distributed, "Client", lambda address, **options: cluster)
    return IndexingWorkers(dask="tcp://head:8786", wait=wait)


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


def test_a_cluster_without_workers_ends_the_build_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        pytest.raises(NoWorkers, match="must have workers, found none in 0 seconds; start some"),
        connected(Cluster({}), monkeypatch, wait=0).executor() as (_, room),
    ):
        room()


def test_batches_on_a_cluster_that_lost_its_last_worker_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster({"tcp://a": __version__})
    batch: Future[str] = Future()
    with (
        pytest.raises(NoWorkers, match="must have workers, found none"),
        connected(cluster, monkeypatch, wait=0).executor() as (_, room),
    ):
        assert room() == 2
        del cluster.versions["tcp://a"]
        _wait_for_one({batch}, room)


def test_a_time_to_wait_is_for_a_cluster() -> None:
    with pytest.raises(RankwiseError, match="for a Dask cluster, found none; name dask"):
        IndexingWorkers(2, wait="10m")
    with pytest.raises(RankwiseError, match="a time must be written as"):
        IndexingWorkers(dask="tcp://head:8786", wait="soon")


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
