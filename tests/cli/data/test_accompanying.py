"""Metadata and relations that an import keeps: `build features` and `--relations` read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.data.build_commands import features_command
from rankwise.cli.rankers.training_commands import score, train
from rankwise.data.catalog.home import Installed
from rankwise.data.catalog.importing import import_dataset
from rankwise.data.folds import find_folds
from tests.collection.made import made_collection, made_query, write_metadata
from tests.data.catalog.little import ENTRY, write_folds


def run(command: object, *arguments: object) -> None:
    found = CliRunner().invoke(command, [str(argument) for argument in arguments])  # type: ignore[arg-type]
    assert found.exit_code == 0, found.exception or found.output


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A data set as LETOR lays it out: versions, metadata and relations beside each other."""
    home = tmp_path / "MQ2008"
    for path in write_folds(home / "QueryLevelNorm").rglob("*.txt"):
        lines = path.read_text().splitlines()
        named = (f"{line} #docid = d{place}\n" for place, line in enumerate(lines))
        path.write_text("".join(named))
    collection = made_collection()
    queries = [made_query(n, collection, query_id=str(n)) for n in range(1, 8)]
    write_metadata(home / "Meta", collection, queries)
    (home / "Relation" / "web").mkdir(parents=True)
    (home / "Relation" / "cites.txt").write_text("d0 d2 0.5\n")
    (home / "Relation" / "web" / "links.tsv").write_text("source\ttarget\nd2\td0\nd2\td1\n")
    return home


@pytest.fixture
def installed(source: Path, tmp_path: Path) -> Installed:
    return import_dataset(ENTRY, source, home=tmp_path / "home")


def test_features_are_built_from_imported_metadata(
    source: Path, installed: Installed, tmp_path: Path
) -> None:
    for name, meta in (("one", source / "Meta"), ("other", installed.folder / "Meta")):
        run(features_command, "--from-metadata", meta, "-o", tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.txt"))
    assert len(files) > 40
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_imported_relations_are_read_by_name_and_by_themselves(
    installed: Installed, tmp_path: Path
) -> None:
    related = installed.folder / "Relations"
    fold = installed.folder / "Fold1"
    links = related / "web" / "links.tsv"
    data = rw.read(fold / "train.txt", relations=[links])
    assert data.relation("links").places.tolist() == [0, 1]
    assert [files.relations for files in find_folds(installed.folder)] == [
        (related / "cites.txt", links)
    ] * 3
    scores = {}
    for name, chosen in (("cites", related / "cites.txt"), ("links", links)):
        model, scored = tmp_path / f"{name}.json", tmp_path / f"{name}.txt"
        options = ("--set", f"relation={name}", "--relations", chosen, "-o", model)
        run(train, fold / "train.txt", "--ranker", "propagation", *options)
        run(score, model, fold / "test.txt", "--relations", chosen, "-o", scored)
        scores[name] = np.loadtxt(scored)
    assert not np.array_equal(scores["cites"], scores["links"])
