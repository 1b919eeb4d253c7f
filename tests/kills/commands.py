"""The commands that are killed: what they work on, and what must be true of what they leave."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from tests.experiments.running import figures, planned, run_here

Words = tuple[object, ...]


@dataclass(frozen=True)
class Command:
    """A command, the words after `rankwise` that run it in a folder, and how to look at it there.

    `prepare` fills the folder. `look` says what is there in plain values; a command that came to
    its end leaves what a calm run leaves. `keeps` says whether what was there `before` a kill is
    still there `after` it, or is what a `calm` run leaves. `kills` is how many of 200 it gets, and
    `chain` how many in a row before it may come to its end.
    """

    name: str
    words: Callable[[Path], Words]
    look: Callable[[Path], Any]
    kills: int
    prepare: Callable[[Path], None] = lambda folder: None
    keeps: Callable[[Any, Any, Any], bool] = lambda before, after, calm: after in (before, calm)
    chain: int = 1
    roles: tuple[str, ...] = ("main",)


def make_inputs(home: Path) -> None:
    """Data, a corpus, and a store with tasks that others supersede."""
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write(dataset, home / "data.txt")
    rw.write_folds(rw.split_folds(dataset), home / "folds")
    _make_corpus(home)
    rankers = [{"name": name} for name in ("best-feature", "linear-regression")]
    for select in ("NDCG@10", "MAP"):
        plan = planned(home / "folds", *rankers, folds=[1, 2], measures=["MAP", "NDCG@5"],
                       selection={"measure": select})  # fmt: skip
        run_here(plan, home / "s.sqlite")


def _make_corpus(home: Path) -> None:
    rng = np.random.default_rng(5)
    documents = [
        {"id": f"d{n}", "title": f"word{n % 9} other",
         "body": " ".join(f"word{word}" for word in rng.zipf(1.4, 15) % 40)}
        for n in range(50)
    ]  # fmt: skip
    judged = (f"{n} 0 d{d} {int(n > 0)}\n" for n in range(10) for d in range(n, 50, 9))
    (home / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    (home / "queries.tsv").write_text("".join(f"{n}\tword{n} word{n + 9}\n" for n in range(10)))
    (home / "qrels").write_text("".join(judged))


def list_commands(home: Path) -> list[Command]:
    """All commands, on the inputs in a folder."""
    bench = ("bench", "--data", home / "folds", "--ranker", "best-feature,linear-regression",
             "--fold", "1,2,3", "-m", "MAP", "--quiet")  # fmt: skip
    dask = (*bench, "--engine", "dask", "--jobs", 1)
    build = ("build", home / "corpus.jsonl", "--queries", home / "queries.tsv", "--qrels",
             home / "qrels", "--depth", 10, "--stemmer", "none", "--jobs", 2)  # fmt: skip
    train = ("train", home / "folds/Fold1/train.txt", "--ranker", "ridge-regression")
    tune = ("tune", home / "folds/Fold1", "--ranker", "ridge-regression")
    return [
        Command(
            "bench", lambda folder: (*bench, "--jobs", 2, "--store", folder / "s.sqlite"),
            _look_at_store, 40, keeps=_keep_tasks, chain=5, roles=("main", "main", "worker"),
        ),
        Command(
            "bench --engine dask",
            lambda folder: (*dask, "--store", folder / "s.sqlite"),
            _look_at_store, 20, keeps=_keep_tasks, chain=4, roles=("main", "main", "worker"),
        ),
        Command(
            "build", lambda folder: (*build, "-o", folder / "built"), _look_at_files, 40,
            keeps=lambda before, after, calm: True, chain=3, roles=("main", "main", "worker"),
        ),
        Command(
            "data convert",
            lambda folder: ("data", "convert", home / "data.txt", folder / "data.txt.gz"),
            _look_at_files, 20, prepare=lambda folder: _write_old(folder / "data.txt.gz"),
        ),
        Command(
            "data split", lambda folder: ("data", "split", home / "data.txt", folder / "folds"),
            _look_at_files, 10,
        ),
        Command(
            "train", lambda folder: (*train, "-o", folder / "model.json"), _look_at_files, 20,
            prepare=lambda folder: _write_old(folder / "model.json"),
        ),
        Command(
            "tune",
            lambda folder: (*tune, "--store", folder / "s.sqlite", "-o", folder / "model.json"),
            _look_at_trials, 20, keeps=_keep_trials, chain=4,
        ),
        Command(
            "results gc", lambda folder: ("results", "gc", folder / "s.sqlite"), _look_at_store, 15,
            prepare=lambda folder: _copy_store(home, folder), chain=2,
            keeps=lambda before, after, calm: after["figures"] == calm["figures"],
        ),
        Command(
            "results export",
            lambda folder: ("results", "export", home / "s.sqlite", folder / "t.csv"),
            _look_at_files, 15, prepare=lambda folder: _write_old(folder / "t.csv"),
        ),
    ]  # fmt: skip


def _write_old(path: Path) -> None:
    path.write_text("what was there before\n")


def _copy_store(home: Path, folder: Path) -> None:
    shutil.copy(home / "s.sqlite", folder / "s.sqlite")


def _look_at_files(folder: Path) -> dict[str, bytes]:
    """The content of every file that is not hidden; `list_names` sees the others."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _is_hidden(path.relative_to(folder))
    }


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _look_at_store(folder: Path) -> dict[str, Any]:
    """Tasks, figures and damages; a store that is just being made has none."""
    path = folder / "s.sqlite"
    try:
        with rw.Store.read(path) as store:
            tasks = sorted((str(task.name), task.key) for task in store.tasks(superseded=True))
        return {"tasks": tasks, "figures": figures(path), "damages": rw.verify_store(path).damages}
    except RankwiseError as error:
        unmade = not path.is_file() or "version 0" in str(error)
        return {"tasks": [], "figures": {}, "damages": () if unmade else (str(error),)}


def _look_at_trials(folder: Path) -> dict[str, Any]:
    """The store of a tuning, and its model."""
    model = folder / "model.json"
    return {**_look_at_store(folder), "model": model.read_bytes() if model.is_file() else None}


def _keep_trials(before: dict[str, Any], after: dict[str, Any], calm: dict[str, Any]) -> bool:
    """As of tasks; the model is there as a calm run writes it, or not at all."""
    whole = after["model"] in (before["model"], calm["model"])
    return _keep_tasks(before, after, calm) and whole


def _keep_tasks(before: dict[str, Any], after: dict[str, Any], calm: dict[str, Any]) -> bool:
    """No task is lost, none is there twice, none has other figures than a calm run gives it."""
    tasks = after["tasks"]
    whole = set(before["tasks"]) <= set(tasks) <= set(calm["tasks"]) and not after["damages"]
    same = all(calm["figures"][cell] == value for cell, value in after["figures"].items())
    return whole and same and len(tasks) == len(set(tasks))
