"""Figures of a method come from one generation: the code and parameters asked for last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.stores import reading

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "mine", "mine", 0, "letor3")
FAILURE = TaskOutcome.failure("error", "no")


def done(mean: float) -> TaskOutcome:
    return TaskOutcome(
        "done", facts={"rounds": 3}, values=(StoredValue("test", "letor3", "MAP", mean),)
    )


def inputs(fold: int, code: str, seed: int = 0, data: str = "d") -> dict[str, Any]:
    return {"fold": fold, "code": code, "seed": seed, "data": {"train": f"{data}{fold}"},
            "combinations": [{"rate": float("inf")}]}  # fmt: skip


def add(
    store: Store, fold: int, code: str, outcome: TaskOutcome, seed: int = 0, data: str = ""
) -> str:
    name = replace(NAME, fold=fold, seed=seed)
    key = f"{code}{fold}{seed}{data}"
    store.add(key, name, inputs(fold, code, seed, data), outcome)
    return key


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Five folds of old code, then two of new code, of which one failed."""
    found = tmp_path / "s.sqlite"
    with Store.open(found) as store:
        for fold in range(1, 6):
            add(store, fold, "old", done(0.1 * fold))
        add(store, 1, "new", done(0.9))
        add(store, 2, "new", FAILURE)
    return found


def test_means_are_never_over_folds_of_old_and_new_code(path: Path) -> None:
    assert [(mean.name.fold, mean.value) for mean in reading(path).values()] == [(1, 0.9)]
    assert reading(path).table().aggregate_folds().value.tolist() == [0.9]
    assert [(task.name.fold, task.ending) for task in reading(path).tasks()] == [
        (1, "done"), (2, "failed")]  # fmt: skip
    (sentence,) = reading(path).explain_left_out()
    assert sentence.startswith("mine on OHSUMED: left aside 4 folds (2, 3, 4, 5) of other code")


def test_what_has_not_been_run_again_is_not_superseded(path: Path) -> None:
    with Store.open(path) as store:
        assert store.garbage() == ["old10"]


def test_older_code_counts_again_when_a_plan_asks_for_it(path: Path) -> None:
    with Store.open(path) as store:
        store.claim({f"old{fold}0": replace(NAME, fold=fold) for fold in range(1, 6)})
    assert [mean.value for mean in reading(path).values()] == [0.1 * fold for fold in range(1, 6)]
    assert reading(path).explain_left_out() == []


def test_other_folds_seeds_and_data_are_no_other_generation(path: Path) -> None:
    with Store.open(path) as store:
        add(store, 3, "new", done(0.5), seed=1)
        add(store, 1, "new", done(0.7), data="changed")
    assert [(mean.name.fold, mean.name.seed, mean.value) for mean in reading(path).values()] == [
        (3, 1, 0.5), (1, 0, 0.7)]  # fmt: skip


def test_methods_on_other_data_of_a_fold_lack_it(path: Path) -> None:
    other = replace(NAME, method="other")
    with Store.open(path) as store:
        for fold in (1, 2):
            store.add(f"o{fold}", replace(other, fold=fold), inputs(fold, "o", data=""), done(0.2))
        changed = replace(other, fold=1)
        store.add("changed", changed, inputs(1, "o", data="changed"), done(0.3))
    found = {(mean.name.method, mean.name.fold): mean.value for mean in reading(path).values()}
    assert found == {("other", 1): 0.3, ("other", 2): 0.2}
    assert any(
        said.startswith("mine on OHSUMED: left aside 5 folds")
        for said in reading(path).explain_left_out()
    )


def test_tasks_stand_in_the_order_of_the_plan_whichever_ends_first(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    names = {method: replace(NAME, method=method) for method in ("b", "a", "c")}
    with Store.open(path) as store:
        turns = store.claim(names)
        for method in ("c", "a", "b"):
            store.add(method, names[method], {}, done(0.5), turn=turns[method])
    assert [mean.name.method for mean in reading(path).values()] == ["b", "a", "c"]


def test_a_task_knows_what_it_depends_on_and_what_its_model_says(path: Path) -> None:
    first = reading(path).tasks()[0]
    found = reading(path).origin(first.number)
    assert found == {"inputs": inputs(1, "new", data=""), "facts": {"rounds": 3}}
