"""The arena as one object: everything that pages, the API and commands ask for.

`Showing` is what is shown of it: boards, comparisons, history, use; each computed once.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.arena_settings import ArenaSettings, read_settings
from rankwise.arena.audit import Audit, audit_arena, export_arena
from rankwise.arena.boards import Viewing, make_board, visible_entries
from rankwise.arena.entry_comparison import compare_entries, compute_standings, find_near_duplicates
from rankwise.arena.evaluator import Asked, Evaluator, FigureStore, check_asked, check_shown
from rankwise.arena.hidden_data import HiddenTest, decode_scores
from rankwise.arena.ladder import count_bits
from rankwise.arena.participation import (
    HALVES,
    Account,
    ArenaEntry,
    ArenaTask,
    BadRequest,
    Half,
    Invitation,
    Kind,
    NotAllowed,
    Quota,
    Submission,
    UnknownThing,
    require_organiser,
)
from rankwise.arena.storage import stored_records
from rankwise.arena.storage.database import Database, read_events, read_last
from rankwise.arena.storage.encryption import read_key
from rankwise.arena.storage.event_log import LogEvent, format_time
from rankwise.arena.storage.stored_records import (
    EntryRow,
    read_entries,
    read_entry,
    read_scores,
    read_task,
    read_tasks,
)
from rankwise.arena.submitting import Submitting
from rankwise.arena.views import (
    Board,
    EntryComparison,
    HistoryPoint,
    NearDuplicate,
    Standing,
    Usage,
)

_TASKS_IN_MEMORY = 8


class Arena:
    """An open arena; safe to use from several threads, and from several processes at once.

    Methods that read take `account=None` for a reader whom nobody knows. What is refused is an
    `ArenaError` whose `code` names the kind; other errors of users are `RankwiseError`.
    """

    def __init__(
        self, settings: ArenaSettings, *, clock: Callable[[], float] | None = None
    ) -> None:
        self.settings = settings
        self._clock = clock or time.time
        self._seal = read_key(settings.key_file)
        self._database = Database(settings.database_address)
        self.open_hidden = lru_cache(maxsize=_TASKS_IN_MEMORY)(self._open_hidden)
        self._evaluator = Evaluator(settings, self.open_hidden)
        self._figures = FigureStore(self._database, self._seal, self._evaluator)
        self._submitting = Submitting(self._database, self._evaluator, self._figures, self.now)
        self._showing = Showing(self._database, self._figures, self.now)

    @classmethod
    def open(
        cls, place: str | Path | ArenaSettings, *, clock: Callable[[], float] | None = None
    ) -> Arena:
        """Open the arena of an `arena.toml`, or of the folder that holds one.

        `clock` gives seconds since 1970 and is the system's by default.
        """
        settings = place if isinstance(place, ArenaSettings) else read_settings(place)
        return cls(settings, clock=clock)

    def close(self) -> None:
        """Close the database and end the processes that evaluate."""
        self._evaluator.close()
        self._database.close()

    def __enter__(self) -> Arena:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def now(self) -> str:
        """The time, as records have it."""
        return format_time(self._clock())

    # Tasks

    def tasks(self) -> tuple[ArenaTask, ...]:
        """All tasks, in the order in which they were made."""
        with self._database.reading() as connection:
            return stored_records.read_tasks(connection)

    def task(self, name: str) -> ArenaTask:
        """The task of a name; `UnknownThing` where there is none."""
        with self._database.reading() as connection:
            return stored_records.read_task(connection, name)

    def package(self, task: str) -> Path:
        """The zip file that participants download."""
        return self.settings.packages_folder / f"{self.task(task).name}.zip"

    def reveal(self, task: str, account: Account) -> ArenaTask:
        """Close a task and show the private half; organisers only, and for good."""
        by = require_organiser(account, "reveal a private half")
        with self._database.writing() as connection:
            return stored_records.reveal_task(connection, task, by, self.now())

    # Accounts

    def invite(self, role: str, team: str, account: Account) -> str:
        """A token that one person can accept once, within the arena's `invitation_days`."""
        by = require_organiser(account, "invite others")
        days = self.settings.invitation_days
        with self._database.writing() as connection:
            return stored_records.make_invitation(connection, role, team, by, self.now(), days)

    def invitation(self, token: str) -> Invitation:
        """What an invitation offers, without accepting it; `UnknownToken` where it is none."""
        with self._database.reading() as connection:
            return stored_records.look_at_invitation(connection, token, self.now())

    def accept(self, invitation: str, name: str) -> str:
        """Spend an invitation; the token of the new account, which is shown this once."""
        with self._database.writing() as connection:
            return stored_records.accept_invitation(connection, invitation, name, self.now())

    def authenticate(self, token: str) -> Account:
        """The account of a token; `UnknownToken` where it has none."""
        with self._database.reading() as connection:
            return stored_records.find_account(connection, token)

    def revoke(self, account_id: str, account: Account) -> None:
        """End an account's token and its open invitations; its entries stay. Organisers only."""
        by = require_organiser(account, "revoke accounts")
        with self._database.writing() as connection:
            stored_records.revoke_account(connection, account_id, by, self.now())

    # Submissions

    def submit(
        self, account: Account, task: str, submission: Submission, *, kind: Kind = "entry"
    ) -> ArenaEntry:
        """Check, evaluate and keep a submission; when this returns, it survives a power cut.

        The same scores of the same team are the same entry, which is then given back with
        `new=False` and costs no quota; neither does an upload that is refused (`BadUpload` with
        the reader's sentence, `TooLarge`, `QuotaSpent`, `TaskClosed`, `NotAllowed`). Organisers
        enter a `baseline`, which neither quota nor Ladder concern.
        """
        return self._submitting.submit(account, task, submission, kind)

    def quota(self, account: Account, task: str) -> Quota:
        """What the account's team has used today."""
        return self._submitting.quota(account, task)

    def entry(self, entry: str, account: Account | None = None) -> ArenaEntry:
        """An entry as the account may see it."""
        return self._showing.entry(entry, account)

    def entries(self, task: str, account: Account) -> tuple[ArenaEntry, ...]:
        """The team's own entries, newest first; of an organiser those of all."""
        return self._showing.entries(task, account)

    # What is shown

    def board(
        self,
        task: str,
        measure: str | None = None,
        tool: str | None = None,
        *,
        half: Half | None = None,
        account: Account | None = None,
    ) -> Board:
        """The board by a measure of a tool; by default the task's own.

        While the task is open boards show what its rules list (`Rules.board_measures`), every
        other measure of any tool once the private half is revealed.

        `half` is by default the public one until the private one is revealed.
        """
        return self._showing.board(task, measure, tool, half, account)

    def compare(
        self,
        first: str,
        second: str,
        measure: str | None = None,
        tool: str | None = None,
        *,
        half: Half | None = None,
        account: Account | None = None,
    ) -> EntryComparison:
        """Two entries of one task that are shown, query by query where the rules allow it."""
        return self._showing.compare((first, second), measure, tool, half, account)

    def history(self, task: str, account: Account | None = None) -> tuple[HistoryPoint, ...]:
        """The entries that were the best when they came, by the task's measure."""
        return self._showing.history(task, account)

    def usage(self, task: str, account: Account | None = None) -> Usage:
        """How much the public half was used."""
        return self._showing.usage(task, account)

    def near_duplicates(self, task: str, account: Account) -> tuple[NearDuplicate, ...]:
        """Entries that rank nearly alike; organisers only."""
        require_organiser(account, "see near duplicates")
        return self._showing.near_duplicates(task, self.open_hidden(task).query_offsets)

    def standings(self, account: Account | None = None) -> tuple[Standing, ...]:
        """Winning numbers of methods across the tasks, baselines included."""
        return self._showing.standings(account)

    def revision(self) -> int:
        """The length of the log: nothing that is shown changes while it stays the same, but for
        embargoes that end."""
        with self._database.reading() as connection:
            last = read_last(connection)
        return 0 if last is None else last.sequence

    # Trust

    def events(
        self, account: Account | None = None, *, after: int = 0, limit: int = 100
    ) -> tuple[LogEvent, ...]:
        """Lines of the log; payloads only for organisers, digests for everybody."""
        with self._database.reading() as connection:
            found = read_events(connection, after, limit)
        if account is not None and account.organises:
            return tuple(found)
        return tuple(event.without_payload() for event in found)

    def audit(self, receipts: Sequence[str] = ()) -> Audit:
        """Recompute everything from the log and say what differs.

        `receipts` are what entries and audits gave, `SEQUENCE:DIGEST`: lines that must be there.
        """
        return audit_arena(self._database, self._evaluator, self.settings.packages_folder, receipts)

    def export(self, folder: str | Path) -> tuple[Path, ...]:
        """Everything that is public, as JSON and CSV files; their paths."""
        return export_arena(self, Path(folder))

    def _open_hidden(self, task: str) -> HiddenTest:
        with self._database.reading() as connection:
            return stored_records.open_hidden(connection, task, self._seal)


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
