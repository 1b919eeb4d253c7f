"""Archives of the catalogue: checked, resumed, and refused with a sentence."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.data.catalog import catalog_entries, find_entry
from rankwise.data.catalog import fetching as download_module
from rankwise.data.catalog.entries import Archive, CatalogEntry
from rankwise.data.catalog.fetching import fetch_archive, fetch_dataset
from rankwise.errors import RankwiseError

from .little import ENTRY as LITTLE
from .little import write_folds
from .server import Site, serving

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()


def entry_with(*addresses: str, size: int | None = len(CONTENT), **checksums: str) -> CatalogEntry:
    archive = Archive("archive.zip", size=size, checksums=checksums)
    return replace(find_entry("letor4/mq2008"), addresses=addresses, archive=archive)


def fetch(entry: CatalogEntry, folder: Path) -> Path:
    return fetch_archive(entry, folder, pause=lambda seconds: None)


@pytest.mark.parametrize("checksums", [{"sha256": SHA256}, {"md5": MD5}, {}])
def test_an_archive_of_the_right_checksum_is_kept(tmp_path: Path, checksums: dict[str, str]):
    with serving(Site(CONTENT, breaks=[1000])) as site:
        archive = fetch(entry_with(site.address, **checksums), tmp_path / "new")
    assert archive.read_bytes() == CONTENT
    assert list((tmp_path / "new").iterdir()) == [archive]


def test_a_wrong_checksum_leaves_nothing(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        entry = entry_with(site.address, sha256="0" * 64)
        with pytest.raises(
            RankwiseError, match=f"must have the sha256 checksum 0{{64}}, found {SHA256}"
        ):
            fetch(entry, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_archive_with_a_wrong_checksum_is_loaded_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with serving(Site(CONTENT, breaks=[1000, 0])) as site:
        entry = entry_with(site.address, sha256=SHA256)
        with monkeypatch.context() as impatient, pytest.raises(RankwiseError):
            impatient.setattr(download_module, "ATTEMPTS", 1)
            fetch(entry, tmp_path)
        part = next(tmp_path.glob("*.part"))
        part.write_bytes(b"x" * 1000)
        assert fetch(entry, tmp_path).read_bytes() == CONTENT
    assert [headers.get("Range") for headers in site.requests[-2:]] == ["bytes=1000-", None]


def test_the_next_address_is_tried(tmp_path: Path):
    with serving(Site(b"", statuses=[404])) as dead, serving(Site(CONTENT)) as alive:
        archive = fetch(entry_with(dead.address, alive.address, sha256=SHA256), tmp_path)
    assert archive.read_bytes() == CONTENT
    assert len(dead.requests) == 1


def test_when_all_addresses_fail_each_reason_is_said(tmp_path: Path):
    with (
        serving(Site(b"", statuses=[404])) as one,
        serving(Site(b"", statuses=[410])) as two,
        pytest.raises(RankwiseError) as caught,
    ):
        fetch(entry_with(one.address, two.address), tmp_path)
    message = str(caught.value)
    assert f"{one.address}: the server answered 404" in message
    assert f"{two.address}: the server answered 410" in message
    assert message.endswith("and run: rankwise data import letor4/mq2008 PATH")


def test_a_named_address_takes_the_place_of_the_known_ones(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        entry = entry_with("http://127.0.0.1:9/dead", sha256=SHA256)
        archive = fetch_archive(entry, tmp_path, addresses=[site.address])
    assert archive.read_bytes() == CONTENT


def test_an_archive_that_is_there_is_used(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        entry = entry_with(site.address, sha256=SHA256)
        assert fetch(entry, tmp_path) == fetch(entry, tmp_path)
    assert len(site.requests) == 1


def test_an_archive_that_was_damaged_since_is_loaded_again(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        entry = entry_with(site.address, sha256=SHA256)
        fetch(entry, tmp_path).write_bytes(b"damaged")
        assert fetch(entry, tmp_path).read_bytes() == CONTENT


def test_too_small_a_disk_is_said_before_loading(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        with pytest.raises(RankwiseError, match="make room or set RANKWISE_HOME"):
            fetch(entry_with(site.address, size=1 << 60), tmp_path)
        assert site.requests == []


without_address = [entry for entry in catalog_entries() if not entry.addresses]


@pytest.mark.parametrize("entry", without_address, ids=lambda entry: entry.name)
def test_without_an_address_the_user_is_told_to_bring_the_archive(
    entry: CatalogEntry, tmp_path: Path
):
    with pytest.raises(RankwiseError, match=f"run: rankwise data import {entry.name} PATH"):
        fetch(entry, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def packed_folds(folder: Path) -> CatalogEntry:
    """An entry of the little data set, whose address is a file here."""
    with zipfile.ZipFile(folder / "little.zip", "w") as packed:
        for path in sorted(write_folds(folder / "mine").rglob("*.txt")):
            packed.write(path, path.relative_to(folder))
    size = (folder / "little.zip").stat().st_size
    address = (folder / "little.zip").as_uri()
    return replace(LITTLE, addresses=(address,), archive=Archive("little.zip", size))


@pytest.mark.parametrize("keep", [False, True])
def test_a_fetched_archive_is_removed_unless_it_is_to_be_kept(keep: bool, tmp_path: Path):
    home = tmp_path / "home"
    item = fetch_dataset(packed_folds(tmp_path), accept_licence=True, keep_archive=keep, home=home)
    assert item.facts["documents"] == 9
    kept = [path.name for path in (home / "downloads").iterdir()]
    assert kept == (["letor4-mq2008-little.zip"] if keep else [])


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("accepts", [False, True])
def test_nothing_is_fetched_before_its_licence_is_accepted(
    accepts: bool, asked: bool, tmp_path: Path
):
    entry, home = packed_folds(tmp_path), tmp_path / "home"
    questions = []

    def ask(shown: CatalogEntry, address: str) -> bool:
        questions.append((shown, address))
        return accepts

    consent = ask if asked else accepts
    if accepts:
        assert fetch_dataset(entry, accept_licence=consent, home=home).folder.is_relative_to(home)
    else:
        with pytest.raises(RankwiseError, match="the licence of letor4/mq2008 must be accepted"):
            fetch_dataset(entry, accept_licence=consent, home=home)
        assert not home.exists()
    assert questions == ([(entry, entry.addresses[0])] if asked else [])
