"""The site is built strictly; it is reachable, linked truly, complete, and needs no network."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")

from tests.cli.test_options import COMMANDS
from tests.test_fronts import ROOT as PACKAGE

ROOT = Path(__file__).parents[2]
# With what `make docs` installs: ruff, where it is found, is started for every long signature. Of
# what such a process makes, little is garbage before its end. The colours of code change no link,
# no target and no entry of the search.
MKDOCS = """
import gc, sys
gc.disable()
sys.modules["ruff"] = None
from mkdocs.__main__ import cli
from pymdownx import highlight
highlight.pygments = False
cli()
"""
# Fronts one step below `rankwise`: what the reference of the API shows.
FRONTS = [
    "rankwise",
    *sorted(f"rankwise.{path.parent.name}" for path in PACKAGE.glob("*/__init__.pyi")),
]


class Page(HTMLParser):
    """What a page links to, loads and offers as targets of links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attributes if value is not None}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in {"script", "img", "iframe", "source"} and "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") not in {"canonical", "prev", "next"}:
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-c", MKDOCS, "build", "--strict", "--site-dir", str(folder)]
    surroundings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=surroundings)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {
        path: Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"
    }


def test_every_page_of_the_folder_is_reached_from_the_first(
    site: Path, pages: dict[Path, Page]
) -> None:
    reached, waiting = set(), [site / "index.html"]
    while waiting:
        page = waiting.pop()
        if page in pages and page not in reached:
            reached.add(page)
            waiting += [resolve(page, link)[0] for link in pages[page].links if is_inside(link)]
    written = {
        (site / path.relative_to(ROOT / "docs")).with_suffix(".html")
        for path in (ROOT / "docs").rglob("*.md")
    }
    written = {one.with_name("index.html") if one.stem == "README" else one for one in written}
    missing = sorted(str(page.relative_to(site)) for page in {*pages, *written} - reached)
    assert not missing, f"name them in docs/.nav.yml: {missing}"


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for page, content in pages.items():
        for link in filter(is_inside, [*content.links, *content.loaded]):
            target, anchor = resolve(page, link)
            found = target.is_file() and (
                not anchor or target not in pages or anchor in pages[target].anchors
            )
            if not found:
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_the_network(pages: dict[Path, Page]) -> None:
    assert {one for page in pages.values() for one in page.loaded if not is_inside(one)} == set()


def test_search_needs_no_server(site: Path) -> None:
    script = (site / "search/search_index.js").read_text("utf-8")
    entries = json.loads(script.removeprefix("var __index = "))["docs"]
    found = {entry["location"].partition("#")[0] for entry in entries}
    assert {"glossary.html", "reference/commands/evaluate.html"} <= found
    assert "assets/iframe-worker.js" in (site / "index.html").read_text("utf-8")


@pytest.mark.parametrize("front", FRONTS)
def test_every_public_name_is_in_the_reference(
    front: str, site: Path, pages: dict[Path, Page]
) -> None:
    anchors = pages[site / f"reference/api/{front}.html"].anchors
    rooms = {name for name in FRONTS if name != front}
    offered = {f"{front}.{name}" for name in importlib.import_module(front).__all__}
    assert offered - rooms <= anchors
    assert all((site / f"reference/api/{room}.html").is_file() for room in offered & rooms)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_in_the_reference(command: str, site: Path) -> None:
    page = (site / f"reference/commands/{command.split()[0]}.html").read_text("utf-8")
    assert f"Usage: rankwise {command} " in page


def is_inside(link: str) -> bool:
    address = urlsplit(link)
    return not address.scheme and not address.netloc


def resolve(page: Path, link: str) -> tuple[Path, str]:
    address = urlsplit(link)
    target = page if not address.path else Path(os.path.normpath(page.parent / address.path))
    return (target / "index.html" if target.is_dir() else target), unquote(address.fragment)
