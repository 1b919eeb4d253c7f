"""The site as files: every link leads to a file that is there, and nothing asks for a server."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from rankwise.arena import export_site
from rankwise.arena.web.addresses import name_file

from .conftest import HOSTILE, TASK, Made


@pytest.fixture(scope="module")
def site(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    written = export_site(made.arena, folder, measures=("MAP",), tools=("letor4", "trec_eval"))
    assert written.files == len(list(folder.iterdir()))
    return written.first_page.parent


def test_every_link_leads_to_a_file(site: Path) -> None:
    pages = list(site.glob("*.html"))
    assert len(pages) > 8
    for page in pages:
        for address in re.findall(r'(?:href|src)="([^"#][^"]*)"', page.read_text("utf-8")):
            target = unquote(unescape(address))
            if not target.startswith(("https://", "data:")):
                assert (site / target).is_file(), (page.name, address)


def test_nothing_is_asked_of_a_server(site: Path) -> None:
    pages = list(site.glob("*.html"))
    assert len(pages) > 8
    for page in pages:
        text = page.read_text("utf-8")
        assert 'method="post"' not in text and "Sign in" not in text and "<select" not in text
        assert "<script>window" not in text


def test_data_are_beside_the_pages(site: Path, made: Made) -> None:
    board = json.loads((site / f"board-{TASK}-MAP-definition-public.json").read_text("utf-8"))
    assert board["measure"] == "MAP" and board["rows"]
    assert not list(site.glob("board-*-letor4-*")) and not list(site.glob("board-*private*"))
    assert (site / f"package-{TASK}.zip").read_bytes() == made.arena.package(TASK).read_bytes()
    events = json.loads((site / "log.json").read_text("utf-8"))["events"]
    assert len(events) == made.arena.revision()
    assert all(event["payload"] == "" for event in events)


def test_a_closed_task_has_all_boards_and_what_the_ladder_hid(
    revealed: Made, tmp_path: Path
) -> None:
    export_site(revealed.arena, tmp_path, measures=("MAP",), tools=("letor4",))
    for half in ("public", "private"):
        assert (tmp_path / f"board-{TASK}-MAP-letor4-{half}.json").is_file()
    entry = json.loads((tmp_path / f"entries-{TASK}-2.json").read_text("utf-8"))
    (row,) = (one for one in revealed.arena.board(TASK, half="public").rows
              if one.entry == f"{TASK}-2")  # fmt: skip
    assert entry["value"] == row.value
    assert f"{row.value:.4f}" in (tmp_path / f"entry-{TASK}-2.html").read_text("utf-8")


def test_names_of_files_cannot_leave_the_folder() -> None:
    for name in ("../../etc/passwd", "a/b", HOSTILE, "", "..", "\0"):
        made = name_file("entry", name)
        assert "/" not in made and "\0" not in made and not made.startswith(".")
