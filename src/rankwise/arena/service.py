"""The arena as one object: everything that pages, the API and commands ask for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType

from rankwise.arena import membership, task_rows
from rankwise.arena.account import Account, Invitation, require_organiser
from rankwise.arena.auditing import Audit, audit_arena
from rankwise.arena.clock import format_time
from rankwise.arena.database import Database, read_events, read_last
from rankwise.arena.entry import ArenaEntry, Kind, Quota, Submission
from rankwise.arena.evaluator import Evaluator
from rankwise.arena.events import LogEvent
from rankwise.arena.exporting import export_arena
from rankwise.arena.figure_rows import FigureStore
from rankwise.arena.hidden import HiddenTest
from rankwise.arena.sealing import read_key
from rankwise.arena.settings import ArenaSettings, read_settings
from rankwise.arena.showing import Showing
from rankwise.arena.submitting import Submitting
from rankwise.arena.task import ArenaTask, Half
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
            return task_rows.read_tasks(connection)

    def task(self, name: str) -> ArenaTask:
        """The task of a name; `UnknownThing` where there is none."""
        with self._database.reading() as connection:
            return task_rows.read_task(connection, name)

    def package(self, task: str) -> Path:
        """The zip file that participants download."""
        return self.settings.packages_folder / f"{self.task(task).name}.zip"

    def reveal(self, task: str, account: Account) -> ArenaTask:
        """Close a task and show the private half; organisers only, and for good."""
        by = require_organiser(account, "reveal a private half")
        with self._database.writing() as connection:
            return task_rows.reveal_task(connection, task, by, self.now())

    # Accounts

    def invite(self, role: str, team: str, account: Account) -> str:
        """A token that one person can accept once, within the arena's `invitation_days`."""
        by = require_organiser(account, "invite others")
        days = self.settings.invitation_days
        with self._database.writing() as connection:
            return membership.make_invitation(connection, role, team, by, self.now(), days)

    def invitation(self, token: str) -> Invitation:
        """What an invitation offers, without accepting it; `UnknownToken` where it is none."""
        with self._database.reading() as connection:
            return membership.look_at_invitation(connection, token, self.now())

    def accept(self, invitation: str, name: str) -> str:
        """Spend an invitation; the token of the new account, which is shown this once."""
        with self._database.writing() as connection:
            return membership.accept_invitation(connection, invitation, name, self.now())

    def authenticate(self, token: str) -> Account:
        """The account of a token; `UnknownToken` where it has none."""
        with self._database.reading() as connection:
            return membership.find_account(connection, token)

    def revoke(self, account_id: str, account: Account) -> None:
        """End an account's token and its open invitations; its entries stay. Organisers only."""
        by = require_organiser(account, "revoke accounts")
        with self._database.writing() as connection:
            membership.revoke_account(connection, account_id, by, self.now())

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
            return task_rows.open_hidden(connection, task, self._seal)
