"""Every command that takes data takes the name of an installed data set where a path goes."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.catalog.entries import find_entry
from rankwise.data.catalog.home import Installed, get_dataset_folder, write_manifest
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.results import write_dense
from tests.experiments.made_evidence import make_table
from tests.test_front_door import leaves

# What stands in braces is a place of the data: by its path first, then by its name.
FILES: dict[str, str] = {
    "data describe": "{folds} --format json",
    "data check": "{folds}",
    "data convert": "{train} {out}/a.txt",
    "data add-feature": "{test} {run} {out}/a.txt",
    "data filter": "{folds} {out}/filtered --drop short:2",
    "data normalize": "{test} {out}/a.txt --to dataset-z-score --fit-on {train}",
    "data split": "{train} {out}/split --parts 3",
    "evaluate": "{test} {scores} -m MAP --tool letor4",
    "explain": "{test} {scores} -m NDCG@10 --tool letor4,definition",
    "identify": "{test} {scores} -m NDCG@10 --value 0.5",
    "reconcile": "{test} -m NDCG@10 --value 0.5 --from yahoo",
    "significance": "{test} {scores} {out}/other.scores -m MAP",
    "train": "{train} --validate {vali} --ranker linear-regression -o {out}/m.json",
    "tune": "{train} --validate {vali} --ranker ridge-regression --trials 2 --method random "
    "--draw regularization=0.1:10:log -o {out}/tuned.json",
    "score": "{model} {test}",
    "model export": "{model} --to python --data {test} -o {out}/export.py",
    "model verify": "{out}/exported.py --data {test} --format json",
    "model cost": "{model} {test} --repeats 1",
    "model importance": "{model} {test}",
    "model contributions": "{model} {test} --query {query}",
    "model dependence": "{model} {test} --feature 2",
    "model why": "{model} {test}",
    "features importance": "{folds} --repeats 1",
    "features path": "{folds} --ranker fenchelrank --values 0.5,2",
    "features reduce": "{folds} --to 3 --method pls",
    "features select": "{folds} --keep 3 --method best",
    "bench": "--data {folds} --ranker linear-regression --dry-run --store {out}/s.sqlite",
    "clicks simulate": "{train} --sessions 20 -o {out}/new.csv",
    "clicks propensities": "{log} --data {train} --resamples 2",
    "clicks convert": "{log} --data {train} -o {out}/converted",
    "clicks evaluate": "{log} {model} --data {train} --propensities {out}/p.json --goal P@5",
    "clicks interleave": "{train} feature:1 feature:3 --sessions 20",
    "clicks online": "{folds} --learner pdgd --sessions 20 --runs 1 --fold 1",
    "clicks offline": "{folds} --learner ranksvm --sessions 20 --runs 1 --fold 1 "
    "--logging feature:2",
    "compare": "--data {folds} --scores {out}/fold{{fold}}.scores --name mine -m MAP "
    "{out}/table.csv",
    "place": "--data {folds} --scores {out}/fold{{fold}}.scores --name mine --bootstrap 10",
    "recommend": "{folds} --table {out}/dense",
    "arena new": "{out}/arena --data {folds} --name made --seed 1",
}
# What these take is something else, whatever their parameters are called.
OTHERS = {
    "build corpus": "a corpus", "build features": "files of metadata",
    "results check": "tables of results", "results convert": "tables of results",
    "results merge": "tables of results", "submit": "score files",
    "results dense": "a store; its --data are found as those of bench are",
    "serve": "makes an arena as 'arena new' does, and then never ends",
}  # fmt: skip
MQ2008 = "letor4/mq2008/QueryLevelNorm"
PARAMETERS = {"data", "source", "files", "paths", "directory", "metadata", "corpus"}


@dataclass
class Home:
    """A data home in which made-up folds stand for MQ2008, and what commands need beside them."""

    folder: Path
    out: Path

    def places(self, *, named: bool) -> dict[str, str]:
        root = "MQ2008" if named else str(self.folder)
        test = rw.read(self.folder / "Fold1" / "test.txt")
        return {
            "folds": root, "train": f"{root}/Fold1/train.txt", "vali": f"{root}/Fold1/vali.txt",
            "test": f"{root}/Fold1/test.txt", "out": str(self.out),
            "scores": str(self.out / "fold1.scores"), "model": str(self.out / "model.json"),
            "run": str(self.out / "dense.run"), "log": str(self.out / "log.csv"),
            "query": test.query_ids[0],
        }  # fmt: skip

    def run(self, command: str, *, named: bool) -> Result:
        words = FILES[command].format(**self.places(named=named)).split()
        return CliRunner().invoke(main, [*command.split(), *words], catch_exceptions=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of which each test has a copy: the data home, and what commands need beside it."""
    root = tmp_path_factory.mktemp("made")
    folder, out = root / "home" / MQ2008, root / "work"
    folder.parent.mkdir(parents=True)
    out.mkdir()
    rw.write_folds(rw.split_folds(rw.normalize(make_dataset(25, seed=3), "query-level")), folder)
    for fold in rw.read_folds(folder):
        rw.data.write_scores(fold.test.features[:, 1], out / f"fold{fold.number}.scores")
    test, train = rw.read(folder / "Fold1/test.txt"), rw.read(folder / "Fold1/train.txt")
    rw.data.write_scores(test.features[:, 2], out / "other.scores")
    model = rw.fit("linear-regression", train)
    rw.save_model(model, out / "model.json")
    rw.export_model(out / "model.json", "python", out / "exported.py")
    first = (test.document_ids or ())[0]
    (out / "dense.run").write_text(f"{test.query_ids[0]} Q0 {first} 1 0.5 t\n")
    log = rw.simulate_clicks(train, 200, logging="feature:2", randomization="swap", seed=1)
    rw.write_log(log, out / "log.csv")
    rw.feedback.power_propensities(10, 1.0).save(out / "p.json")
    cells = [f"LETOR 4.0,{name},x,MAP,0.{n}\n" for n, name in enumerate(("A", "MQ2008"), 3)]
    (out / "table.csv").write_text("collection,dataset,method,measure,value\n" + "".join(cells))
    write_dense(make_table(lambda number, ranker: 0.1 * number), out / "dense")
    return root


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("RANKWISE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    entry = find_entry("letor4/mq2008")
    folder = get_dataset_folder(entry, entry.versions[0])
    assert folder == tmp_path / "home" / MQ2008
    files = {str(file.relative_to(folder)): {} for file in sorted(folder.rglob("*.txt"))}
    item = Installed("letor4/mq2008", entry.versions[0], folder, "folds", files, {}, (), "made")
    write_manifest(item, folder)
    return Home(folder, tmp_path / "work")


def find_command(path: str) -> click.Command:
    command: Any = main
    for word in path.split():
        command = command.get_command(click.Context(command), word)
    return command  # type: ignore[no-any-return]


def test_every_command_that_takes_data_is_in_the_table() -> None:
    taking = {
        path
        for path in leaves(main)
        if PARAMETERS & {parameter.name for parameter in find_command(path).params}
    }
    assert taking == FILES.keys() | OTHERS.keys()
    assert not FILES.keys() & OTHERS.keys()


@pytest.mark.parametrize("command", FILES)
def test_a_name_gives_what_the_path_gives(command: str, home: Home) -> None:
    by_path = _list_answers(home, command, named=False)
    by_name = _list_answers(home, command, named=True)
    assert by_path == by_name


def _list_answers(home: Home, command: str, *, named: bool) -> tuple[Any, ...]:
    """The exit code, what is printed but for times, and the files that were written."""
    before = set(home.out.rglob("*"))
    result = home.run(command, named=named)
    assert result.exit_code == 0, result.output
    new = sorted(path for path in home.out.rglob("*") if path not in before)
    # What measures time prints figures that differ, and stores and arenas hold times.
    written = {
        str(path): path.read_text().replace(str(home.folder), "MQ2008")
        for path in new
        if path.suffix in (".txt", ".json", ".csv", ".py") and command != "arena new"
    }
    for path in reversed(new):
        if path.is_file():
            path.unlink()
        else:
            path.rmdir()
    printed = result.stdout.replace(str(home.folder), "MQ2008")
    timed = command in ("model cost", "tune", "arena new", "clicks online", "clicks offline")
    return result.exit_code, "" if timed else printed, written


def test_a_real_path_wins_over_a_name(home: Home) -> None:
    other = home.out / "MQ2008" / "Fold1"
    other.mkdir(parents=True)
    (other / "test.txt").write_text("1 qid:7 1:1 #docid = A\n")
    assert rw.read("MQ2008/Fold1/test.txt").query_ids[0] == "7"
    # What is named below a real folder is not looked for elsewhere, unless nothing is there.
    assert rw.read("MQ2008/Fold1/train.txt").n_documents > 1


@pytest.mark.parametrize(
    "name", ["MQ2008", "mq2008", "letor4/mq2008", "letor4/MQ2008", "./MQ2008", "MQ2008/"]
)
def test_spellings_of_a_name(name: str, home: Home) -> None:
    assert len(rw.read_folds(name)) == 5
    assert rw.data.find_folds(name)[0].train == home.folder / "Fold1" / "train.txt"


def test_what_is_not_there_is_said(home: Home) -> None:
    with pytest.raises(RankwiseError, match=r"MQ2008 must have Fold9/test.txt in .*Fold1/test.txt"):
        rw.read("MQ2008/Fold9/test.txt")
    with pytest.raises(RankwiseError, match=r"name a file of it, as in MQ2008/Fold1/test.txt"):
        rw.read("MQ2008")
    for asking in (
        lambda: rw.read("MQ2007/Fold1/test.txt"),
        lambda: rw.read_folds("MQ2007"),
        lambda: rw.plan(data="MQ2007", rankers="listnet"),
        lambda: rw.check("letor4/mq2007"),
    ):
        with pytest.raises(RankwiseError, match="'rankwise data fetch letor4/mq2007' or 'rankwise"):
            asking()
    for path in ("nothing.txt", "../MQ2008/Fold1/test.txt", "/MQ2008/Fold1/test.txt", "MQ2009"):
        with pytest.raises(RankwiseError, match="there is no such file"):
            rw.read(path)


def test_a_version_may_be_named(home: Home) -> None:
    for version in ("MIN", "QueryLevelNorm"):
        folder = home.out.parent / "home/letor3/ohsumed" / version
        (folder / "Fold1").mkdir(parents=True)
        value = len(version)
        (folder / "Fold1/test.txt.gz").write_bytes(_pack(f"1 qid:1 1:{value} #docid = A\n"))
        (folder / "Fold1/train.txt").write_text(f"1 qid:2 1:{value} #docid = A\n")
        files = {"Fold1/train.txt": {}, "Fold1/test.txt.gz": {}}
        item = Installed("letor3/ohsumed", version, folder, "folds", files, {}, (), "made")
        write_manifest(item, folder)
    # Without one the preferred version is taken; a compressed file is found by its plain name.
    values = {
        name: float(rw.read(f"{name}/Fold1/test.txt").features[0, 0])
        for name in ("letor3/ohsumed", "letor3/ohsumed/MIN", "letor3/OHSUMED/querylevelnorm")
    }
    assert list(values.values()) == [14.0, 3.0, 14.0]
    with pytest.raises(RankwiseError, match="in the version NULL, found QueryLevelNorm, MIN"):
        rw.read("letor3/ohsumed/NULL/Fold1/test.txt")
    planned = rw.plan(data="letor3/ohsumed/MIN", rankers="linear-regression")
    assert {task.name.version for task in planned.plan.tasks} == {"MIN"}


def _pack(text: str) -> bytes:
    import gzip

    return gzip.compress(text.encode())


def test_named_columns_go_with_a_name(home: Home) -> None:
    pytest.importorskip("pyarrow")
    test = rw.read(home.folder / "Fold1/test.txt")
    rw.write(test, home.folder / "Fold1/extra.parquet")
    out = home.out / "one.txt"
    words = ["data", "convert", "MQ2008/Fold1/extra.parquet", str(out), "--features", "2"]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    np.testing.assert_array_equal(rw.read(out).features[:, 0], test.features[:, 1])
    assert json.loads(CliRunner().invoke(main, ["data", "describe", str(out), "--format",
                                                "json"]).stdout)["features"] == 1  # fmt: skip
