"""Boards: values with intervals, groups that tests do not separate, the front of value and cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.account import Account
from rankwise.arena.entry import Cost
from rankwise.arena.entry_rows import EntryRow
from rankwise.arena.evaluator import Asked, Figures
from rankwise.arena.groups import letter_groups, separate
from rankwise.arena.ladder import round_to_queries
from rankwise.arena.published import list_published
from rankwise.arena.task import ArenaTask, Half
from rankwise.arena.views import Board, BoardRow
from rankwise.comparison.significance.intervals import confidence_interval
from rankwise.comparison.winning_numbers import find_front

LEVEL = 0.05


@dataclass(frozen=True)
class Viewing:
    """Who looks at what, and when."""

    task: ArenaTask
    asked: Asked
    half: Half
    account: Account | None
    time: str
    revision: int

    @property
    def queries(self) -> int:
        """Of the half."""
        public = self.half == "public"
        return self.task.public_queries if public else self.task.private_queries

    @property
    def rounds(self) -> bool:
        """Whether what is shown is rounded to one query; once all is revealed it need not be."""
        return self.task.open

    def show(self, value: float) -> float:
        """A value, or the end of an interval, as it may be seen."""
        return round_to_queries(value, self.queries) if self.rounds else value


def visible_entries(task: ArenaTask, entries: Sequence[EntryRow]) -> list[EntryRow]:
    """Those whose figures may be seen: what the Ladder shows, and all once all is revealed."""
    return [entry for entry in entries if entry.shown or not task.open]


def make_board(
    viewing: Viewing, entries: Sequence[EntryRow], figures: Mapping[str, Figures]
) -> Board:
    """The board of the entries that may be seen, with published figures beside."""
    shown = visible_entries(viewing.task, entries)
    sign = 1.0 if viewing.asked.lower_is_better else -1.0
    # By what is shown: the order of values that round to the same would tell of what was rounded.
    worth = {entry.id: sign * viewing.show(figures[entry.id].mean) for entry in shown}
    shown.sort(key=lambda entry: (worth[entry.id], entry.number))
    levels = np.array([worth[entry.id] for entry in shown])
    values = align([figures[entry.id].values for entry in shown])
    separated = separate(values, LEVEL)
    letters = letter_groups(separated)
    rows = [
        replace(
            _row(viewing, entry, figures[entry.id]),
            groups=letters[place],
            # What is separated from a row of a better value is significantly worse than that row.
            best=not separated[place, levels < levels[place]].any(),
        )
        for place, entry in enumerate(shown)
    ]
    rows = [*_mark_front(rows, viewing.asked), *list_published(viewing.task, viewing.asked.measure)]
    rows.sort(key=lambda row: sign * row.value)
    return Board(
        viewing.task.name,
        viewing.asked.measure,
        viewing.asked.tool,
        viewing.half,
        viewing.queries,
        viewing.asked.lower_is_better,
        tuple(rows),
        len(entries) - len(shown),
        viewing.revision,
        LEVEL,
    )


def align(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(entries, queries): queries that no entry has a figure for are left out, other gaps are 0."""
    if not values:
        return np.empty((0, 0))
    table = np.vstack(values)
    return np.asarray(np.nan_to_num(table[:, ~np.isnan(table).all(axis=0)]), dtype=np.float64)


def _row(viewing: Viewing, entry: EntryRow, figures: Figures) -> BoardRow:
    low, high = find_interval(figures)
    embargoed = entry.is_embargoed(viewing.time)
    seen = entry.view(viewing.task, viewing.account, viewing.time)
    said = seen.declaration
    return BoardRow(
        entry=entry.id,
        name=said.title,
        team=seen.team,
        kind=entry.kind,
        value=viewing.show(figures.mean),
        low=viewing.show(low),
        high=viewing.show(high),
        groups=(),
        best=False,
        cost=entry.declaration.cost if said is entry.declaration else Cost(),
        front=False,
        submitted=entry.submitted,
        paper=said.paper,
        code=said.code,
        training_data=said.training_data,
        embargoed=embargoed,
    )


def find_interval(figures: Figures) -> tuple[float, float]:
    """The 95 % interval of the mean over queries; NaN where the figure is no such mean."""
    known = figures.values[~np.isnan(figures.values)]
    if len(known) < 2 or not math.isclose(float(known.mean()), figures.mean, abs_tol=1e-9):
        return math.nan, math.nan
    interval = confidence_interval(known)
    return interval.low, interval.high


def _mark_front(rows: list[BoardRow], asked: Asked) -> list[BoardRow]:
    """Which rows no other beats in both value and declared training time."""
    costs = [row.cost.training_seconds for row in rows]
    places = [place for place, cost in enumerate(costs) if cost is not None]
    if not places:
        return rows
    sign = -1.0 if asked.lower_is_better else 1.0
    values = np.array([sign * rows[place].value for place in places])
    cheapness = np.array([-float(costs[place] or 0.0) for place in places])
    front = find_front(values, cheapness, "weak")
    on_front = {place for place, is_on in zip(places, front.tolist(), strict=True) if is_on}
    return [replace(row, front=place in on_front) for place, row in enumerate(rows)]
