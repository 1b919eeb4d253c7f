"""A store condensed: means of what is complete only, reasons for the rest, the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import read_dense
from rankwise.results.store.store import Store
from rankwise.results.store_summary import NOT_RUN, condense_store, read_store_queries
from rankwise.results.task_records import StoredValue, Subject, TaskName, TaskOutcome, Tried

DATASET = Subject("Made", "d", None)
QUERIES = ("a", "b", "c")


def _done(value: float) -> TaskOutcome:
    figures = np.array([value, value, value + 0.3])
    values = tuple(
        StoredValue("test", tool, measure, float(figures.mean()), QUERIES, figures)
        for tool, measure in (("definition", "MAP"), ("letor4", "MAP"), ("definition", "ERR@10"))
    )
    tried = (Tried({"c": 1}, 0.5, 1.0), Tried({"c": 2}, 0.4, 1.0))
    return TaskOutcome("done", values=values, tried=tried, parameters={"c": 1},
                       cpu_seconds=1.2345, peak_bytes=123_456_789)  # fmt: skip


def _store(
    path: Path, tasks: dict[tuple[str, str, int, int], TaskOutcome], collection: str = "Made"
) -> Path:
    with Store.open(path) as store:
        for number, ((dataset, ranker, fold, seed), outcome) in enumerate(tasks.items()):
            name = TaskName(collection, dataset, None, fold, ranker, ranker, seed, "letor4")
            # What was run last decides what counts: methods of one fold have the same data.
            inputs = {"data": {"test": f"{dataset} {fold}"}, "ranker": ranker}
            store.add(str(number), name, inputs, outcome)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """`listnet` with two seeds, `lambdamart` without fold 2, `mart` never run on e."""
    failed = TaskOutcome.failure("time", "it took more\nthan 600 s", cpu_seconds=600.0)
    return _store(tmp_path / "results.sqlite", {
        ("d", "listnet", 1, 0): _done(0.1), ("d", "listnet", 1, 1): _done(0.3),
        ("d", "listnet", 2, 0): _done(0.5), ("d", "listnet", 2, 1): _done(0.7),
        ("d", "lambdamart", 1, 0): _done(0.6), ("d", "lambdamart", 2, 0): failed,
        ("d", "mart", 1, 0): _done(0.2), ("d", "mart", 2, 0): _done(0.2),
        ("e", "listnet", 1, 0): _done(0.1), ("e", "listnet", 1, 1): _done(0.1),
        ("e", "lambdamart", 1, 0): _done(0.4),
    })  # fmt: skip


def test_means_are_over_all_folds_and_seeds(store: Path) -> None:
    table = condense_store(store)
    found = table.results.where(dataset="d", measure="MAP", tool="definition")
    means = dict(zip(found.method, found.value, strict=True))
    # Each run has the mean value + .1; the mean of seeds .1 and .3, .5 and .7 is .4.
    assert means == {"ListNet": pytest.approx(0.4 + 0.1), "mart": pytest.approx(0.2 + 0.1)}
    assert set(found.note) == {"mean of 2 folds and 2 seeds", "mean of 2 folds"}
    assert set(table.results.source) == {"rankwise-dense"}


def test_what_is_not_complete_is_told_with_its_reason(store: Path) -> None:
    table = condense_store(store)
    assert table.incomplete() == {
        (DATASET, "LambdaMART"): "fold/seed 2/0: time: it took more than 600 s",
        (Subject("Made", "e", None), "mart"): f"fold/seed 1/0: {NOT_RUN}",
    }
    assert not len(table.results.where(dataset="d", method="LambdaMART"))
    (run,) = [run for run in table.of(DATASET, "LambdaMART") if run.fold == 2]
    assert (run.values, run.seconds, run.trainings) == ({}, 600.0, 0)


def test_a_run_has_its_cost_and_its_parameters(store: Path) -> None:
    run = condense_store(store).of(DATASET, "ListNet")[0]
    assert (run.ranker, run.fold, run.seed, run.trainings) == ("listnet", 1, 0, 2)
    assert (run.seconds, run.peak_megabytes, run.parameters) == (1.23, 123.5, {"c": 1})
    assert run.values == {"ERR@10": pytest.approx(0.2), "MAP": pytest.approx(0.2)}


def test_values_of_queries_are_means_over_seeds(store: Path) -> None:
    queries = condense_store(store).find_queries(DATASET)
    assert queries is not None
    assert queries.methods == ("ListNet", "mart")
    assert list(zip(queries.folds, queries.queries, strict=True)) == [
        (1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")
    ]  # fmt: skip
    np.testing.assert_allclose(queries.values["MAP"][0], [0.2, 0.2, 0.5, 0.6, 0.6, 0.9])
    (own, *_) = read_store_queries(store)
    assert own.methods == ("listnet", "mart")
    assert (own.values["MAP"] == queries.values["MAP"]).all()


def test_a_comparison_takes_the_own_tool_where_it_has_the_measure(store: Path) -> None:
    comparable = condense_store(store).comparable()
    tools = set(zip(comparable.measure, comparable.tool, strict=True))
    assert tools == {("MAP", "letor4"), ("ERR@10", "definition")}


def test_another_order_and_process_give_the_same_bytes(store: Path, tmp_path: Path) -> None:
    condense_store(store, tmp_path / "one")
    program = (
        f"from rankwise.results.store_summary import condense_store\n"
        f"condense_store({str(store)!r}, {str(tmp_path / 'two')!r})"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(names) == 4
    for name in names:
        one, two = ((tmp_path / home / name).read_bytes() for home in ("one", "two"))
        assert one == two, name
    assert read_dense(tmp_path / "one").runs == condense_store(store).runs


def test_means_over_fewer_folds_than_a_data_set_has_name_them(tmp_path: Path) -> None:
    tasks = {("MQ2008", "listnet", fold, 0): _done(0.5) for fold in (1, 2)}
    table = condense_store(_store(tmp_path / "two.sqlite", tasks, "LETOR 4.0")).results
    assert set(table.fold) == {"1, 2"}
    tasks = {("MQ2008", "listnet", fold, 0): _done(0.5) for fold in range(1, 6)}
    table = condense_store(_store(tmp_path / "five.sqlite", tasks, "LETOR 4.0")).results
    assert set(table.fold) == {None}


def test_a_store_without_values_by_the_definition_is_refused(tmp_path: Path) -> None:
    outcome = TaskOutcome("done", values=(StoredValue("test", "letor4", "MAP", 0.5),))
    store = _store(tmp_path / "own.sqlite", {("d", "listnet", 1, 0): outcome})
    with pytest.raises(RankwiseError, match="bench --tool own,definition"):
        condense_store(store)


def test_two_methods_of_one_name_are_refused(tmp_path: Path) -> None:
    tasks = {("d", name, 1, 0): _done(0.5) for name in ("listnet", "ListNet")}
    with pytest.raises(RankwiseError, match="two methods of the store would be called ListNet"):
        condense_store(_store(tmp_path / "twice.sqlite", tasks))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A real experiment: the folder of its folds, and its store."""
    home = tmp_path_factory.mktemp("bench")
    rw.write_folds(
        rw.split_folds(rw.normalize(make_dataset(25, seed=3), "query-level")), home / "folds"
    )
    rw.bench(data=home / "folds", rankers=["ridge-regression", "best-feature"], jobs=1,
             measures=["MAP", "NDCG@10"], store=home / "results.sqlite")  # fmt: skip
    return home / "folds", home / "results.sqlite"


