"""The page of an entry: what it reached among its neighbours, and what its team declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.arena.entry import ArenaEntry
from rankwise.arena.task import ArenaTask
from rankwise.arena.views import Board, BoardRow
from rankwise.arena.web.pages.board import draw_rows
from rankwise.arena.web.site import PageReader, Site

_NEIGHBOURS = 4


def make_entry_page(
    site: Site,
    reader: PageReader,
    task: ArenaTask,
    entry: ArenaEntry,
    board: Board,
    just_now: str = "",
) -> str:
    """The page; `just_now` is `new` or `known` right after the submission that made it."""
    rows = [row for row in board.rows if row.kind != "published"]
    place = next((n for n, row in enumerate(rows) if row.entry == entry.id), None)
    found: dict[str, Any] = {"row": None, "alike": (), "near": (), "low": 0.0, "high": 1.0}
    if place is not None:
        row = rows[place]
        near = rows[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1]
        drawn = draw_rows(near)
        found = {**drawn, "row": row, "alike": _find_alike(rows, row), "near": drawn["rows"]}
    account = reader.account
    own = account is not None and bool(account.team) and account.team == entry.team
    return site.page(
        "entry.html", reader, task=task, entry=entry, board=board, own=own, just_now=just_now,
        **found,
    )  # fmt: skip


def _find_alike(rows: Sequence[BoardRow], row: BoardRow) -> list[BoardRow]:
    """The methods that share a letter with a row."""
    return [other for other in rows if other is not row and set(other.groups) & set(row.groups)]
