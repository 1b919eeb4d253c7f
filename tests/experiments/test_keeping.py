"""Models and scores that an experiment keeps: to the bit, after kills, from any engine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.folds import find_folds
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import configure
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running.runner import find_pending
from tests.experiments.coordinator import coordinated
from tests.experiments.running import HERE, figures, planned, run, run_here, tasks_here
from tests.stores import reading

ROOT = Path(__file__).parents[2]
BOTH = ["models", "scores"]
WHAT = ["model", "test scores", "validation scores"]


def contents(store: Path) -> dict[tuple[str, str], bytes]:
    """Everything that is kept, by the name of the task and what it is."""
    ask = reading(store)
    return {(str(one.name), one.what): ask.read_kept(one.key, one.what) for one in ask.kept()}


@pytest.fixture(scope="module")
def kept(folds: Path, tmp_path_factory: pytest.TempPathFactory) -> rw.BenchRun:
    with tasks_here():
        return rw.bench(
            data=folds, rankers="ridge-regression,rankboost,lambdamart", folds=[1, 2], keep=BOTH,
            measures="MAP,NDCG@5", store=tmp_path_factory.mktemp("kept") / "s.sqlite", jobs=1,
        )  # fmt: skip


def test_kept_scores_have_the_stored_figures(folds: Path, kept: rw.BenchRun) -> None:
    assert [item.what for item in kept.kept] == 6 * WHAT
    values = figures(kept.store)
    compared = 0
    for files in find_folds(folds)[:2]:
        parts: Any = {"test": files.test, "validation": files.validation}
        for task in reading(kept.store).tasks():
            for part, path in parts.items():
                if task.name.fold != files.number:
                    continue
                scores = rw.read_kept_scores(kept.store, task.key, part)
                for measure in ("MAP", "NDCG@5"):
                    mean = rw.evaluate(path, scores, [measure], "definition")[measure].mean
                    assert mean == values[task.name, part, "definition", measure]
                    compared += 1
    assert compared == 24


def test_kept_models_score_to_the_bit(folds: Path, kept: rw.BenchRun) -> None:
    paths = {files.number: files for files in find_folds(folds)}
    for task in reading(kept.store).tasks():
        model = rw.load_kept_model(kept.store, task.key)
        assert (model.ranker, dict(model.parameters)) == (task.name.ranker, dict(task.parameters))
        files = paths[task.name.fold]
        for part, path in (("test", files.test), ("validation", files.validation)):
            assert path is not None
            scores = rw.read_kept_scores(kept.store, task.key, part)  # type: ignore[arg-type]
            assert rw.score(model, path).tobytes() == scores.tobytes()


def test_figures_and_keys_do_not_depend_on_what_is_kept(folds: Path, tmp_path: Path) -> None:
    bare, full = (planned(folds, "OneFeature", folds=[1], **more) for more in ({}, {"keep": BOTH}))
    assert [task.key for task in bare.tasks] == [task.key for task in full.tasks]
    run_here(bare, tmp_path / "bare.sqlite")
    run_here(full, tmp_path / "full.sqlite")
    assert figures(tmp_path / "bare.sqlite") == figures(tmp_path / "full.sqlite") != {}
    assert reading(tmp_path / "bare.sqlite").kept() == []


def test_only_what_is_asked_for_is_kept(folds: Path, tmp_path: Path) -> None:
    run_here(planned(folds, "OneFeature", folds=[1], keep=["models"]), tmp_path / "m.sqlite")
    run_here(planned(folds, "OneFeature", folds=[1], keep=["scores"]), tmp_path / "s.sqlite")
    assert [item.what for item in reading(tmp_path / "m.sqlite").kept()] == WHAT[:1]
    assert [item.what for item in reading(tmp_path / "s.sqlite").kept()] == WHAT[1:]
    key = reading(tmp_path / "s.sqlite").tasks()[0].key
    with pytest.raises(RankwiseError, match=r"keep the model of one-feature on .*, found test"):
        rw.load_kept_model(tmp_path / "s.sqlite", key)


@tasks_here()
def test_done_tasks_are_run_again_for_what_is_now_asked_for(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    what: Any = {"data": folds, "rankers": f"{HERE}:OneFeature"}
    rw.bench(folds=[1], store=store, jobs=1, **what)
    before = figures(store)
    planned_again = rw.plan(folds=[1, 2], keep=BOTH, **what)
    facts = rw.foresee(planned_again, store, jobs=1)
    assert (facts.done, facts.to_do, facts.again) == (0, 2, 1)
    first = rw.bench(planned_again, store=store, jobs=1)
    assert (first.done, first.failed, len(first.kept)) == (2, 0, 6)
    assert before.items() <= figures(store).items()
    finished = [task.finished for task in reading(store).tasks()]
    # All is there now, and asking for less runs nothing either.
    for less in (BOTH, ["models"], ()):
        rw.bench(folds=[1, 2], keep=less, store=store, jobs=1, **what)
    assert [task.finished for task in reading(store).tasks()] == finished
    assert len(reading(store).kept()) == 6


def test_a_task_that_fails_when_run_again_keeps_its_figures(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    waits = {"sign": str(tmp_path / "sign"), "go": str(tmp_path / "go"), "feature": 0}
    slow = {"name": f"{HERE}:Patient", "set": waits}
    (tmp_path / "go").touch()
    run_here(planned(folds, slow, folds=[1]), store)
    before = figures(store)
    (tmp_path / "go").unlink()
    again = planned(folds, slow, folds=[1], keep=BOTH)
    progress = run(again, store, limits=TaskLimits(seconds=0.01))
    assert (progress.done, progress.failed) == (0, 1)
    assert list(progress.unkept.values()) == ["it took longer than 0.01 seconds"]
    assert figures(store) == before != {}
    left = find_pending(again, reading(store).endings(), reading(store).kept())
    assert [task.key for task in left.tasks] == [again.tasks[0].key] == list(left.again)


def test_a_model_that_cannot_be_kept_fails_its_task(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run_here(planned(folds, "Unkeepable", folds=[1], keep=["models"]), store)
    (task,) = reading(store).tasks()
    assert task.ending == "failed"
    assert "its model cannot be kept (a model must consist of finite numbers" in str(task.reason)
    run_here(planned(folds, "Unkeepable", folds=[1], keep=["scores"]), store, retry=True)
    assert [item.what for item in reading(store).kept()] == WHAT[1:]


def test_a_killed_run_has_every_done_task_with_what_is_kept(folds: Path, tmp_path: Path) -> None:
    calm, disturbed = tmp_path / "calm.sqlite", tmp_path / "disturbed.sqlite"
    plan = coordinated(folds, 1, keep=BOTH)
    run_here(plan, calm)
    # It stays before its last task, so that there is always something to kill.
    words = [folds, disturbed, 1, 1, 0.0, 1, ",".join(BOTH)]
    command = [sys.executable, "-m", "tests.experiments.coordinator", *map(str, words)]
    process = subprocess.Popen(command, cwd=ROOT)
    while not _count_stored(disturbed) and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.wait()
    keys = {task.key for task in reading(disturbed).tasks()}
    assert 0 < len(keys) < 5
    by_task = {key: [k.what for k in reading(disturbed).kept() if k.key == key] for key in keys}
    assert by_task == dict.fromkeys(keys, WHAT)
    assert run(plan, disturbed).kept == len(keys)
    assert contents(disturbed) == contents(calm)
    assert len(reading(disturbed).kept()) == 15


def _count_stored(store: Path) -> int:
    try:
        return len(reading(store).tasks())
    except RankwiseError:
        return 0


def test_workers_of_a_cluster_send_what_is_kept(folds: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    from rankwise.experiments.running.dask import DaskEngine
    from tests.rankers.local_cluster import local_cluster

    plan = planned(folds, {"name": "ridge-regression"}, folds=[1, 2], keep=BOTH)
    run_here(plan, tmp_path / "local.sqlite")
    # A thread of this process is enough: what it sends goes through a socket.
    with local_cluster(1, processes=False) as cluster:
        engine = DaskEngine(1, cluster.scheduler_address, send_data=True)
        run(plan, tmp_path / "dask.sqlite", engine=engine)
    assert contents(tmp_path / "dask.sqlite") == contents(tmp_path / "local.sqlite")
    assert len(contents(tmp_path / "dask.sqlite")) == 6


@tasks_here()
def test_scores_of_a_method_known_by_them_are_kept(folds: Path, tmp_path: Path) -> None:
    store, test = tmp_path / "s.sqlite", find_folds(folds)[0].test
    scores = np.linspace(0.0, 1.0 / 3.0, rw.read(test).n_documents)
    rw.data.write_scores(scores, tmp_path / "fold1.scores")
    what: Any = {
        "data": folds, "rankers": f"{HERE}:OneFeature", "folds": [1], "store": store, "jobs": 1,
        "scored": {"mine": str(tmp_path / "fold{fold}.scores")},
    }  # fmt: skip
    assert rw.bench(**what).kept == ()
    run = rw.bench(keep="scores", **what)
    (item,) = (item for item in run.kept if item.name.method == "mine")
    assert item.what == "test scores"
    assert rw.read_kept_scores(store, item.key).tobytes() == scores.tobytes()


def test_a_bundle_has_the_models_that_are_kept(kept: rw.BenchRun, tmp_path: Path) -> None:
    made = rw.write_bundle(kept.store, "ridge-regression", tmp_path / "a.zip")
    assert [name for name in made.files if name.startswith("models/")] == [
        "models/1-fold1.json",
        "models/2-fold2.json",
    ]


@pytest.mark.parametrize("wrong", [["pickles"], "models", [["models"]], 7])
def test_what_cannot_be_kept_is_refused(wrong: Any) -> None:
    with pytest.raises(RankwiseError, match="what is kept must be among models and scores, found"):
        configure({"keep": wrong})
