"""The submission bundle: complete, the same bytes again, and its script gives the same figures."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from tests.experiments.running import tasks_here


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bench")
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), home / "folds")
    with tasks_here():
        rw.bench(
            data=home / "folds", rankers=["ridge-regression", "best-feature"], folds=[1, 2],
            measures=["MAP", "NDCG@5"], store=home / "results.sqlite", jobs=1,
        )  # fmt: skip
    rw.save_model(rw.fit("ridge-regression", home / "folds/Fold1/train.txt"), home / "model.json")
    return home


def test_it_has_document_models_figures_and_script(made: Path, tmp_path: Path) -> None:
    found = rw.write_bundle(
        made / "results.sqlite",
        "ridge-regression",
        tmp_path / "b.zip",
        models=[made / "model.json"],
    )
    assert found.tasks == 2
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        assert packed.namelist() == list(found.files)
        assert set(found.files) == {"README.md", "results.csv", "reproduce.sh", "models/model.json"}
        assert packed.read("models/model.json") == (made / "model.json").read_bytes()
        (tmp_path / "results.csv").write_bytes(packed.read("results.csv"))
        document = packed.read("README.md").decode()
        assert {info.date_time for info in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    table = rw.read_results(tmp_path / "results.csv")
    assert set(table.method) == {"ridge-regression"}
    mean = table.where(measure="MAP").value.mean()
    assert f"{mean:.4f}" in document


def test_the_same_bytes_come_again(made: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        rw.write_bundle(made / "results.sqlite", "best-feature", tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.slow
def test_the_script_gives_the_figures_again(made: Path, tmp_path: Path) -> None:
    rw.write_bundle(made / "results.sqlite", "ridge-regression", tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        packed.extractall(tmp_path)
    program = tmp_path / "bin" / "rankwise"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankwise "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["sh", "reproduce.sh", str(made / "folds")], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with rw.Store.read(made / "results.sqlite") as store:
        wanted = [one.value for one in store.values() if one.name.method == "ridge-regression"]
    for value in wanted:
        assert f"{value:.4f}" in done.stdout


def test_the_script_takes_the_folds_of_each_data_set(made: Path, tmp_path: Path) -> None:
    home = tmp_path / "other"
    rw.write_folds(rw.split_folds(rw.normalize(make_dataset(10), "query-level")), home)
    store = tmp_path / "two.sqlite"
    with tasks_here():
        rw.bench(data=[made / "folds", home], rankers="best-feature", folds=[1], measures=["MAP"],
                 store=store, jobs=1)  # fmt: skip
    rw.write_bundle(store, "best-feature", tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        (tmp_path / "reproduce.sh").write_bytes(packed.read("reproduce.sh"))
    # A program that only says what it was asked.
    (tmp_path / "rankwise").write_text('#!/bin/sh\nexec echo "$@"\n')
    (tmp_path / "rankwise").chmod(0o755)

    def call(*folders: str) -> subprocess.CompletedProcess[str]:
        words = ["sh", "reproduce.sh", *folders]
        path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=path)

    trained = [line for line in call("A", "B b").stdout.splitlines() if line.startswith("train")]
    assert [line.split("/Fold1")[0] for line in trained] == ["train A", "train B b"]
    script = (tmp_path / "reproduce.sh").read_text().splitlines()
    assert '#   1. "folds"' in script and '#   2. "other"' in script
    refused = call("A")
    assert refused.returncode == 2 and "the folds of 2 data sets, found 1" in refused.stderr


def test_what_is_not_of_the_method_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="found those of best-feature, ridge-regression"):
        rw.write_bundle(made / "results.sqlite", "listnet", tmp_path / "b.zip")
    with pytest.raises(RankwiseError, match="must be a model of best-feature"):
        rw.write_bundle(
            made / "results.sqlite",
            "best-feature",
            tmp_path / "b.zip",
            models=[made / "model.json"],
        )
    assert not (tmp_path / "b.zip").exists()


def read_script(bundle: Path) -> str:
    with zipfile.ZipFile(bundle) as packed:
        return packed.read("reproduce.sh").decode()


def test_a_method_known_by_its_scores_is_not_trained_by_the_script(tmp_path: Path) -> None:
    dataset = rw.normalize(make_dataset(15, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), tmp_path / "folds")
    for fold in (1, 2):
        test = rw.read(tmp_path / f"folds/Fold{fold}/test.txt")
        lines = "".join(f"{one}\n" for one in test.features[:, 0])
        (tmp_path / f"fold{fold}.scores").write_text(lines)
    with tasks_here():
        rw.bench(
            data=tmp_path / "folds", rankers=["best-feature"], folds=[1, 2], measures=["MAP"],
            scored={"mine": str(tmp_path / "fold{fold}.scores")}, store=tmp_path / "s.sqlite",
            jobs=1,
        )  # fmt: skip
    rw.write_bundle(tmp_path / "s.sqlite", "mine", tmp_path / "b.zip")
    script = read_script(tmp_path / "b.zip")
    assert "rankwise train" not in script and "exit 1" in script
    assert "the method is known by its scores" in script


def test_a_method_that_learns_from_other_data_is_not_trained_on_its_own_alone(
    tmp_path: Path,
) -> None:
    for name, seed in (("target", 3), ("source", 4)):
        dataset = rw.normalize(make_dataset(15, seed=seed), "query-level")
        rw.write_folds(rw.split_folds(dataset), tmp_path / name)
    content = {
        "name": "t", "measures": ["MAP"], "rankers": [{"name": "ridge-regression"}],
        "transfer": [
            {"source": {"path": str(tmp_path / "source")}, "ways": ["pooled"], "shares": [100],
             "target": {"path": str(tmp_path / "target")}},
        ],
    }  # fmt: skip
    with tasks_here():
        rw.bench(content, store=tmp_path / "s.sqlite", jobs=1)
    with rw.Store.read(tmp_path / "s.sqlite") as store:
        methods = {task.name.method for task in store.tasks()}
    assert len(methods) == 2
    for number, method in enumerate(sorted(methods)):
        rw.write_bundle(tmp_path / "s.sqlite", method, tmp_path / f"{number}.zip")
        script = read_script(tmp_path / f"{number}.zip")
        assert "rankwise train" not in script and "[[transfer]]" in script
        assert ("(pooled)" in script) == ("pooled" in method)
