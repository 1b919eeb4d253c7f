"""Own rankers of every kind by command and by function: trained, shown, scored, run in bench."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("lightgbm")


import rankwise as rw
from rankwise.cli.main import main
from rankwise.errors import RankwiseError
from rankwise.rankers.registry import find_ranker
from rankwise.sklearn_adapter import RankwiseRanker
from tests.cli.command import run
from tests.rankers.own_rankers import HERE
from tests.stores import reading

KINDS = ("Centroid", "Heir", "Ridge", "pipeline", "LGBMRanker", "ByList", "ByQueryIds")
WRITABLE = ("Centroid", "Heir", "Ridge", "LGBMRanker")


def named(name: str) -> str:
    return f"{HERE}:{name}"


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rankwise.data.synthetic import make_dataset

    folder: Path = tmp_path_factory.mktemp("own") / "small"
    rw.write_folds(rw.split_folds(rw.normalize(make_dataset(25, seed=3), "query-level")), folder)
    return folder


@pytest.fixture(scope="module")
def parts(folds: Path) -> list[rw.Dataset]:
    return [rw.read(folds / "Fold1" / name) for name in ("train.txt", "vali.txt", "test.txt")]


@pytest.mark.parametrize("kind", KINDS)
def test_train_by_command_and_by_function(
    kind: str, folds: Path, parts: list[rw.Dataset], tmp_path: Path
) -> None:
    train, validation, test = parts
    expected = rw.fit(named(kind), train, validation, seed=4)
    wanted = [folds / "Fold1" / "train.txt", "--ranker", named(kind), "--validate",
              folds / "Fold1" / "vali.txt", "--seed", 4, "-o", tmp_path / "model.json"]  # fmt: skip
    figure = rw.evaluate(validation, expected.score(validation), ["MAP"]).means()["MAP"]
    if kind in WRITABLE:
        result = run(main, "train", *wanted)
        assert f"validation MAP (definition): {figure:.4f}" in result.stderr
        found = rw.load_model(tmp_path / "model.json")
        assert found.ranker == named(kind)
        assert found.score(test).tobytes() == expected.score(test).tobytes()
        printed = run(main, "score", tmp_path / "model.json", folds / "Fold1" / "test.txt").stdout
        assert [float(line) for line in printed.split()] == expected.score(test).tolist()
    else:
        with pytest.raises(RankwiseError, match="cannot be written to a file"):
            run(main, "train", *wanted)
        assert not (tmp_path / "model.json").exists()


def test_figures_are_printed_of_a_model_that_no_file_can_hold(folds: Path, tmp_path: Path) -> None:
    """In a process of its own, whose current folder the module stands in."""
    (tmp_path / "mine.py").write_text(
        "class First:\n"
        "    def __init__(self, column=0): self.column = column\n"
        "    def fit(self, X, y): print('a line of its own')\n"
        "    def predict(self, X): return X[:, self.column]\n"
    )
    script = tmp_path / "bin" / "rankwise"
    script.parent.mkdir()
    script.write_text("from rankwise.cli.main import run; run()")
    file = folds / "Fold1" / "train.txt"
    command = [sys.executable, str(script), "train", str(file), "--ranker", "mine:First",
               "--set", "column=6", "-o", "model.json"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    data = rw.read(file)
    figure = rw.evaluate(data, data.features[:, 6], ["MAP"]).means()["MAP"]
    assert (done.returncode, done.stdout) == (2, "")
    assert "a line of its own" in done.stderr
    assert f"training MAP (definition): {figure:.4f}" in done.stderr
    assert "rankwise: the model of mine:First cannot be written to a file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_rankers_show_by_command_and_by_function(kind: str) -> None:
    shown = json.loads(run(main, "rankers", "show", named(kind), "--format", "json").stdout)
    assert shown["name"] == rw.describe_ranker(named(kind)).name == named(kind)
    names = [one.name for one in find_ranker(named(kind)).declared_parameters()]
    assert [one["name"] for one in shown["parameters"]] == names
    text = run(main, "rankers", "show", named(kind)).stdout
    assert text.startswith(f"{named(kind)} (")
    assert all(name in text for name in names)


def test_bench_with_two_jobs_gives_the_figures_of_training_by_hand(
    folds: Path, parts: list[rw.Dataset], tmp_path: Path
) -> None:
    names = [named(kind) for kind in KINDS]
    store = tmp_path / "own.sqlite"
    result = run(main, "bench", "--data", folds, "--ranker", ",".join(names), "--fold", "1",
                 "--jobs", 2, "--store", store, "-m", "MAP", "--quiet")  # fmt: skip
    assert result.exit_code == 0, result.output
    found = {one.name.method: one.value for one in reading(store).values() if one.measure == "MAP"}
    assert set(found) == set(names)
    train, validation, test = parts
    for task in reading(store).tasks():
        ranker = find_ranker(task.name.ranker)(**task.parameters)
        model = ranker.fit(train, validation, seed=0)
        expected = rw.evaluate(test, model.score(test), ["MAP"]).means()["MAP"]
        assert found[task.name.method] == expected, task.name.method
    # Own parameters are tuned where the class has a grid, and set where the experiment says so.
    chosen = {task.name.method: task.parameters for task in reading(store).tasks()}
    assert chosen[named("ByList")]["power"] in (0.5, 1.0)
    again = rw.bench(data=folds, rankers=names, folds=[1], jobs=2, store=store, measures=["MAP"])
    assert (again.done, again.failed) == (len(names), 0)
    assert {(one.name.method, one.value) for one in again.values} == set(found.items())


@pytest.fixture(scope="module")
def configured(folds: Path, tmp_path_factory: pytest.TempPathFactory) -> rw.BenchRun:
    """One run for all, since its process loads scikit-learn and LightGBM."""
    tuned = {"name": named("Ridge"), "set": {"fit_intercept": False},
             "grid": {"alpha": [0.1, 10.0]}, "label": "ridge of mine"}  # fmt: skip
    others = [{"name": name} for name in (named("Heir"), "ridge-regression", named("FailingFit"))]
    plan = {"data": [{"path": str(folds)}], "rankers": [tuned, *others], "folds": [1],
            "measures": ["MAP"]}  # fmt: skip
    return rw.bench(plan, store=tmp_path_factory.mktemp("configured") / "s.sqlite", jobs=1)


def test_a_configuration_sets_and_tunes_own_parameters(configured: rw.BenchRun) -> None:
    tasks = {task.name.method: task for task in reading(configured.store).tasks()}
    task = tasks["ridge of mine"]
    assert (task.ending, task.name.ranker) == ("done", named("Ridge"))
    assert task.parameters["alpha"] in (0.1, 10.0)
    assert task.parameters["fit_intercept"] is False


def test_a_subclass_of_a_registered_ranker_stands_beside_its_parent(
    configured: rw.BenchRun,
) -> None:
    figures = {one.name.method: one.value for one in configured.values}
    assert set(figures) == {named("Heir"), "ridge-regression", "ridge of mine"}
    assert figures[named("Heir")] == figures["ridge-regression"]


def test_a_subclass_keeps_its_name_in_models_tuning_and_scikit_learn(
    parts: list[rw.Dataset], tmp_path: Path
) -> None:
    train, validation, _ = parts
    heir, file = find_ranker(named("Heir")), tmp_path / "model.json"
    rw.save_model(rw.fit(heir, train), file)
    tuned = rw.tune(named("Heir"), train, validation, store=tmp_path / "t.sqlite")
    adapters = [RankwiseRanker(given) for given in (named("Heir"), heir)]
    for adapter in adapters:
        adapter.fit(train.features, train.labels, qid=train.query_of_rows)
    models = [rw.load_model(file), tuned.model, *(adapter.model_ for adapter in adapters)]
    assert [model.ranker for model in models] == [named("Heir")] * 4


def test_an_own_ranker_that_fails_is_recorded_with_its_sentence(configured: rw.BenchRun) -> None:
    assert (configured.done, configured.failed) == (3, 1)
    (failure,) = configured.failures
    assert "its fit fails with KeyError: 'nothing here' (own_rankers.py:" in str(failure)


@pytest.mark.parametrize("kind", KINDS)
def test_the_adapter_for_scikit_learn_takes_them(kind: str, parts: list[rw.Dataset]) -> None:
    train, _, test = parts
    qid = test.query_of_rows
    adapter = RankwiseRanker(named(kind), seed=4, scoring_measure="MAP")
    adapter.fit(train.features, train.labels, qid=train.query_of_rows)
    expected = rw.fit(named(kind), train, seed=4).score(test)
    assert adapter.predict(test.features, qid).tobytes() == expected.tobytes()
    figure = rw.evaluate(test, expected, ["MAP"]).means()["MAP"]
    assert adapter.score(test.features, test.labels, qid=qid) == pytest.approx(figure, abs=1e-12)
    if kind.startswith("By"):
        with pytest.raises(RankwiseError, match=r"scores whole lists.*pass qid"):
            adapter.predict(test.features)
    else:
        assert adapter.predict(test.features).tobytes() == expected.tobytes()


def test_the_adapter_takes_classes_and_their_parameters() -> None:
    from tests.rankers.own_rankers import ByList

    X, y = np.random.default_rng(0).random((40, 3)), np.tile([0, 1], 20)
    adapter: Any = RankwiseRanker(ByList, power=0.5)
    assert adapter.fit(X, y, qid=np.repeat(range(4), 10)).model_.parameters == {"power": 0.5}
    with pytest.raises(RankwiseError, match="ByList has no parameter 'depth'; it has power"):
        adapter.set_params(depth=3)


@pytest.mark.parametrize("kind", ["ByList", "Ridge"])
def test_features_are_weighed_by_them(kind: str, folds: Path) -> None:
    result = run(main, "features", "importance", folds, "--ranker", named(kind), "--repeats", 1,
                 "--format", "json")  # fmt: skip
    assert len(json.loads(result.stdout)) == 12


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("Defective", "its fit fails with ZeroDivisionError: a defect (own_rankers.py:"),
     ("FailingFit", "its fit fails with KeyError"), ("Needy", "needs a value of its parameter"),
     ("nothing_of_it", "there is no 'nothing_of_it' in")],
)  # fmt: skip
def test_what_fails_in_a_command_is_one_sentence(
    kind: str, sentence: str, folds: Path, tmp_path: Path
) -> None:
    with pytest.raises(RankwiseError) as caught:
        run(main, "train", folds / "Fold1" / "train.txt", "--ranker", named(kind),
            "-o", tmp_path / "model.json")  # fmt: skip
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_cluster_is_offered_to_them(folds: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="Ridge cannot be trained over a cluster, only"):
        run(main, "train", folds / "Fold1" / "train.txt", "--ranker", named("Ridge"),
            "--scheduler", "tcp://127.0.0.1:1", "-o", tmp_path / "model.json")  # fmt: skip
