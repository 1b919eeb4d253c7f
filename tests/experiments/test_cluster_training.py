"""`fit_on_cluster`: a lost worker has training begin again, but not for ever; none is no model."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.checks.made import planted
from rankwise.cluster import NoWorkers
from rankwise.data.reading import read, write
from rankwise.experiments import fit_on_cluster, fitting
from rankwise.experiments.resources import ATTEMPTS
from rankwise.models.model import Model
from rankwise.rankers.distributed import ClusterLost, SchedulerLost
from rankwise.rankers.trees.lambdamart import LambdaMART

pytest.importorskip("lightgbm", reason="the extra 'trees' is not installed")
distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytest.importorskip("dask.dataframe", reason="the extra 'spread' is not installed")

SMALL = LambdaMART(rounds=6, leaf_documents=5, leaves=7, measure="NDCG@5", lambdas="lightgbm")


def test_training_that_lost_a_worker_begins_again_and_gives_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tests.rankers.local_cluster import local_cluster

    write(planted(), tmp_path / "train.txt")
    # However long a busy machine takes to start the worker anew, it is waited for.
    monkeypatch.setattr("rankwise.cluster._RETURN_SECONDS", 600.0)
    with local_cluster(2) as cluster:
        address = cluster.scheduler_address
        undisturbed = fit_on_cluster(SMALL, tmp_path / "train.txt", scheduler=address)
        with distributed.Client(cluster, set_as_default=False) as client:
            victims = list(client.run(os.getpid).values())[:1]
        fitted = LambdaMART.fit_on_cluster

        def fit_after_a_kill(self: LambdaMART, *arguments: Any, **options: Any) -> Model:
            while victims:
                os.kill(victims.pop(), signal.SIGKILL)
            return fitted(self, *arguments, **options)

        monkeypatch.setattr(LambdaMART, "fit_on_cluster", fit_after_a_kill)
        model = fit_on_cluster(SMALL, tmp_path / "train.txt", scheduler=address)
    data = read(tmp_path / "train.txt")
    assert victims == []
    assert model.facts == {**undisturbed.facts, "begun_again": 1}
    assert model.facts["workers"] == 2
    assert model.score(data).tobytes() == undisturbed.score(data).tobytes()
    assert "gone (ended, or out of memory); training begins again" in caplog.text


def test_a_cluster_without_workers_is_refused_after_the_wait(tmp_path: Path) -> None:
    from tests.rankers.local_cluster import local_cluster

    write(planted(), tmp_path / "train.txt")
    with (
        local_cluster(0, processes=False) as cluster,
        pytest.raises(NoWorkers, match="must have workers, found none in 0 seconds; start some"),
    ):
        fit_on_cluster(SMALL, tmp_path / "train.txt", scheduler=cluster.scheduler_address, wait=0)


class Steady:
    """A client whose workers are always there."""

    scheduler = SimpleNamespace(address="tcp://head:8786")

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a:1": 1, "tcp://b:1": 1}

    def wait_for_workers(self, count: int, timeout: float) -> None:
        assert count == 2


@pytest.mark.parametrize("losses", range(ATTEMPTS + 1))
def test_training_begins_as_often_as_a_task_does(
    losses: int, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[int] = []
    made = LambdaMART(rounds=1).fit(planted())

    def learn() -> Model:
        begun.append(1)
        if len(begun) <= losses:
            raise ClusterLost("a worker is gone")
        return made

    with caplog.at_level(logging.WARNING):
        if losses < ATTEMPTS:
            model = fitting._begin_again(learn, Steady(), 0.0, lambda: None)
            assert model.facts.get("begun_again", 0) == losses
        else:
            with pytest.raises(ClusterLost, match=f"is gone; training began {ATTEMPTS} times"):
                fitting._begin_again(learn, Steady(), 0.0, lambda: None)
    assert len(begun) == min(losses + 1, ATTEMPTS)
    assert caplog.text.count("a worker is gone; training begins again") == min(losses, ATTEMPTS - 1)


def test_without_a_scheduler_nothing_begins_again() -> None:
    begun: list[int] = []

    def learn() -> Model:
        begun.append(1)
        raise SchedulerLost("it no longer answers")

    with pytest.raises(SchedulerLost):
        fitting._begin_again(learn, Steady(), 0.0, lambda: None)
    assert len(begun) == 1