def test_means_are_those_that_the_experiment_prints(bench: tuple[Path, Path]) -> None:
    _, store = bench
    table = condense_store(store).results.where(tool="definition")
    with Store.read(store) as opened:
        own = opened.table(all_tools=True).where(tool="definition").aggregate_folds()
    ours = dict(zip(zip(table.method, table.measure, strict=True), table.value, strict=True))
    called = {"ridge-regression": "Ridge Regression", "best-feature": "Best Single Feature"}
    for method, measure, value in zip(own.method, own.measure, own.value, strict=True):
        assert ours[called[method], measure] == value


def test_the_data_tell_how_large_they_are(bench: tuple[Path, Path]) -> None:
    folds, store = bench
    (facts,) = condense_store(store, data=[folds]).data
    whole = rw.read_all([folds / "Fold1" / f"{part}.txt" for part in ("train", "vali", "test")])
    assert (facts.queries, facts.folds) == (25, 5)
    assert (facts.documents, facts.features) == (whole.n_documents, whole.n_features)
    assert facts.relevant_share == pytest.approx(float(np.mean(whole.labels > 0)))
    assert facts.highest_label == int(whole.labels.max())
    (blank,) = condense_store(store).data
    assert (blank.documents, blank.folds) == (None, 5)


def test_other_data_than_those_of_the_store_are_refused(
    bench: tuple[Path, Path], tmp_path: Path
) -> None:
    rw.write_folds(rw.split_folds(make_dataset(25, seed=4)), tmp_path / "other")
    with pytest.raises(RankwiseError, match="must hold the files that the store was run on"):
        condense_store(bench[1], data=[tmp_path / "other"])
