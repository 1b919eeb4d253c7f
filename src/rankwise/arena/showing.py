"""What is shown of an arena: boards, comparisons, history, use; each computed once."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.account import Account
from rankwise.arena.boards import Viewing, make_board, visible_entries
from rankwise.arena.comparing import compare_entries, compute_standings
from rankwise.arena.database import Database, read_last
from rankwise.arena.duplicates import find_near_duplicates
from rankwise.arena.entry import ArenaEntry
from rankwise.arena.entry_rows import EntryRow, read_entries, read_entry, read_scores
from rankwise.arena.errors import BadRequest, NotAllowed, UnknownThing
from rankwise.arena.evaluator import Asked, check_asked, check_shown
from rankwise.arena.figure_rows import FigureStore
from rankwise.arena.ladder import count_bits
from rankwise.arena.scores import decode_scores
from rankwise.arena.task import HALVES, ArenaTask, Half
from rankwise.arena.task_rows import read_task, read_tasks
from rankwise.arena.views import (
    Board,
    EntryComparison,
    HistoryPoint,
    NearDuplicate,
    Standing,
    Usage,
)

_BOARDS_IN_MEMORY = 200


class Showing:
    """What computes all that is shown."""

    def __init__(self, database: Database, figures: FigureStore, now: Callable[[], str]) -> None:
        self._database, self._figures, self._now = database, figures, now
        self._boards: OrderedDict[tuple[Any, ...], Board] = OrderedDict()
        self._turn = threading.Lock()

    def board(
        self,
        task: str,
        measure: str | None,
        tool: str | None,
        half: Half | None,
        account: Account | None,
    ) -> Board:
        """A board, which is kept until the log grows or an embargo ends."""
        viewing, entries = self._look(task, measure, tool, half, account)
        hiding = tuple(
            entry.id
            for entry in entries
            if entry.is_embargoed(viewing.time) and not entry.belongs_to(account)
        )
        key = (task, viewing.asked, viewing.half, viewing.revision, hiding)
        with self._turn:
            if key in self._boards:
                self._boards.move_to_end(key)
                return self._boards[key]
        shown = visible_entries(viewing.task, entries)
        figures = self._figures.figures(viewing.task, shown, viewing.asked, viewing.half)
        made = make_board(viewing, entries, figures)
        with self._turn:
            self._boards[key] = made
            while len(self._boards) > _BOARDS_IN_MEMORY:
                self._boards.popitem(last=False)
        return made

    def compare(
        self,
        ids: tuple[str, str],
        measure: str | None,
        tool: str | None,
        half: Half | None,
        account: Account | None,
    ) -> EntryComparison:
        """Two entries of one task."""
        with self._database.reading() as connection:
            first, second = (read_entry(connection, one) for one in ids)
        if first.task != second.task:
            raise BadRequest(
                f"entries must be of one task to be compared, found {first.task} and {second.task}"
            )
        viewing, _ = self._look(first.task, measure, tool, half, account)
        for entry in (first, second):
            if entry not in visible_entries(viewing.task, [entry]):
                raise UnknownThing(
                    f"the figures of an entry must be shown to be compared, found that the Ladder "
                    f"does not show those of {entry.id}"
                )
        pair = (first, second)
        figures = self._figures.figures(viewing.task, pair, viewing.asked, viewing.half)
        return compare_entries(viewing, first, second, figures)

    def entry(self, entry: str, account: Account | None) -> ArenaEntry:
        """An entry as the account may see it."""
        with self._database.reading() as connection:
            row = read_entry(connection, entry)
            task = read_task(connection, row.task)
        (found,) = self._view(task, [row], account)
        return found

    def entries(self, task: str, account: Account) -> tuple[ArenaEntry, ...]:
        """The team's own entries, newest first; of an organiser those of all."""
        with self._database.reading() as connection:
            found = read_task(connection, task)
            rows = read_entries(connection, task, None if account.organises else account.team)
        return self._view(found, rows[::-1], account)

    def _view(
        self, task: ArenaTask, rows: Sequence[EntryRow], account: Account | None
    ) -> tuple[ArenaEntry, ...]:
        """Entries with what the Ladder told of them, and once all is revealed their own values."""
        own: Mapping[str, float] = {}
        if not task.open:
            asked = Asked(task.rules.measure, task.rules.tool)
            figures = self._figures.figures(task, rows, asked, "public")
            own = {entry: one.mean for entry, one in figures.items()}
        time = self._now()
        return tuple(row.view(task, account, time, value=own.get(row.id)) for row in rows)

    def history(self, task: str, account: Account | None) -> tuple[HistoryPoint, ...]:
        """Entries that were the best when they came."""
        viewing, entries = self._look(task, None, None, "public", account)
        sign = -1.0 if viewing.asked.lower_is_better else 1.0
        points: list[HistoryPoint] = []
        for entry in entries:
            # What the Ladder did not show was nobody's best, then or now.
            if not entry.shown or (points and sign * (entry.value - points[-1].value) <= 0.0):
                continue
            team = entry.name_team(account, viewing.time)
            name = entry.declaration.title
            points.append(HistoryPoint(entry.submitted, entry.id, name, team, entry.value))
        return tuple(points)

    def usage(self, task: str, account: Account | None) -> Usage:
        """How much the public half was used."""
        viewing, entries = self._look(task, None, None, "public", account)
        own = [entry for entry in entries if entry.kind == "entry"]
        shown = sum(entry.shown for entry in own)
        teams = Counter(entry.name_team(account, viewing.time) for entry in own)
        rows = sum(entry.shown for entry in entries)
        measures = len(viewing.task.rules.shown_measures)
        bits = count_bits(viewing.queries, measures, rows, len(entries) - rows)
        count = len({entry.team for entry in own})
        return Usage(task, len(own), shown, count, round(bits, 1), tuple(teams.most_common()))

    def near_duplicates(
        self, task: str, query_offsets: NDArray[np.int64]
    ) -> tuple[NearDuplicate, ...]:
        """Entries that rank nearly alike."""
        with self._database.reading() as connection:
            entries = read_entries(connection, read_task(connection, task).name)
            packed = read_scores(connection, [entry.digest for entry in entries])
        scores = {digest: decode_scores(content) for digest, content in packed.items()}
        return find_near_duplicates(entries, scores, query_offsets)

    def standings(self, account: Account | None) -> tuple[Standing, ...]:
        """Winning numbers across tasks."""
        with self._database.reading() as connection:
            tasks = read_tasks(connection)
        shown: list[tuple[ArenaTask, EntryRow, str, float]] = []
        for task in tasks:
            viewing, entries = self._look(task.name, None, None, None, account)
            own = visible_entries(task, entries)
            figures = self._figures.figures(task, own, viewing.asked, viewing.half)
            shown += [
                (task, entry, entry.name_team(account, viewing.time),
                 viewing.show(figures[entry.id].mean))
                for entry in own
            ]  # fmt: skip
        return compute_standings(shown)

    def _look(
        self,
        name: str,
        measure: str | None,
        tool: str | None,
        half: Half | None,
        account: Account | None,
    ) -> tuple[Viewing, Sequence[EntryRow]]:
        with self._database.reading() as connection:
            task = read_task(connection, name)
            entries = read_entries(connection, name)
            last = read_last(connection)
        wanted = half or ("public" if task.open else "private")
        if wanted not in HALVES:
            raise BadRequest(f"the half must be one of {', '.join(HALVES)}, found {wanted!r}")
        if wanted == "private" and task.open:
            raise NotAllowed(f"the private half of {name} is shown to nobody before it is revealed")
        asked = check_asked(measure or task.rules.measure, tool or task.rules.tool)
        asked = check_shown(task, asked)
        revision = 0 if last is None else last.sequence
        return Viewing(task, asked, wanted, account, self._now(), revision), entries
