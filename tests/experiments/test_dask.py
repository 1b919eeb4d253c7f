from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.experiments.engines.dask import DaskEngine, run_on_worker
from rankwise.experiments.limits import Limits
from rankwise.experiments.shared_data import SharingFailure
from rankwise.results.store_reading import stored_tasks
from tests.experiments.running import HERE, choices, figures, planned, run

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")


def test_a_cluster_of_two_workers_gives_the_figures_of_this_machine(
    folds: Path, tmp_path: Path
) -> None:
    rankers = [{"name": name} for name in ("ridge-regression", "rankboost")]
    plan = planned(folds, *rankers, "Faulty", folds=[1, 2])
    run(plan, tmp_path / "local.sqlite", jobs=2)
    engine = DaskEngine(2, send_data=True)
    standing = run(plan, tmp_path / "dask.sqlite", engine=engine)
    assert (standing.done, standing.failed) == (4, 2)
    assert figures(tmp_path / "local.sqlite") == figures(tmp_path / "dask.sqlite") != {}
    assert choices(tmp_path / "local.sqlite") == choices(tmp_path / "dask.sqlite")


@pytest.mark.slow
def test_a_killed_dask_worker_loses_nothing(folds: Path, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    mortal = {"name": f"{HERE}:Mortal", "set": {"deaths": 1, "counter": str(counter)}}
    slow = {"name": f"{HERE}:OneFeature", "set": {"pause": 30.0, "feature": 0}}
    plan = planned(folds, mortal, slow, folds=[1])
    engine = DaskEngine(2)
    run(plan, tmp_path / "s.sqlite", engine=engine, limits=Limits(seconds=5.0))
    found = {task.name.method: task for task in stored_tasks(tmp_path / "s.sqlite")}
    assert counter.read_text() == "x"
    assert found["mortal"].ending == "done"
    assert found["one-feature"].kind == "time"


def test_workers_with_other_code_are_refused(folds: Path) -> None:
    task = planned(folds, "OneFeature", folds=[1]).tasks[0]
    with pytest.raises(SharingFailure, match="must have the Rankwise of the coordinator"):
        run_on_worker(task, None, None, "another code")


def test_a_scheduler_that_does_not_answer_is_a_sentence(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.experiments.engines.dask._CONNECT_SECONDS", 1)
    engine = DaskEngine(1, "tcp://127.0.0.1:9")
    with pytest.raises(RankwiseError, match="must be a Dask scheduler at"):
        run(planned(folds, "OneFeature", folds=[1]), tmp_path / "s.sqlite", engine=engine)
