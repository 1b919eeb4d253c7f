"""Tasks that are spread over a whole cluster: planned, run, stored and refused as others are."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from rankwise.cluster import NoWorkers, WrongCode
from rankwise.data.folds import find_folds
from rankwise.data.formats.letor_chunks import LetorFile
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import configure
from rankwise.experiments.parameter_search import Selection, TimeIsUp, tune
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running import dask
from rankwise.experiments.running.dask import DaskEngine
from rankwise.experiments.running.engine import ATTEMPTS
from rankwise.experiments.running.local import LocalEngine
from rankwise.experiments.running.shared_data import SharingFailure
from rankwise.experiments.running.task_run import TimeLimit
from rankwise.rankers.distributed import ClusterLost
from rankwise.rankers.ranker import Round
from tests.experiments.running import facts_of, figures, planned, run
from tests.experiments.trial_rankers import OneFeature
from tests.stores import reading

pytest.importorskip("lightgbm", reason="the extra 'trees' is not installed")
distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytest.importorskip("dask.dataframe", reason="the extra 'spread' is not installed")

SMALL = {"rounds": 4, "leaf_documents": 5, "learning_rate": 0.1}
SPREAD = {"name": "lambdamart", "spread": True, "set": SMALL, "grid": {"leaves": [3, 7]}}
HERE = {"name": "lambdamart", "set": SMALL, "grid": {"leaves": [3, 7]}}


HIDDEN: dict[str, ModuleType] = {}


@pytest.fixture(scope="module")
def engine() -> Iterator[DaskEngine]:
    from tests.rankers.local_cluster import local_cluster

    with local_cluster(2) as cluster:
        yield DaskEngine(2, cluster.scheduler_address)


def test_spread_tasks_are_stored_like_others(
    folds: Path, tmp_path: Path, engine: DaskEngine
) -> None:
    plan = planned(folds, SPREAD, {"name": "ridge-regression"}, folds=[1, 2])
    progress = run(plan, tmp_path / "s.sqlite", engine=engine)
    assert (progress.done, progress.failed) == (4, 0)
    for facts in facts_of(tmp_path / "s.sqlite", "lambdamart"):
        assert (facts["workers"], facts["shares"]) == (2, 2)
    measured = {name[0].method for name in figures(tmp_path / "s.sqlite")}
    assert measured == {"lambdamart", "ridge-regression"}
    again = run(plan, tmp_path / "s.sqlite", engine=engine)
    assert again.kept == 4


def test_one_worker_gives_the_figures_of_this_machine(folds: Path, tmp_path: Path) -> None:
    from tests.rankers.local_cluster import local_cluster

    # A thread of this process is enough: what several processes do is tested with the rankers.
    with local_cluster(1, processes=False) as cluster:
        for entry, name in ((HERE, "here.sqlite"), (SPREAD, "there.sqlite")):
            engine = DaskEngine(1, cluster.scheduler_address)
            run(planned(folds, entry, folds=[1]), tmp_path / name, engine=engine)
    (facts,) = facts_of(tmp_path / "there.sqlite", "lambdamart")
    assert (facts["workers"], facts["shares"]) == (1, 1)
    assert figures(tmp_path / "here.sqlite") == figures(tmp_path / "there.sqlite") != {}


def test_spread_is_part_of_the_key_and_only_where_it_is_true(folds: Path) -> None:
    here, there = (planned(folds, one, folds=[1]).tasks[0] for one in (HERE, SPREAD))
    assert here.key != there.key
    assert there.inputs == {**here.inputs, "spread": True}
    assert planned(folds, {**HERE, "spread": False}, folds=[1]).tasks[0].key == here.key


def test_the_engine_of_this_machine_refuses_before_anything_runs(
    folds: Path, tmp_path: Path
) -> None:
    plan = planned(folds, {"name": "ridge-regression"}, SPREAD, folds=[1])
    store = tmp_path / "s.sqlite"
    with pytest.raises(RankwiseError, match=r"spread = true needs a cluster.*choose engine='dask'"):
        run(plan, store, engine=LocalEngine(1, tmp_path / "folds"))
    assert reading(store).tasks() == []


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"name": "ranksvm", "spread": True}, "ranksvm cannot be trained over a cluster, only lam"),
        ({"name": "all", "spread": True}, "cannot be trained over a cluster, only lambdamart can"),
        ({"name": "lambdamart", "spread": 2}, "spread must be true or false, found 2"),
        ({"name": "lambdamart", "spred": True}, "did you mean 'spread'"),
    ],
)
def test_wrong_entries_are_refused(entry: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        configure({"rankers": [entry]})


def test_data_that_cannot_be_shared_fail_with_their_reason(
    folds: Path, tmp_path: Path, engine: DaskEngine
) -> None:
    shutil.copytree(folds, tmp_path / "data")
    train = find_folds(tmp_path / "data")[0].train
    train.with_suffix(".txt.gz").write_bytes(gzip.compress(train.read_bytes()))
    train.unlink()
    run(planned(tmp_path / "data", SPREAD, folds=[1]), tmp_path / "s.sqlite", engine=engine)
    (found,) = reading(tmp_path / "s.sqlite").tasks()
    assert found.kind == "data"
    assert "decompress it first" in found.reason


def test_the_coordinator_reads_no_training_file(
    folds: Path, tmp_path: Path, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = LetorFile.parse

    def noted(self: LetorFile, *arguments: Any) -> Any:
        parsed.append(Path(self.source.path).name)
        return parse(self, *arguments)

    # The workers are other processes, which this does not reach.
    monkeypatch.setattr(LetorFile, "parse", noted)
    progress = run(planned(folds, SPREAD, folds=[1]), tmp_path / "s.sqlite", engine=engine)
    files = find_folds(folds)[0]
    assert progress.done == 1
    # Once for queries that the parts share, and once for the task.
    validation, test = files.validation.name, files.test.name
    assert parsed == [test, validation, validation, test]


def test_workers_with_other_code_are_refused(folds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def run(self, *arguments: Any, **options: Any) -> dict[str, str]:
            return {"tcp://a:1": "another code"}

        def nthreads(self) -> dict[str, int]:
            return {"tcp://a:1": 1}

    task = planned(folds, SPREAD, folds=[1]).tasks[0]
    with pytest.raises(WrongCode, match="found: another code at tcp://a:1"):
        next(dask.run_spread_task(task, Client(), None, 0.0))


def test_workers_without_rankwise_are_a_sentence(
    folds: Path, tmp_path: Path, engine: DaskEngine
) -> None:
    with _hidden_rankwise(engine):
        # Whole tasks, too: a worker would die of them again and again.
        for entry in (SPREAD, {"name": "ridge-regression"}):
            with pytest.raises(WrongCode, match=r"have Rankwise .*No module.*tcp://.*install"):
                run(planned(folds, entry, folds=[1]), tmp_path / "s.sqlite", engine=engine)
    assert reading(tmp_path / "s.sqlite").tasks() == []


def test_data_that_have_changed_since_the_plan_end_the_run(
    folds: Path, tmp_path: Path, engine: DaskEngine
) -> None:
    shutil.copytree(folds, tmp_path / "data")
    files = find_folds(tmp_path / "data")[0]
    for path in (files.train, files.test):
        plan = planned(tmp_path / "data", SPREAD, folds=[1])
        path.write_text(path.read_text().replace("\n0 ", "\n2 "))
        with pytest.raises(SharingFailure, match="files of fold 1 have changed"):
            run(plan, tmp_path / "s.sqlite", engine=engine)
    assert reading(tmp_path / "s.sqlite").tasks() == []


def test_a_cluster_without_workers_ends_the_run_and_fails_no_task(
    folds: Path, tmp_path: Path
) -> None:
    from tests.rankers.local_cluster import local_cluster

    with local_cluster(0) as cluster:
        engine = DaskEngine(1, cluster.scheduler_address, wait=0.0)
        with pytest.raises(NoWorkers, match="must have workers, found none in 0 seconds; start"):
            run(planned(folds, SPREAD, folds=[1, 2]), tmp_path / "s.sqlite", engine=engine)
    assert reading(tmp_path / "s.sqlite").tasks() == []


@pytest.mark.parametrize("end", [TimeIsUp("late"), ClusterLost("gone")])
def test_what_ends_a_task_is_not_passed_over_as_one_combination(
    folds: Path, monkeypatch: pytest.MonkeyPatch, end: Exception
) -> None:
    data = read(find_folds(folds)[0].validation)
    fitted = OneFeature.fit

    def fit(self: OneFeature, *arguments: Any, **options: Any) -> Any:
        if self.feature == 1:
            raise end
        return fitted(self, *arguments, **options)

    monkeypatch.setattr(OneFeature, "fit", fit)
    with pytest.raises(type(end)):
        tune(
            OneFeature, [{"feature": 0}, {"feature": 1}], data, data, Selection("MAP", "definition")
        )


def test_a_task_that_always_loses_a_worker_is_killed_and_the_next_one_runs(
    folds: Path, tmp_path: Path, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def lose_often(*arguments: Any, **options: Any) -> Any:
        begun.append(1)
        if len(begun) <= ATTEMPTS:
            raise ClusterLost("a worker is gone")
        return tune(*arguments, **options)

    monkeypatch.setattr("rankwise.experiments.running.task_run.tune", lose_often)
    plan = planned(folds, SPREAD, folds=[1, 2])
    progress = run(plan, tmp_path / "s.sqlite", engine=engine)
    assert (progress.lost_workers, progress.begun_again.total()) == (ATTEMPTS, ATTEMPTS - 1)
    found = {(task.ending, task.kind) for task in reading(tmp_path / "s.sqlite").tasks()}
    assert found == {("done", None), ("failed", "killed")}
    assert len(begun) == ATTEMPTS + 1


def test_a_task_without_workers_to_begin_again_on_is_stored_as_killed(
    folds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*arguments: Any, **options: Any) -> Any:
        raise ClusterLost("the last worker is gone")

    class Client:
        there: ClassVar[list[int]] = [1, 1]
        scheduler: ClassVar[Any] = SimpleNamespace(address="tcp://head:8786")

        def run(self, *arguments: Any, **options: Any) -> dict[str, str]:
            return {}

        def nthreads(self) -> dict[str, int]:
            return {"tcp://a:1": 1} if self.there and self.there.pop() else {}

    monkeypatch.setattr(dask, "_open_parts", lose)
    monkeypatch.setattr(dask, "await_return", lambda client, count: None)
    task = planned(folds, SPREAD, folds=[1]).tasks[0]
    begun, ended = dask.run_spread_task(task, Client(), None, 0.0)
    assert (begun.outcome, ended.lost) == (None, 1)
    assert ended.outcome is not None and ended.outcome.kind == "killed"


@pytest.mark.parametrize("place", ["read", "run_task"])
def test_ctrl_c_ends_the_run_and_is_no_failure_of_the_task(
    folds: Path, tmp_path: Path, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def press(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    if place == "read":
        monkeypatch.setattr(dask, "read", press)
    else:
        monkeypatch.setattr("rankwise.experiments.running.task_run.tune", press)
    with pytest.raises(KeyboardInterrupt):
        run(planned(folds, SPREAD, folds=[1]), tmp_path / "s.sqlite", engine=engine)
    assert reading(tmp_path / "s.sqlite").tasks() == []


def test_a_time_limit_is_kept_between_ticks() -> None:
    with pytest.raises(TimeIsUp, match="longer than"):
        TimeLimit(1e-9).watch(Round(0, 1))
    assert TimeLimit(None).watch(Round(0, 1)) is TimeLimit(60.0).watch(Round(0, 1)) is False


# The last two end workers, whose successors would have all to load again.
def test_a_task_that_lost_a_worker_begins_again(
    folds: Path, tmp_path: Path, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long a busy machine takes to start the worker anew, it is waited for.
    monkeypatch.setattr("rankwise.cluster._RETURN_SECONDS", 600.0)
    plan = planned(folds, SPREAD, folds=[1])
    run(plan, tmp_path / "undisturbed.sqlite", engine=engine)
    with distributed.Client(engine.scheduler, set_as_default=False) as client:
        victims = list(client.run(os.getpid).values())[:1]

    def tune_after_a_kill(*arguments: Any, **options: Any) -> Any:
        while victims:
            os.kill(victims.pop(), signal.SIGKILL)
        return tune(*arguments, **options)

    monkeypatch.setattr("rankwise.experiments.running.task_run.tune", tune_after_a_kill)
    progress = run(plan, tmp_path / "s.sqlite", engine=engine)
    assert (progress.done, progress.failed, victims) == (1, 0, [])
    assert (progress.lost_workers, progress.begun_again.total()) == (1, 1)
    assert facts_of(tmp_path / "s.sqlite", "lambdamart")[0]["begun_again"] == 1
    assert figures(tmp_path / "s.sqlite") == figures(tmp_path / "undisturbed.sqlite") != {}


def test_a_task_that_takes_too_long_is_ended_with_the_reason(
    folds: Path, tmp_path: Path, engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A million rounds end in no patience.
    monkeypatch.setattr("rankwise.rankers.trees.lightgbm_dask._PATIENCE_SECONDS", 0.0)
    long = planned(folds, {**SPREAD, "set": {**SMALL, "rounds": 10**6}}, folds=[1])
    run(long, tmp_path / "s.sqlite", engine=engine, limits=TaskLimits(seconds=0.1))
    (found,) = reading(tmp_path / "s.sqlite").tasks()
    assert (found.kind, found.reason) == ("time", "it took longer than 0.1 seconds")


@contextlib.contextmanager
def _hidden_rankwise(engine: DaskEngine) -> Iterator[None]:
    with distributed.Client(engine.scheduler, set_as_default=False) as client:
        client.run(_hide_rankwise)
        try:
            yield
        finally:
            client.run(_show_rankwise)


def _hide_rankwise() -> None:
    """Let a worker be one that has no Rankwise."""
    import sys

    for name in [one for one in sys.modules if one.partition(".")[0] == "rankwise"]:
        HIDDEN[name] = sys.modules.pop(name)
    sys.modules["rankwise"] = None  # type: ignore[assignment]


def _show_rankwise() -> None:
    import sys

    sys.modules.update(HIDDEN)
