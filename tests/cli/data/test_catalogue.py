"""`rankwise data list|fetch|import` as a user meets them."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data import catalog_commands as data_catalog
from rankwise.cli.data.catalog_commands import (
    complete_name,
    fetch_command,
    import_command,
    list_command,
)
from rankwise.data.catalog import CatalogEntry, catalog_entries, find_entry
from rankwise.data.catalog.entries import Archive
from rankwise.errors import RankwiseError

ROWS = "0 qid:{0} 1:0\n1 qid:{0} 1:1\n"
PARTS = ("train", "vali", "test")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RANKWISE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "little.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for number, part in enumerate(PARTS):
            packed.writestr(f"little/{part}.txt", ROWS.format(number))
    return path


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch, archive: Path) -> CatalogEntry:
    """A small entry in place of the one that is asked for."""
    entry = replace(
        find_entry("istella/s"),
        queries=3,
        documents=6,
        features=1,
        label_levels=(0, 1),
        addresses=(archive.as_uri(),),
        archive=Archive("little.zip", archive.stat().st_size),
        file_checksums={},
    )
    monkeypatch.setattr(data_catalog, "find_entry", lambda name: entry)
    return entry


def run(command: click.Command, *arguments: str) -> Result:
    result = CliRunner().invoke(command, list(arguments))
    if isinstance(result.exception, RankwiseError):
        raise result.exception
    return result


def test_list_shows_every_entry_within_80_columns():
    lines = run(list_command).stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    shown = {line.split()[0] for line in lines if "/" in line}
    assert shown == {entry.name for entry in catalog_entries()}


def test_list_says_how_to_get_each_one():
    lines = run(list_command).stdout.splitlines()
    states = {line.split()[0]: line.split()[-1] for line in lines if "/" in line}
    assert states["mslr/web10k"] == "fetch"
    assert states["yahoo/set1"] == "import"
    assert states["aol/aol"] == "–"


def test_list_as_json_has_the_facts():
    found = {
        entry["name"]: entry for entry in json.loads(run(list_command, "--format", "json").stdout)
    }
    assert len(found) == 23
    mq2008 = found["letor4/mq2008"]
    assert (mq2008["queries"], mq2008["documents"], mq2008["features"]) == (784, 15211, 46)
    assert mq2008["label_counts"] == [12279, 2001, 931]
    assert mq2008["installed"] == []
    assert found["yahoo/set2"]["part_facts"]["test"] == {"queries": 3798, "documents": 103174}


@pytest.mark.parametrize("entry", catalog_entries(), ids=lambda entry: entry.name)
def test_list_of_one_shows_its_licence_and_citation(entry: CatalogEntry):
    shown = " ".join(run(list_command, entry.name).stdout.split())
    assert entry.licence.split()[0] in shown
    assert entry.citation.split(".")[0] in shown
    assert "None" not in shown


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(RankwiseError, match="did you mean mslr/web10k"):
        run(list_command, "mslr10k")


def test_import_says_what_was_verified_and_list_then_says_ready(
    little: CatalogEntry, archive: Path, home: Path
):
    shown = run(import_command, "istella/s", str(archive)).stdout
    assert "rows, queries, features, labels" in shown
    assert "documents      6" in shown
    listed = json.loads(run(list_command, "istella/s", "--format", "json").stdout)
    assert listed[0]["installed"][0]["folder"] == str(home / "istella" / "s")
    assert "ready" in run(list_command).stdout


def test_import_as_json_is_the_manifest(little: CatalogEntry, archive: Path, home: Path):
    found = json.loads(run(import_command, "istella/s", str(archive), "--format", "json").stdout)
    assert found["facts"] == {
        "documents": 6,
        "queries": 3,
        "features": 1,
        "labels": {"0": 3, "1": 3},
    }
    assert set(found["files"]) == {f"{part}.txt" for part in PARTS}


def test_import_links_and_replaces(little: CatalogEntry, archive: Path, tmp_path: Path, home: Path):
    run(import_command, "istella/s", str(archive))
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "mine")
    with pytest.raises(RankwiseError, match="replace_old=True"):
        run(import_command, "istella/s", str(tmp_path / "mine"))
    run(import_command, "istella/s", str(tmp_path / "mine"), "--link", "--replace")
    assert (home / "istella" / "s" / "train.txt").is_symlink()


def test_fetch_shows_the_licence_before_it_loads(little: CatalogEntry, home: Path):
    result = run(fetch_command, "istella/s", "--yes")
    assert f"Licence: {little.licence}" in result.stderr
    assert "Home page: http://quickrank.isti.cnr.it/istella-dataset/" in result.stderr
    assert (home / "istella" / "s" / "train.txt").read_text() == ROWS.format(0)


def test_fetch_removes_the_archive_unless_told_to_keep_it(little: CatalogEntry, home: Path):
    run(fetch_command, "istella/s", "--yes")
    assert list((home / "downloads").iterdir()) == []
    run(fetch_command, "istella/s", "--yes", "--replace", "--keep-archive")
    assert [path.name for path in (home / "downloads").iterdir()] == ["istella-s-little.zip"]


def test_fetch_without_yes_and_without_a_terminal_loads_nothing(little: CatalogEntry, home: Path):
    with pytest.raises(RankwiseError, match=r"the licence must be accepted: .* with --yes"):
        run(fetch_command, "istella/s")
    assert not home.exists()


def test_fetch_of_what_is_installed_says_so(little: CatalogEntry, archive: Path):
    run(import_command, "istella/s", str(archive))
    with pytest.raises(RankwiseError, match="is installed already; replace_old=True"):
        run(fetch_command, "istella/s", "--yes")


def test_fetch_takes_an_address_of_the_user(
    little: CatalogEntry, archive: Path, tmp_path: Path, home: Path
):
    mirror = archive.rename(tmp_path / "mirror.zip")
    with pytest.raises(RankwiseError, match="could not be fetched"):
        run(fetch_command, "istella/s", "--yes")
    run(fetch_command, "istella/s", "--yes", "--address", mirror.as_uri())
    assert (home / "istella" / "s" / "test.txt").exists()


def test_fetch_without_an_address_tells_to_import():
    with pytest.raises(RankwiseError, match="run: rankwise data import letor3/ohsumed PATH"):
        run(fetch_command, "letor3/ohsumed", "--yes")


@pytest.mark.parametrize("command", [list_command, fetch_command, import_command])
def test_help_has_examples_that_parse(command: click.Command):
    shown = run(command, "--help").stdout
    examples = [line.split()[3:] for line in shown.splitlines() if "  rankwise data " in line]
    assert examples
    for arguments in examples:
        command.make_context("example", arguments)
        if arguments and not arguments[0].startswith("-"):
            find_entry(arguments[0])


def test_names_are_completed():
    context = click.Context(list_command)
    found = complete_name(context, list_command.params[0], "letor4/")
    assert [item.value for item in found] == ["letor4/mq2007", "letor4/mq2008"]
