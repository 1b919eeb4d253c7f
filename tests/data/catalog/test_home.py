"""The data home: where it is, and what it says is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.data.catalog import find_entry
from rankwise.data.catalog.home import (
    MANIFEST,
    Installed,
    find_part_file,
    find_user_data_folder,
    get_data_home,
    get_dataset_folder,
    list_installed,
    write_manifest,
)
from rankwise.errors import RankwiseError

HOME = Path.home()


def install(home: Path, name: str, version: str | None, files: list[str]) -> Installed:
    folder = get_dataset_folder(find_entry(name), version, home)
    folder.mkdir(parents=True)
    known = {file: {"bytes": 1, "sha256": "0" * 64} for file in files}
    item = Installed(name, version, folder, "folds", known, {"documents": 3}, ("rows",), "/from")
    write_manifest(item, folder)
    return item


def test_the_environment_variable_names_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("RANKWISE_HOME", str(tmp_path))
    assert get_data_home() == tmp_path


def test_a_tilde_in_the_variable_is_the_users_folder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANKWISE_HOME", "~/ranking")
    assert get_data_home() == HOME / "ranking"


def test_without_the_variable_the_home_is_in_the_users_data(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("RANKWISE_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/xdg")
    monkeypatch.setattr("sys.platform", "linux")
    assert get_data_home() == Path("/xdg/rankwise")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, HOME / ".local/share"),
        ("linux", {"XDG_DATA_HOME": "/xdg"}, Path("/xdg")),
        ("linux", {"XDG_DATA_HOME": "relative"}, HOME / ".local/share"),
        ("darwin", {"XDG_DATA_HOME": "/xdg"}, HOME / "Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local")),
        ("win32", {}, HOME / "AppData/Local"),
    ],
)
def test_every_platform_has_its_folder(platform: str, environment: dict[str, str], folder: Path):
    assert find_user_data_folder(platform, environment) == folder


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path):
    item = install(tmp_path, "letor4/mq2008", "MIN", ["Fold1/train.txt"])
    assert list_installed(find_entry("letor4/mq2008"), tmp_path) == [item]


def test_versions_come_in_the_order_of_preference(tmp_path: Path):
    for version in ("NULL", "QueryLevelNorm"):
        install(tmp_path, "letor3/ohsumed", version, ["all.txt"])
    found = list_installed(find_entry("letor3/ohsumed"), tmp_path)
    assert [item.version for item in found] == ["QueryLevelNorm", "NULL"]


def test_nothing_is_installed_in_an_empty_home(tmp_path: Path):
    assert list_installed(find_entry("mslr/web10k"), tmp_path) == []


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"name": "x", "files": 3}'])
def test_a_damaged_manifest_is_a_sentence(tmp_path: Path, content: str):
    item = install(tmp_path, "mslr/web10k", None, ["Fold1/train.txt"])
    (item.folder / MANIFEST).write_text(content)
    with pytest.raises(RankwiseError, match="is not a manifest that Rankwise wrote"):
        list_installed(find_entry("mslr/web10k"), tmp_path)


def test_part_file_finds_a_part_also_compressed(tmp_path: Path):
    item = install(tmp_path, "mslr/web10k", None, ["Fold1/train.txt", "Fold2/vali.txt.gz"])
    found = find_part_file(find_entry("mslr/web10k"), "vali", fold=2, home=tmp_path)
    assert found == item.folder / "Fold2/vali.txt.gz"


def test_part_file_says_how_to_get_what_is_not_there(tmp_path: Path):
    with pytest.raises(RankwiseError, match="get it with 'rankwise data fetch mslr/web10k'"):
        find_part_file(find_entry("mslr/web10k"), "train", fold=1, home=tmp_path)


def test_part_file_says_which_parts_there_are(tmp_path: Path):
    install(tmp_path, "mslr/web10k", None, ["Fold1/train.txt"])
    with pytest.raises(RankwiseError, match=r"has no part Fold9/train .* holds Fold1/train.txt"):
        find_part_file(find_entry("mslr/web10k"), "train", fold=9, home=tmp_path)
