"""Rows of the commands about data sets and their building."""

from __future__ import annotations

import sysconfig
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import rankwise as rw
from rankwise.collection import demo_collection as demo_module
from rankwise.data.catalog.entries import Archive
from rankwise.data.synthetic import make_dataset
from tests.front_door.table import Answers, Case, plain, row


@row("data describe")
def describe(case: Case) -> Answers:
    return case.ask("data", "describe", case.train), rw.describe(rw.read(case.train)).as_dict()


@row("data check")
def check(case: Case) -> Answers:
    path = case.text("wrong.txt", "-1 qid:1 1:1\n1 qid:2 1:1e300\n")
    found = rw.check(path, case.test)
    printed = case.ask("data", "check", path, case.test, code=1)
    queries = rw.check_queries(path, case.test)
    assert found and queries.found
    by_function = {
        "findings": found, "queries": queries.parts, "tools": queries.list_effects(),
    }  # fmt: skip
    return printed, plain(by_function)


@row("data filter")
def filter_(case: Case) -> Answers:
    by_command, by_function = case.folder / "a", case.folder / "b"
    printed = case.ask("data", "filter", case.folds, by_command, "--drop", "empty,short:3")
    found = rw.filter_files(case.folds, by_function, "empty,short:3")
    return (
        [{**one, "output": ""} for one in printed],
        [{**one, "output": ""} for one in plain(found)],
    )


@row("data add-feature")
def add_feature(case: Case) -> Answers:
    by_command, by_function = case.folder / "a.txt", case.folder / "b.txt"
    run = case.text("dense.run", "".join(
        f"{query} Q0 {document} 1 {row / 7!r} t\n"
        for row, (query, document) in enumerate(_list_documents(case)) if row % 3
    ))  # fmt: skip
    printed = case.ask("data", "add-feature", case.test, run, by_command, "--missing", -1)
    found = plain(rw.add_feature_to_files(case.test, run, by_function, missing=-1.0))
    assert printed["parts"][0]["missing"] and printed["parts"][0]["matched"]
    for one in (printed, found):
        one["parts"][0].pop("output")
    return (printed, by_command.read_bytes()), (found, by_function.read_bytes())


def _list_documents(case: Case) -> list[tuple[str, str]]:
    test = rw.read(case.test)
    queries = [list(test.query_ids)[number] for number in test.query_of_rows]
    return list(zip(queries, test.document_ids or (), strict=True))


@row("data convert")
def convert(case: Case) -> Answers:
    by_command, by_function = case.folder / "a.parquet", case.folder / "b.parquet"
    case.run("data", "convert", case.train, by_command)
    rw.data.convert(case.train, by_function)
    return by_command.read_bytes(), by_function.read_bytes()


@row("data normalize")
def normalize(case: Case) -> Answers:
    null = case.folder / "null.txt"
    rw.write(make_dataset(8, seed=1), null)
    output = case.folder / "scaled.txt"
    case.run("data", "normalize", null, output, "--to", "dataset-z-score", "--fit-on", case.train)
    scaled = rw.normalize(rw.read(null), "dataset-z-score", fit_on=rw.read(case.train))
    rw.write(scaled, case.folder / "own.txt")
    return output.read_text(), (case.folder / "own.txt").read_text()


@row("data split")
def split(case: Case) -> Answers:
    output = case.folder / "split"
    printed = case.ask("data", "split", case.train, output, "--seed", 4, "--parts", 3)
    folds = list(rw.split_folds(rw.read(case.train), 3, seed=4))
    counted = [
        {"fold": fold.number, "part": name, "queries": part.n_queries, "rows": part.n_documents}
        for fold in folds
        for name, part in fold.parts()
    ]
    written = rw.read_folds(output)
    same = [a.train.equals(b.train) for a, b in zip(folds, written, strict=True)]
    return (printed["parts"], [True] * 3), (counted, same)


