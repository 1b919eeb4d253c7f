"""Data sets without a validation part: parameters are chosen by the training queries themselves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.cli.comparison.result_commands import show
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.experiments.parameter_search import cross_validation
from rankwise.results.store.store import Store
from tests.cli.command import run as run_command
from tests.experiments.running import HERE, tasks_here

ASKED = {"measures": ["MAP", "NDCG@10"], "folds": [1, 2, 3, 4, 5]}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five folds of OHSUMED's name, without validation parts."""
    folder = tmp_path_factory.mktemp("data") / "OHSUMED"
    write_folds(compose_folds(cut_into_parts(planted(25, 8, seed=4))), folder)
    for part in folder.glob("Fold*/vali.txt"):
        part.unlink()
    return folder


@pytest.fixture(scope="module")
def benched(bare: Path) -> Iterator[rw.BenchRun]:
    entry = {"path": str(bare), "collection": "LETOR 3.0", "dataset": "OHSUMED", "tool": "letor3"}
    rankers = [{"name": f"{HERE}:OneFeature", "label": "one feature"},
               {"name": "ridge-regression"},
               {"name": "linear-regression"}]  # fmt: skip
    with tasks_here():
        yield rw.bench({"data": [entry], "rankers": rankers, **ASKED}, store=bare / "s.sqlite")


def test_bench_chooses_by_cross_validation_and_says_so(bare: Path, benched: rw.BenchRun) -> None:
    """The figure of each combination is the mean over five parts of the fold's training queries."""
    assert (benched.done, benched.failed) == (15, 0)
    chosen, alone = benched.choosers()[:2]
    assert chosen == (
        "without a validation part MAP by the tool letor3 chose by cross-validation over 5 parts "
        "of the training queries for one feature, ridge-regression"
    )
    assert alone == (
        "without a validation part, and with one combination of parameters, nothing chose for "
        "linear-regression"
    )
    train = rw.read(bare / "Fold1/train.txt")
    with Store.read(benched.store) as store:
        first = next(task for task in store.tasks() if task.name.method == "one feature")
        tried = store.tried(first.number)
    expected = [
        [
            rw.evaluate(part, part.features[:, feature], ["MAP"], "letor3")["MAP"].mean
            for _, part in cross_validation(train)
        ]
        for feature in range(4)
    ]
    assert [one.value for one in tried] == pytest.approx([sum(row) / 5 for row in expected])
    assert first.parameters["feature"] == max(range(4), key=lambda one: sum(expected[one]))


def test_what_has_no_validation_part_is_placed(benched: rw.BenchRun) -> None:
    placed = rw.place(benched.store, "tax2015_results", methods="ridge-regression")
    assert {one.method for one in placed} == {"ridge-regression"}
    assert all(one.place is not None for one in placed)


def test_letor_2_is_judged_and_placed_by_its_own_tool(bare: Path, tmp_path: Path) -> None:
    """The script of LETOR 3.0, by which its published NDCG was computed."""
    folder = tmp_path / "letor2/OHSUMED"
    shutil.copytree(bare, folder, ignore=shutil.ignore_patterns("*.sqlite"))
    store = tmp_path / "s.sqlite"
    rw.bench(data=folder, rankers="linear-regression", store=store, jobs=1, **ASKED)
    with Store.read(store) as opened:
        assert {(one.name.collection, one.name.tool) for one in opened.values()} == {
            ("LETOR 2.0", "letor3")
        }
    table = rw.place(store, "tax2015_results").comparison.table
    assert {*table.where(method="linear-regression").measure} == {"MAP", "NDCG@10"}


def test_the_training_queries_decide_alone(bare: Path, tmp_path: Path) -> None:
    """Other test parts change neither the choice nor the figures that it was made by."""
    other = tmp_path / "OHSUMED"
    shutil.copytree(bare, other)
    for number in range(1, 6):
        strange = planted(5, 8, seed=99 + number)
        named = strange.query_of_rows + 1000 * number
        rw.write(rw.Dataset.from_arrays(strange.features, strange.labels, named),
                 other / f"Fold{number}/test.txt")  # fmt: skip
    found = []
    with tasks_here():
        for folder in (bare, other):
            store = tmp_path / f"{len(found)}.sqlite"
            rw.bench(data=folder, rankers=f"{HERE}:OneFeature", store=store, **ASKED)
            with Store.read(store) as opened:
                found.append([opened.tried(task.number) for task in opened.tasks()])
    values = [[[one.value for one in task] for task in tasks] for tasks in found]
    assert values[0] == values[1]


def test_tune_cuts_the_training_queries_where_nothing_else_is_given() -> None:
    data = planted(20, 8, seed=4)
    found = rw.tune("ridge-regression", data, trials=3)
    assert found.folds == 5
    assert (
        found.as_dict()["trials"][0]["figures"]
        == (rw.tune("ridge-regression", data, trials=3, folds=5).as_dict()["trials"][0]["figures"])
    )
    assert (
        "values are means over 5 parts of the training queries" in found.model.facts["remarks"][0]
    )


def test_tune_says_what_it_chose_by_where_grades_begin_at_1() -> None:
    data, validation = planted(20, 8, seed=4), planted(8, 8, seed=5)
    shifted, judged = (rw.Dataset.from_arrays(one.features, one.labels + 1, one.query_of_rows)
                       for one in (data, validation))  # fmt: skip
    found = rw.tune("ridge-regression", shifted, judged)
    assert found.measure == "NDCG@10"
    assert "NDCG@10 is taken" in found.model.facts["remarks"][0]
    same = rw.tune("ridge-regression", data, validation, grid={"regularization": [1.0, 1.0, 1.0]})
    assert same.best.number == 1
    assert same.model.facts["remarks"] == [
        "3 trials have the best value: the first of them is taken"
    ]


def test_bench_says_what_chose_where_grades_begin_at_1(tmp_path: Path) -> None:
    whole = planted(25, 8, seed=4)
    shifted = rw.Dataset.from_arrays(whole.features, whole.labels + 1, whole.query_of_rows)
    write_folds(compose_folds(cut_into_parts(shifted)), tmp_path / "stars")
    with tasks_here():
        run = rw.bench(data=tmp_path / "stars", rankers=f"{HERE}:OneFeature,best-feature",
                       store=tmp_path / "s.sqlite", measures="NDCG@10", folds=[1])  # fmt: skip
    found = run.choosers()
    assert "NDCG@10 by the tool definition chose on validation for one-feature" in found
    (said,) = [one for one in found if one.startswith("one-feature, best-feature: ")]
    assert "MAP (definition) is 1.0000 for every ranking: no document is irrelevant" in said


def test_a_table_of_tasks_that_different_measures_chose_says_so(
    folds: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite"
    with tasks_here():
        for ranker, measure in (("OneFeature", "MAP"), ("Refusing", "NDCG@1")):
            if measure == "NDCG@1":
                with Store.read(store) as opened:
                    assert opened.remarks() == []
            rw.bench(data=folds, rankers=f"{HERE}:{ranker}", select=measure, store=store,
                     folds=[1])  # fmt: skip
    said = "on small methods were chosen by different measures: MAP for one-feature; NDCG@1 for "
    with Store.read(store) as opened:
        (sentence,) = opened.remarks()
    assert sentence.startswith(said)
    assert said in run_command(show, store).stderr
    assert rw.read_results(store).remarks == (sentence,)
