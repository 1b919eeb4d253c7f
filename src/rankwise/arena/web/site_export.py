"""The whole site as files: pages that any web server, or a disk, can show without us."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from rankwise.arena.arena import Arena
from rankwise.arena.json_records import board_csv, to_json
from rankwise.arena.participation import ArenaTask, BadRequest, NotAllowed
from rankwise.arena.views import Board
from rankwise.arena.web.addresses import BoardChoice, FileLinks
from rankwise.arena.web.application import read_static
from rankwise.arena.web.html_rendering import PageReader, Site
from rankwise.arena.web.pages import (
    LINES_OF_LOG,
    as_half,
    find_halves,
    make_board_page,
    make_comparison_page,
    make_entry_page,
    make_home_page,
    make_log_page,
    make_task_page,
)
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text

MEASURES = ("NDCG@10", "NDCG@5", "MAP", "P@10")
TOOLS = ("definition", "letor4", "trec_eval")
_MOST_PAIRS = 300
_READER = PageReader()


@dataclass(frozen=True)
class SiteExport:
    """What was written: the folder, its first page, and how many files."""

    folder: Path
    first_page: Path
    files: int


def export_site(
    arena: Arena,
    folder: str | Path,
    *,
    measures: Sequence[str] = MEASURES,
    tools: Sequence[str] = TOOLS,
) -> SiteExport:
    """Write every page that a reader without an account sees, with its data beside it.

    Boards of an open task are written by the measures that its rules list, those of a closed one
    also by each of `measures` as each of `tools` computes it, where it does. Comparisons are
    written for all pairs of entries on a board of the task's own, or where those would be too many
    for the first entry against each other one.
    """
    home = make_folder(folder)
    boards = {task.name: _find_boards(arena, task, measures, tools) for task in arena.tasks()}
    pairs = [pair for task in arena.tasks() for pair in _list_pairs(boards[task.name])]
    links = FileLinks(pairs=frozenset(frozenset(pair) for pair in pairs))
    site = Site(arena, links, interactive=False)
    files = 0
    for name, text in _write_pages(site, boards, pairs):
        write_text(home / name, text)
        files += 1
    for task in arena.tasks():
        shutil.copyfile(arena.package(task.name), home / links.package(task.name))
        files += 1
    return SiteExport(home, home / links.home(), files)


def write_site(arena: str | Path, folder: str | Path) -> SiteExport:
    """Open the arena of an `arena.toml`, or of the folder that holds one, and export its site."""
    with Arena.open(arena) as opened:
        return export_site(opened, folder)


Boards = dict[BoardChoice, Board]


def _find_boards(
    arena: Arena, task: ArenaTask, measures: Sequence[str], tools: Sequence[str]
) -> Boards:
    """The boards of a task; the one that it shows first is first. Refusals are left out."""
    rules, halves = task.rules, reversed(find_halves(task))
    wanted = dict.fromkeys(
        BoardChoice(measure, tool, half)
        for half in halves
        for measure, tool in [
            *((one, rules.tool) for one in rules.shown_measures),
            *((one, tool) for one in measures for tool in tools),
        ]
    )
    found = {}
    for choice in wanted:
        try:
            found[choice] = arena.board(
                task.name, choice.measure, choice.tool, half=as_half(choice.half)
            )
        except (BadRequest, NotAllowed):
            continue
    return found


def _list_pairs(boards: Boards) -> list[tuple[str, str]]:
    first = next(iter(boards.values()))
    entries = [row.entry for row in first.rows if row.entry]
    pairs = list(combinations(entries, 2))
    return pairs if len(pairs) <= _MOST_PAIRS else pairs[: len(entries) - 1]


def _write_pages(
    site: Site, boards: dict[str, Boards], pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    arena, links = site.arena, site.links
    yield from read_static().items()
    yield links.home(), make_home_page(site, _READER)
    yield links.data("tasks"), _dump({"tasks": arena.tasks()})
    yield links.data("standings"), _dump({"standings": arena.standings()})
    for task in arena.tasks():
        yield links.task(task.name), make_task_page(site, _READER, task)
        yield links.data("tasks", task.name), _dump(task)
        yield from _write_boards(site, task, boards[task.name])
        yield from _write_entries(site, task, next(iter(boards[task.name].values())))
    for first, second in pairs:
        yield from _write_comparison(site, first, second)
    yield from _write_log(site)


def _write_boards(site: Site, task: ArenaTask, boards: Boards) -> Iterator[tuple[str, str]]:
    links, history = site.links, site.arena.history(task.name)
    for number, (choice, board) in enumerate(boards.items()):
        others = [
            (links.board(task.name, other), f"{other.measure} by {other.tool}, {other.half} half")
            for other in boards
            if other != choice
        ]
        page = make_board_page(site, _READER, task, choice, board, history, others=others)
        yield links.board(task.name, choice), page
        yield links.board_data(task.name, choice), _dump(board)
        yield links.board_csv(task.name, choice), board_csv(board)
        if number == 0:
            yield links.board(task.name), page


def _write_entries(site: Site, task: ArenaTask, board: Board) -> Iterator[tuple[str, str]]:
    for row in board.rows:
        if row.entry:
            entry = site.arena.entry(row.entry)
            yield site.links.entry(entry.id), make_entry_page(site, _READER, task, entry, board)
            yield site.links.data("entries", entry.id), _dump(entry)


def _write_comparison(site: Site, first: str, second: str) -> Iterator[tuple[str, str]]:
    try:
        found = site.arena.compare(first, second)
    except RankwiseError:
        return
    task = site.arena.task(found.task)
    yield site.links.comparison(first, second), make_comparison_page(site, _READER, task, found)
    yield site.links.comparison_data(found), _dump(found)


def _write_log(site: Site) -> Iterator[tuple[str, str]]:
    last = site.arena.revision()
    yield site.links.log(), make_log_page(site, _READER)
    for begin in range(0, last, LINES_OF_LOG):
        yield site.links.log(begin), make_log_page(site, _READER, begin)
    yield site.links.data("log"), _dump({"events": site.arena.events(after=0, limit=last)})


def _dump(value: Any) -> str:
    return json.dumps(to_json(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