@row("data list")
def catalogue(case: Case) -> Answers:
    case.patch.setenv("RANKWISE_HOME", str(case.folder / "home"))
    printed = case.ask("data", "list")
    facts = [plain(asdict(entry)) for entry in rw.data.catalog_entries()]
    ways = [rw.data.find_access(entry) for entry in rw.data.catalog_entries()]
    by_function = [
        {**one, "get_by": way, "installed": []} for one, way in zip(facts, ways, strict=True)
    ]
    return printed, by_function


def _little(case: Case) -> tuple[Any, Path]:
    """A small entry that the catalogue has in the place of another, and its archive."""
    case.patch.setenv("RANKWISE_HOME", str(case.folder / "home"))
    archive = case.folder / "little.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for number, part in enumerate(("train", "vali", "test")):
            rows = f"0 qid:{number} 1:0\n1 qid:{number} 1:1\n"
            packed.writestr(f"little/{part}.txt", rows)
    entry = replace(
        rw.data.find_entry("istella/s"),
        queries=3, documents=6, features=1, label_levels=(0, 1),
        addresses=(archive.as_uri(),), archive=Archive("little.zip", archive.stat().st_size),
        file_checksums={},
    )  # fmt: skip
    case.patch.setattr("rankwise.cli.data.catalog_commands.find_entry", lambda name: entry)
    return entry, archive


@row("data fetch")
def fetch(case: Case) -> Answers:
    entry, _ = _little(case)
    printed = case.ask("data", "fetch", "istella/s", "--yes")
    found = rw.data.fetch_dataset(entry, accept_licence=True, replace_old=True)
    return printed, plain(found)


@row("data import")
def import_(case: Case) -> Answers:
    entry, archive = _little(case)
    printed = case.ask("data", "import", "istella/s", archive)
    return printed, plain(rw.data.import_dataset(entry, archive, replace_old=True))


@row("build corpus")
def build(case: Case) -> Answers:
    corpus, queries, qrels = case.corpus
    output = case.folder / "built"
    printed = case.ask(
        "build", corpus, "--queries", queries, "--qrels", qrels, "--depth", 10, "--jobs", 1,
        "--stemmer", "none", "--k1", 0.9, "-o", output,
    )  # fmt: skip
    card = (output / "data-card.json").read_bytes()
    built = rw.build(
        corpus, output, queries=queries, qrels=qrels, depth=10, jobs=1, stemmer="none",
        constants={"k1": 0.9},
    )  # fmt: skip
    return (printed, card), (plain(built.facts), (output / "data-card.json").read_bytes())


@row("build features")
def features(case: Case) -> Answers:
    meta = case.build / "Meta"
    words = ("build", "features", "--from-metadata", meta)
    listed = case.ask(*words, "--list", "--k1", 0.5)
    printed = case.ask(*words, "--k1", 0.5, "-o", case.folder / "one")
    found = rw.collection.open_metadata(meta, constants={"k1": 0.5})
    built = rw.build_features(found, case.folder / "two")
    by_function = {**plain(built.facts), "output": str(case.folder / "one")}
    return (listed, printed), (plain(found.listed()), by_function)


@row("demo")
def demo(case: Case) -> Answers:
    part = Path(sysconfig.get_paths()["stdlib"]) / "email"
    made = demo_module.make_demo_collection(10, library=part)
    case.patch.setattr(demo_module, "make_demo_collection", lambda n_queries, seed: made)
    case.patch.setattr("rankwise.demonstration.RANKERS", ("ridge-regression",))
    one, two = case.folder / "one", case.folder / "two"
    printed = case.run("demo", "--queries", 10, "--seed", 2, "-o", one).stdout
    found = rw.demo(two, queries=10, seed=2)
    figures = [f"{mean:.4f}" for system in found.systems for mean in system.means.values()]
    figures += [f"{mean:.4f}" for means in found.features.values() for mean in means.values()]
    shown = [figure in printed for figure in figures]
    files = ("all.txt", "bm25.scores", "report/report.html", "web/data-card.json")
    with rw.Store.read(one / "results.sqlite") as left, rw.Store.read(two / "results.sqlite") as r:
        assert left.difference(r) == []
    return (
        ([True] * len(figures), [(one / file).read_bytes() for file in files]),
        (shown, [(two / file).read_bytes() for file in files]),
    )
