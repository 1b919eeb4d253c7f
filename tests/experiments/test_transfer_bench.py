"""`bench` with a source and a target: its tasks and its choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, read_fold, write_folds
from rankwise.data.joining import concatenate
from rankwise.data.shared_queries import rename_queries
from rankwise.errors import RankwiseError
from rankwise.experiments.running.task_run import run_task
from rankwise.experiments.transfer import shrink
from rankwise.results.store.store import Store
from rankwise.results.task_records import TaskOutcome
from tests.experiments.running import tasks_here

SHARES = (100, 25)


def folds(folder: Path, name: str, parts: Sequence[Dataset]) -> Path:
    named = [rename_queries(part, f"{name}{number}-") for number, part in enumerate(parts)]
    write_folds([Fold(1, *named)], folder / name)
    return folder / name


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("transfer"))


def write_data(folder: Path) -> Path:
    """A source and a target."""
    folds(folder, "big", [planted(20, seed=1), planted(6, seed=2), planted(6, seed=3)])
    folds(folder, "small", [planted(8, seed=4), planted(6, seed=5), planted(9, seed=6)])
    return folder


def content(home: Path, **changed: Any) -> dict[str, Any]:
    transfer = {
        "source": {"path": str(home / "big")},
        "target": {"path": str(home / "small")},
        "ways": ["pooled", "weighted", "fine-tuned"],
        "shares": list(SHARES),
        **changed,
    }
    ridge = {"name": "ridge-regression", "grid": {"regularization": [0.01, 1.0]}}
    return {"name": "mine", "transfer": [transfer], "rankers": [ridge], "measures": ["MAP"]}


def test_every_way_at_every_share_is_a_task(home: Path) -> None:
    plan = rw.plan(content(home)).plan
    assert [task.name.method for task in plan.tasks] == [
        f"ridge-regression, {way}, {share} %"
        for share in SHARES
        for way in ("target only", "pooled with big", "weighted with big", "fine-tuned with big")
    ]
    assert {task.name.dataset for task in plan.tasks} == {"small"}
    assert [task.trainings for task in plan.tasks] == [2, 2, 8, 4] * 2
    assert len({task.key for task in plan.tasks}) == 8


def test_keys_depend_on_the_source(home: Path, tmp_path: Path) -> None:
    keys = [task.key for task in rw.plan(content(home)).plan.tasks]
    other = folds(tmp_path, "big", [planted(20, seed=8), planted(6, seed=2), planted(6, seed=3)])
    changed = rw.plan(content(home, source={"path": str(other)})).plan.tasks
    same = [a == b.key for a, b in zip(keys, changed, strict=True)]
    assert same == [True, False, False, False] * 2


def test_two_sources_of_a_target_share_the_target_alone(home: Path, tmp_path: Path) -> None:
    other = folds(tmp_path, "other", [planted(5, seed=8), planted(6, seed=2), planted(6, seed=3)])
    one = content(home)
    two = content(home, source={"path": str(other)})["transfer"]
    plan = rw.plan({**one, "transfer": [*one["transfer"], *two]}).plan
    assert len(plan.tasks) == 2 * (1 + 3 + 3)


@pytest.fixture(scope="module")
def ran(home: Path) -> rw.BenchRun:
    with tasks_here():
        return rw.bench(content(home), store=home / "store.sqlite", jobs=1)


def test_bench_gives_the_figures_of_its_parts(home: Path, ran: rw.BenchRun) -> None:
    """Each way by hand: parameters, and the model to start from, by MAP on validation."""
    assert (ran.done, ran.failed) == (8, 0)
    (fold,), (source,) = rw.read_folds(home / "small"), rw.read_folds(home / "big")
    train, validation = shrink(fold.train, 25, 0), fold.validation
    assert train.n_queries == 2
    rankers = [rw.make_ranker("ridge-regression", regularization=value) for value in (0.01, 1.0)]

    def figure(model: rw.Model, part: Dataset | None) -> float:
        assert part is not None
        return rw.evaluate(part, model.score(part), ["MAP"])["MAP"].mean

    def best(models: list[rw.Model]) -> rw.Model:
        return max(models, key=lambda model: figure(model, validation))

    start = best([ranker.fit(source.train) for ranker in rankers])
    expected = {
        "target only": best([ranker.fit(train) for ranker in rankers]),
        "pooled with big": best(
            [ranker.fit(concatenate([train, source.train])) for ranker in rankers]
        ),
        "fine-tuned with big": best([ranker.fit(train, start=start) for ranker in rankers]),
    }
    found = {one.name.method: one.value for one in ran.values}
    for way, model in expected.items():
        stored = found[f"ridge-regression, {way}, 25 %"]
        assert stored == pytest.approx(figure(model, fold.test), abs=1e-12)


def test_the_weight_is_chosen_on_validation(ran: rw.BenchRun) -> None:
    with Store.read(ran.store) as store:
        tasks = {task.name.method: task for task in store.tasks()}
        weighted = tasks["ridge-regression, weighted with big, 100 %"]
        tried = store.tried(weighted.number)
        facts = store.origin(weighted.number)["facts"]
    best = max(tried, key=lambda one: one.value or 0.0)
    assert len(tried) == 8
    assert facts["source_weight"] == best.parameters["source_weight"]


def outcomes(asked: dict[str, Any]) -> dict[str, TaskOutcome]:
    """How the tasks end, by method, run here and now."""
    tasks = rw.plan(asked).plan.tasks
    return {task.name.method: run_task(task, lambda one: read_fold(one.files)) for task in tasks}


def test_poisoned_test_labels_change_no_choice(home: Path, tmp_path: Path) -> None:
    (fold,) = rw.read_folds(home / "small")
    poisoned = replace(fold.test, labels=fold.test.labels.max() - fold.test.labels)
    write_folds([Fold(1, fold.train, fold.validation, poisoned)], tmp_path / "small")
    clean = outcomes(content(home))
    found = outcomes(content(home, target={"path": str(tmp_path / "small")}))
    assert {one.ending for one in found.values()} == {"done"}
    for method, one in clean.items():
        assert (found[method].parameters, found[method].facts) == (one.parameters, one.facts)
        assert found[method].values[0].mean != one.values[0].mean


def test_test_queries_in_the_source_are_not_learnt_from(home: Path, tmp_path: Path) -> None:
    """The source holds the whole target too: what is left of it is the source as it was."""
    (small,), (big,) = rw.read_folds(home / "small"), rw.read_folds(home / "big")
    leaking = concatenate([big.train, small.test, small.train])
    write_folds([Fold(1, leaking, big.validation, big.test)], tmp_path / "big")
    asked = {"ways": ["pooled"], "shares": [25]}
    clean = outcomes(content(home, **asked))
    found = outcomes(content(home, source={"path": str(tmp_path / "big")}, **asked))
    method = "ridge-regression, pooled with big, 25 %"
    assert found[method].values[0].mean == clean[method].values[0].mean
    assert found[method].facts["source_queries"] == 20
    (remark,) = found[method].facts["remarks"]
    assert remark.startswith("17 of the 37 queries of the source are queries of the target")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"ways": ["mixed"]}, "a way of transfer must be one of"),
        ({"shares": [0]}, "shares must be above 0 and at most 100 percent, found 0"),
        ({"shares": ["all"]}, "shares must be a number"),
        ({"absent": "guess"}, "absent must be zero or drop"),
        ({"weigths": 3}, "transfer has no entry"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(
    home: Path, changed: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        rw.plan(content(home, **changed))


def test_source_and_target_must_differ_and_be_there(home: Path) -> None:
    with pytest.raises(RankwiseError, match="must differ"):
        rw.plan(content(home, source={"path": str(home / "small")}))
    lacking = content(home)
    del lacking["transfer"][0]["target"]
    with pytest.raises(RankwiseError, match="must have a source and a target, found no target"):
        rw.plan(lacking)


def test_a_ranker_that_cannot_go_a_way_is_refused(home: Path) -> None:
    asked = {**content(home), "rankers": [{"name": "adarank-map"}]}
    with pytest.raises(RankwiseError, match="adarank-map cannot weigh documents"):
        rw.plan(asked)
