"""The board of a task: values with intervals, what is not separated, cost, history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from rankwise.arena.task import ArenaTask
from rankwise.arena.views import Board, BoardRow, HistoryPoint
from rankwise.arena.web.charts.axes import ChartScale
from rankwise.arena.web.charts.planes import (
    NARROW,
    WIDE,
    BestPoint,
    CostPoint,
    draw_costs,
    draw_history,
)
from rankwise.arena.web.charts.strips import draw_strip, make_strip_scale
from rankwise.arena.web.links import BoardChoice
from rankwise.arena.web.pages.choices import find_halves, list_measures, list_tools
from rankwise.arena.web.site import PageReader, Site

Drawings = tuple[Markup, Markup]
_FEWEST_COSTS = 2


def make_board_page(
    site: Site,
    reader: PageReader,
    task: ArenaTask,
    choice: BoardChoice,
    board: Board | None,
    history: Sequence[HistoryPoint] = (),
    *,
    refused: str = "",
    others: Sequence[tuple[str, str]] = (),
) -> str:
    """The page; `refused` says why there is no board, `others` are boards in files beside it."""
    found: dict[str, Any] = {"board": board, "history": None, "costs": None, "best": history}
    if board is not None:
        tested = [row for row in board.rows if row.groups]
        found |= draw_rows(board.rows) | {
            "unbeaten": [row.name for row in tested if row.best],
            "tested": len(tested),
            "with_baselines": any(row.kind == "baseline" for row in board.rows),
            "rounded": task.open,
            "costs": _draw_costs(board),
            "history": _draw_history(history, task.rules.measure),
        }
    return site.page(
        "board.html", reader, task=task, chosen=choice, refused=refused, others=others,
        measures=list_measures(task), tools=list_tools(task), halves=find_halves(task), **found,
    )  # fmt: skip


def draw_rows(rows: Sequence[BoardRow]) -> dict[str, Any]:
    """Rows with their strips on one scale, the ends of that scale, and all letters of groups.

    Published figures are apart: they are on other queries, and no order holds between the two.
    """
    bounds = [one for row in rows for one in (row.value, row.low, row.high) if math.isfinite(one)]
    scale = make_strip_scale(bounds)
    drawn = [(row, _draw_strip(row, scale)) for row in rows]
    return {
        "rows": [(row, strip) for row, strip in drawn if row.kind != "published"],
        "published": [(row, strip) for row, strip in drawn if row.kind == "published"],
        "low": scale.low,
        "high": scale.high,
        "letters": sorted({letter for row in rows for letter in row.groups}, key=_by_length),
    }


def _by_length(letter: str) -> tuple[int, str]:
    return len(letter), letter


def _draw_strip(row: BoardRow, scale: ChartScale) -> Markup:
    if not math.isfinite(row.value):
        return Markup("")
    known = math.isfinite(row.low) and math.isfinite(row.high)
    low, high = (row.low, row.high) if known else (None, None)
    return draw_strip(scale, row.value, low, high, "" if row.kind == "entry" else row.kind)


def _draw_costs(board: Board) -> Drawings | None:
    points = [
        CostPoint(row.name, row.cost.training_seconds, row.value, row.front)
        for row in board.rows
        if row.cost.training_seconds is not None and math.isfinite(row.value)
    ]
    if len(points) < _FEWEST_COSTS:
        return None
    titles = "seconds of training", board.measure
    return draw_costs(points, *titles, WIDE), draw_costs(points, *titles, NARROW)


def _draw_history(history: Sequence[HistoryPoint], measure: str) -> Drawings | None:
    points = [BestPoint(_seconds(one.submitted), one.name, one.value) for one in history]
    if not points:
        return None
    now = max(datetime.now(UTC).timestamp(), points[-1].seconds)
    return draw_history(points, measure, now, WIDE), draw_history(points, measure, now, NARROW)


def _seconds(moment: str) -> float:
    known = datetime.fromisoformat(moment)
    return (known if known.tzinfo else known.replace(tzinfo=UTC)).timestamp()
