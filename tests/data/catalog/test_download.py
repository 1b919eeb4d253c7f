"""Downloads from a server that breaks off, changes its mind and lies."""

from __future__ import annotations

import json
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.catalog import fetching as module
from rankwise.data.catalog.fetching import ATTEMPTS, download
from rankwise.errors import RankwiseError

from .server import Site, serving

CONTENT = bytes(range(256)) * 4000
OTHER = CONTENT[::-1]


class Pauses(list[float]):
    """Takes the place of waiting."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def fetch(site: Site, part: Path, **options: object) -> Pauses:
    pauses = Pauses()
    download(site.address, part, pause=pauses, **options)  # type: ignore[arg-type]
    return pauses


def ranges(site: Site) -> list[str | None]:
    return [headers.get("Range") for headers in site.requests]


def test_a_file_arrives_whole_and_progress_ends_at_one(tmp_path: Path):
    shares: list[float] = []
    with serving(Site(CONTENT)) as site:
        pauses = fetch(site, tmp_path / "a.part", progress=shares.append)
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert pauses == []


@pytest.mark.parametrize(
    ("tag", "modified"),
    [
        ('"one"', None),
        (None, "Sat, 01 Jan 2011 00:00:00 GMT"),
        ('W/"weak"', "Sat, 01 Jan 2011 00:00:00 GMT"),
        (None, None),
    ],
)
def test_a_broken_download_goes_on_where_it_ended(
    tmp_path: Path, tag: str | None, modified: str | None
):
    with serving(Site(CONTENT, tag, modified, breaks=[1000, 2000])) as site:
        pauses = fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert ranges(site) == [None, "bytes=1000-", "bytes=3000-"]
    guard = tag if tag and not tag.startswith("W/") else modified
    assert [headers.get("If-Range") for headers in site.requests[1:]] == [guard, guard]
    assert pauses == [1.0, 1.0]


@settings(max_examples=15)
@given(st.lists(st.integers(0, 5000), max_size=4), st.booleans(), st.sampled_from(['"one"', None]))
def test_wherever_it_breaks_the_file_arrives(
    breaks: list[int], honours_range: bool, tag: str | None
):
    site = Site(CONTENT[:9000], tag, honours_range=honours_range, breaks=list(breaks))
    with tempfile.TemporaryDirectory() as folder, serving(site):
        fetch(site, Path(folder) / "a.part")
        assert (Path(folder) / "a.part").read_bytes() == CONTENT[:9000]


def test_a_second_call_goes_on_from_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "ATTEMPTS", 1)
    with serving(Site(CONTENT, breaks=[1000, 0])) as site:
        with pytest.raises(RankwiseError, match="1,000 bytes that arrived are kept"):
            fetch(site, tmp_path / "a.part")
        fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert ranges(site)[-1] == "bytes=1000-"


def test_a_whole_file_is_not_asked_for_again(tmp_path: Path):
    with serving(Site(CONTENT)) as site:
        fetch(site, tmp_path / "a.part")
        fetch(site, tmp_path / "a.part")
    assert len(site.requests) == 1


def test_a_server_without_ranges_begins_anew(tmp_path: Path):
    with serving(Site(CONTENT, honours_range=False, breaks=[1000])) as site:
        fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert len(site.requests) == 2


@pytest.mark.parametrize("tag", ['"one"', None])
@pytest.mark.parametrize("other", [OTHER, OTHER[:500], OTHER + b"more"])
def test_a_file_that_changes_midway_is_never_mixed(tmp_path: Path, tag: str | None, other: bytes):
    """Without a tag only the length tells; equal lengths are left to the checksum."""
    if tag is None and len(other) == len(CONTENT):
        other += b"x"
    with serving(Site(CONTENT, tag, breaks=[1000], swapped=other)) as site:
        fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == other


def test_what_came_from_another_address_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "ATTEMPTS", 1)
    with serving(Site(OTHER, breaks=[1000, 0])) as first, pytest.raises(RankwiseError):
        fetch(first, tmp_path / "a.part")
    with serving(Site(CONTENT)) as second:
        fetch(second, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert ranges(second) == [None]


def test_an_unfinished_file_of_unknown_origin_is_not_kept(tmp_path: Path):
    (tmp_path / "a.part").write_bytes(b"nobody knows")
    with serving(Site(CONTENT)) as site:
        fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT


def test_pauses_grow_while_nothing_arrives_and_end(tmp_path: Path):
    with serving(Site(CONTENT, breaks=[0] * 100)) as site:
        pauses = Pauses()
        with pytest.raises(RankwiseError, match=f"failed {ATTEMPTS} times in a row"):
            download(site.address, tmp_path / "a.part", pause=pauses)
    assert pauses == [1.0, 2.0, 4.0, 8.0]
    assert len(site.requests) == ATTEMPTS


def test_an_endless_crawl_without_ranges_is_given_up(tmp_path: Path):
    """Bytes that arrive again are no progress."""
    with serving(Site(CONTENT, honours_range=False, breaks=[1000] * 100)) as site:
        with pytest.raises(RankwiseError, match="in a row"):
            fetch(site, tmp_path / "a.part")
        assert len(site.requests) == ATTEMPTS + 1


def test_bytes_that_arrived_before_are_no_progress_after_a_worse_break(tmp_path: Path):
    breaks = [1000] + [500, 900] * 50
    with serving(Site(CONTENT, honours_range=False, breaks=breaks)) as site:
        with pytest.raises(RankwiseError, match="in a row"):
            fetch(site, tmp_path / "a.part")
        assert len(site.requests) == ATTEMPTS + 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_refusal_is_tried_again(tmp_path: Path, status: int):
    with serving(Site(CONTENT, statuses=[status, status])) as site:
        pauses = fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_lasting_refusal_is_a_sentence_at_once(tmp_path: Path, status: int):
    with serving(Site(CONTENT, statuses=[status] * 9)) as site:
        with pytest.raises(RankwiseError, match=f"the server answered {status}"):
            fetch(site, tmp_path / "a.part")
        assert len(site.requests) == 1
    assert not (tmp_path / "a.part").exists()


def test_a_web_page_is_not_an_archive(tmp_path: Path):
    with (
        serving(Site(b"<html>", content_type="text/html; charset=utf-8")) as site,
        pytest.raises(RankwiseError, match="leads to a web page, not to an archive"),
    ):
        fetch(site, tmp_path / "a.part")


def test_a_length_that_is_not_the_known_one_is_refused_before_loading(tmp_path: Path):
    sentence = "must have 5 bytes, the server offers 1,024,000"
    with serving(Site(CONTENT)) as site, pytest.raises(RankwiseError, match=sentence):
        fetch(site, tmp_path / "a.part", size=5)
    assert not (tmp_path / "a.part").exists()


def test_a_server_that_does_not_say_how_long_is_stopped_at_the_known_size(tmp_path: Path):
    with (
        serving(Site(CONTENT, says_length=False)) as site,
        pytest.raises(RankwiseError, match="more than the 5 bytes"),
    ):
        fetch(site, tmp_path / "a.part", size=5)
    assert (tmp_path / "a.part").stat().st_size == 0


def test_a_file_without_a_length_arrives(tmp_path: Path):
    with serving(Site(CONTENT, says_length=False)) as site:
        fetch(site, tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT


def test_nobody_listening_is_a_sentence(tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(RankwiseError, match="the server cannot be reached"):
        download(f"http://127.0.0.1:{port}/x", tmp_path / "a.part", pause=Pauses())


@pytest.mark.parametrize("address", ["ftp://host/x", "archive.zip", "data:,x"])
def test_other_kinds_of_address_are_refused(tmp_path: Path, address: str):
    with pytest.raises(RankwiseError, match="must begin with https:// or http://"):
        download(address, tmp_path / "a.part")


def test_a_file_address_is_read(tmp_path: Path):
    (tmp_path / "there").write_bytes(CONTENT)
    download((tmp_path / "there").as_uri(), tmp_path / "a.part")
    assert (tmp_path / "a.part").read_bytes() == CONTENT
    with pytest.raises(RankwiseError, match="cannot be reached"):
        download((tmp_path / "missing").as_uri(), tmp_path / "b.part")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_a_sentence(tmp_path: Path):
    (tmp_path / "a.part").symlink_to("/dev/full")
    (tmp_path / "there").write_bytes(CONTENT)
    address = (tmp_path / "there").as_uri()
    begun = {"address": address, "total": len(CONTENT), "entity_tag": None, "modified": None}
    (tmp_path / "a.part.json").write_text(json.dumps(begun))
    with pytest.raises(RankwiseError, match="No space left on device; run the same command again"):
        download(address, tmp_path / "a.part")


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_of_unknown_size_may_have_so_many_bytes(tmp_path: Path, says_length: bool):
    part = tmp_path / "a.part"
    with serving(Site(CONTENT, says_length=says_length)) as site:
        with pytest.raises(
            RankwiseError, match=r"may have 500,000 bytes, the server .*: most_bytes$"
        ):
            fetch(site, part, most_bytes=500_000)
        assert list(tmp_path.iterdir()) == []
        fetch(site, part, most_bytes=len(CONTENT))
        assert part.read_bytes() == CONTENT


def test_a_known_size_needs_no_limit(tmp_path: Path):
    part = tmp_path / "a.part"
    with serving(Site(CONTENT, says_length=False)) as site:
        fetch(site, part, size=len(CONTENT), most_bytes=1)
    assert part.read_bytes() == CONTENT
