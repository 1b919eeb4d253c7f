"""Boards: values with intervals, groups that tests do not separate, the front of value and cost.

Groups are letters (a compact letter display): every pair of methods is compared by Student's
paired t-test over the queries, the p-values are adjusted by Holm over all pairs, and methods that
share a letter are not separated at the level. The letters are the maximal sets of methods of which
no two are separated (Piepho 2004, An algorithm for a letter-based representation of all-pairwise
comparisons, Journal of Computational and Graphical Statistics 13), found as the maximal cliques of
Bron and Kerbosch (1973) with a pivot, since a board of two hundred methods has twenty thousand
pairs.

Published figures of the task's data set stand beside its board.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.evaluator import Asked, Figures
from rankwise.arena.ladder import round_to_queries
from rankwise.arena.participation import Account, ArenaTask, Cost, Half
from rankwise.arena.storage.stored_records import EntryRow
from rankwise.arena.views import Board, BoardRow
from rankwise.comparison.significance_tests.intervals import confidence_interval
from rankwise.comparison.significance_tests.paired_tests import TIE_DECIMALS, alike_p_value
from rankwise.comparison.significance_tests.procedure import holm
from rankwise.comparison.winning_numbers import find_front
from rankwise.measures.measure import result_name
from rankwise.results.published.published_tables import read_shipped

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
            _board_row(viewing, entry, figures[entry.id]),
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


def _board_row(viewing: Viewing, entry: EntryRow, figures: Figures) -> BoardRow:
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


MOST_LETTERS = 400

Values = NDArray[np.float64]
Matrix = NDArray[np.bool_]


def separate(values: Values, level: float) -> Matrix:
    """(methods, methods): which pairs the tests separate; rows of `values` are methods."""
    count = len(values)
    separated = np.zeros((count, count), dtype=bool)
    if count < 2 or values.shape[1] < 2:
        return separated
    first, second = np.triu_indices(count, 1)
    p_values = np.concatenate([_p_values(values[row], values[row + 1 :]) for row in range(count)])
    found = holm(p_values) < level
    separated[first[found], second[found]] = True
    return separated | separated.T


def _p_values(one: Values, others: Values) -> Values:
    """Of the paired t-tests of one method with several; those of `t_test` of each pair."""
    # Twenty thousand tails at once, where the compiled core gives one at a time.
    from scipy.special import stdtr

    differences = others - one
    queries = differences.shape[1]
    settled = np.round(differences, TIE_DECIMALS) + 0.0
    alike = (settled == settled[:, :1]).all(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    deviation[alike] = 1.0
    statistics = np.abs(differences.mean(axis=1)) * math.sqrt(queries) / deviation
    p_values = np.minimum(1.0, 2.0 * stdtr(queries - 1, -statistics))
    p_values[alike] = [alike_p_value(common, queries) for common in settled[alike, 0].tolist()]
    return np.asarray(p_values, dtype=np.float64)


def letter_groups(separated: Matrix) -> list[tuple[str, ...]]:
    """For each method its letters, given in the order of the methods: a, b, … z, aa, ab, …

    Methods share a letter exactly where they are not separated. Where that would take more than
    `MOST_LETTERS`, as hostile entries could make it, letters go to runs of neighbours only: still
    none that share one are separated.
    """
    count = len(separated)
    sets = _find_sets(separated)
    if sets is None:
        sets = _find_runs(separated)
    members = [[place for place in range(count) if one >> place & 1] for one in sets]
    letters: list[list[str]] = [[] for _ in range(count)]
    for number, own in enumerate(sorted(members)):
        for member in own:
            letters[member].append(_letter(number))
    return [tuple(own) for own in letters]


def _find_sets(separated: Matrix) -> list[int] | None:
    """Largest sets without a separated pair, as bits; None where they are too many."""
    weights = [1 << place for place in range(len(separated))]
    alike = [
        sum(weight for weight, apart in zip(weights, row, strict=True) if not apart) & ~own
        for own, row in zip(weights, separated.tolist(), strict=True)
    ]
    found: list[int] = []
    # Sets that may still grow: their members, who may join, and who was tried before.
    growing = [(0, (1 << len(separated)) - 1, 0)]
    while growing:
        members, candidates, tried = growing.pop()
        if not candidates and not tried:
            found.append(members)
            if len(found) > MOST_LETTERS:
                return None
            continue
        pivot = max(
            _list_bits(candidates | tried), key=lambda one: (alike[one] & candidates).bit_count()
        )
        for one in _list_bits(candidates & ~alike[pivot]):
            growing.append((members | weights[one], candidates & alike[one], tried & alike[one]))
            candidates &= ~weights[one]
            tried |= weights[one]
    return found if len(separated) else []


def _list_bits(number: int) -> list[int]:
    """The places of the ones."""
    places = []
    while number:
        lowest = number & -number
        places.append(lowest.bit_length() - 1)
        number ^= lowest
    return places


def _find_runs(separated: Matrix) -> list[int]:
    """Longest runs of neighbours without a separated pair, as bits."""
    runs: list[int] = []
    reached = 0
    for begin in range(len(separated)):
        end = max(reached, begin + 1)
        while end < len(separated) and not separated[begin:end, end].any():
            end += 1
        if end > reached:
            runs.append(((1 << (end - begin)) - 1) << begin)
            reached = end
    return runs


def _letter(number: int) -> str:
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


PUBLISHED_NOTE = "on all queries of the data set, which are not those of this board"
PUBLISHED_TABLES = ("tax2015_results", "modern_results")


def list_published(task: ArenaTask, measure: str) -> list[BoardRow]:
    """Published figures of the same data set and measure; whose queries nobody knows here."""
    found: dict[tuple[str, str], BoardRow] = {}
    for name in PUBLISHED_TABLES:
        table = read_shipped(name).where(
            collection=task.collection, dataset=task.dataset, measure=result_name(measure)
        )
        for row in table.rows():
            key = str(row["method"]), str(row["source"] or "")
            found.setdefault(key, _published_row(key, float(row["value"])))
    return list(found.values())


def _published_row(key: tuple[str, str], value: float) -> BoardRow:
    return BoardRow(
        entry="",
        name=key[0],
        team=key[1],
        kind="published",
        value=value,
        low=float("nan"),
        high=float("nan"),
        groups=(),
        best=False,
        cost=Cost(),
        front=False,
        submitted="",
        note=PUBLISHED_NOTE,
    )
