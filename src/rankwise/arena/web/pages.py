"""Pages as text: each function asks the arena and fills one template.

There are the first page, the page of a task and the log; the board of a task (values with
intervals, what is not separated, cost, history); an entry, with what it reached among its
neighbours and what its team declares; and two entries beside each other (the difference, its
interval, and how it spreads over queries). On boards and comparisons a reader may choose measure,
tool, and half of the queries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from rankwise.arena.participation import HALVES, ROLES, ArenaEntry, ArenaTask, BadRequest, Half
from rankwise.arena.views import Board, BoardRow, EntryComparison, HistoryPoint
from rankwise.arena.web.addresses import BoardChoice
from rankwise.arena.web.charts import (
    NARROW,
    WIDE,
    BestPoint,
    ChartScale,
    CostPoint,
    draw_costs,
    draw_differences,
    draw_history,
    draw_quantiles,
    draw_strip,
    make_strip_scale,
)
from rankwise.arena.web.html_rendering import PageReader, Site
from rankwise.measures import TOOLS, lower_is_better
from rankwise.registry import is_own
from rankwise.sanitize import brief

LINES_OF_LOG = 100


def make_home_page(site: Site, reader: PageReader) -> str:
    """All tasks, and the winning numbers across them."""
    arena = site.arena
    standings = arena.standings(reader.account)
    return site.page("home.html", reader, tasks=arena.tasks(), standings=standings)


def make_task_page(site: Site, reader: PageReader, task: ArenaTask) -> str:
    """One task: data, rules, and what the reader's team has done."""
    arena, account = site.arena, reader.account
    takes_part = account is not None and account.role == "participant"
    quota = arena.quota(account, task.name) if account and takes_part else None
    sees_entries = account is not None and account.role != "reader"
    entries = arena.entries(task.name, account) if account and sees_entries else ()
    usage = arena.usage(task.name, account)
    return site.page("task.html", reader, task=task, quota=quota, entries=entries, usage=usage)


def make_log_page(site: Site, reader: PageReader, after: int | None = None) -> str:
    """A page of the log: the lines after a number, or the last ones."""
    last = site.arena.revision()
    begin = max(0, last - 1) // LINES_OF_LOG * LINES_OF_LOG if after is None else after
    events = site.arena.events(reader.account, after=begin, limit=LINES_OF_LOG)
    reached = events[-1].sequence if events else begin
    return site.page(
        "log.html", reader, events=events,
        shows_payloads=reader.account is not None and reader.account.organises,
        earlier=max(0, begin - LINES_OF_LOG) if begin > 0 else None,
        later=reached if reached < last else None,
    )  # fmt: skip


def make_organise_page(
    site: Site, reader: PageReader, *, made: str = "", refused: str = "", team: str = ""
) -> str:
    """The organisers' page: invitations, and entries that rank nearly alike."""
    account = reader.account
    tasks = site.arena.tasks() if account is not None else ()
    duplicates = [
        (task, site.arena.near_duplicates(task.name, account)) for task in tasks if account
    ]
    return site.page(
        "organise.html", reader, made=made, refused=refused, given_team=team, roles=ROLES,
        duplicates=duplicates,
    )  # fmt: skip


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
        "letters": sorted({letter for row in rows for letter in row.groups}, key=_length_key),
    }


def _length_key(letter: str) -> tuple[int, str]:
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
    points = [BestPoint(_find_seconds(one.submitted), one.name, one.value) for one in history]
    if not points:
        return None
    now = max(datetime.now(UTC).timestamp(), points[-1].seconds)
    return draw_history(points, measure, now, WIDE), draw_history(points, measure, now, NARROW)


def _find_seconds(moment: str) -> float:
    known = datetime.fromisoformat(moment)
    return (known if known.tzinfo else known.replace(tzinfo=UTC)).timestamp()


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


_SEPARATION_LEVEL = 0.05
_MOST_QUERIES = 500


def make_comparison_page(
    site: Site, reader: PageReader, task: ArenaTask, found: EntryComparison
) -> str:
    """The page; single queries only where the arena gave them."""
    if found.queries:
        differences = [one.second - one.first for one in found.queries]
        names = found.first_name, found.second_name, found.measure
        picture = [draw_differences(differences, *names, width) for width in (WIDE, NARROW)]
    else:
        mean = found.difference, found.low, found.high
        picture = [
            draw_quantiles(found.quantiles, mean, found.measure, width) for width in (WIDE, NARROW)
        ]
    return site.page(
        "comparison.html", reader, task=task, found=found, picture=picture,
        verdict=_judge_difference(found), chosen=BoardChoice(found.measure, found.tool, found.half),
        measures=list_measures(task), tools=list_tools(task), halves=find_halves(task),
        most_queries=_MOST_QUERIES,
    )  # fmt: skip


def _judge_difference(found: EntryComparison) -> str:
    """What the test says, in a sentence."""
    where = f"{found.measure} by the tool {found.tool}, {found.half} half"
    if not found.p_value < _SEPARATION_LEVEL:
        return f"The queries do not separate the two methods ({where})."
    better = (found.difference > 0) != lower_is_better(found.measure)
    one, other = (
        (found.second_name, found.first_name) if better else (found.first_name, found.second_name)
    )
    return f"{one} is better than {other} by more than the luck of the queries ({where})."


SUGGESTED_MEASURES = (
    "NDCG@10", "NDCG@5", "NDCG@1", "NDCG", "MAP", "P@10", "P@5", "MRR", "ERR@10", "ERR", "R@10",
    "RBP",
)  # fmt: skip
_LONGEST_CHOICE = 200


def read_choice(task: ArenaTask, given: Mapping[str, str]) -> BoardChoice:
    """What a reader asks for; the task's own where nothing is said.

    A measure `module:Name` would import that module, with all the rights of the arena: it is
    refused here, whatever it names.
    """
    measure = (given.get("measure") or "").strip() or task.rules.measure
    tool = (given.get("tool") or "").strip() or task.rules.tool
    half = (given.get("half") or "").strip() or find_halves(task)[-1]
    if is_own(measure) or len(measure) > _LONGEST_CHOICE:
        raise BadRequest(f"the measure must be one of Rankwise's own, found {brief(measure)}")
    if tool not in TOOLS:
        raise BadRequest(f"the tool must be one of {', '.join(TOOLS)}, found {brief(tool)}")
    if half not in HALVES:
        raise BadRequest(f"the half must be {' or '.join(HALVES)}, found {brief(half)}")
    return BoardChoice(measure, tool, half)


def as_half(name: str) -> Half:
    """A half by its name, which `read_choice` has looked at."""
    return "private" if name == "private" else "public"


def find_halves(task: ArenaTask) -> tuple[Half, ...]:
    """The halves that can be seen, the one to be shown first last."""
    return ("public",) if task.open else ("public", "private")


def list_measures(task: ArenaTask) -> tuple[str, ...]:
    """Measures to choose from; once all is revealed any other can be typed."""
    shown = task.rules.shown_measures
    return shown if task.open else tuple(dict.fromkeys((*shown, *SUGGESTED_MEASURES)))


def list_tools(task: ArenaTask) -> tuple[str, ...]:
    """Tools to choose from: the task's own, and once all is revealed all."""
    return (task.rules.tool,) if task.open else tuple(TOOLS)
