"""The arena as one object: everything that pages, the API and commands ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from rankwise.arena.account import Account, Invitation
from rankwise.arena.auditing import Audit
from rankwise.arena.entry import Entry, Quota, Submission
from rankwise.arena.events import Event
from rankwise.arena.settings import ArenaSettings
from rankwise.arena.task import Half, Task
from rankwise.arena.views import (
    Board,
    EntryComparison,
    HistoryPoint,
    NearDuplicate,
    Standing,
    Usage,
)


class Arena:
    """An open arena; safe to use from several threads, and from several processes at once.

    Methods that read take `account=None` for a reader whom nobody knows. What is refused is an
    `ArenaError` whose `code` names the kind; other errors of users are `RankwiseError`.
    """

    settings: ArenaSettings

    @classmethod
    def open(
        cls, place: str | Path | ArenaSettings, *, clock: Callable[[], float] | None = None
    ) -> Arena:
        """Open the arena of an `arena.toml`, or of the folder that holds one.

        `clock` gives seconds since 1970 and is the system's by default.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close the database and end the process that evaluates."""
        raise NotImplementedError

    def __enter__(self) -> Arena:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Tasks

    def tasks(self) -> tuple[Task, ...]:
        """All tasks, in the order in which they were made."""
        raise NotImplementedError

    def task(self, name: str) -> Task:
        """The task of a name; `UnknownThing` where there is none."""
        raise NotImplementedError

    def package(self, task: str) -> Path:
        """The zip file that participants download."""
        raise NotImplementedError

    def reveal(self, task: str, account: Account) -> Task:
        """Close a task and show the private half; organisers only, and for good."""
        raise NotImplementedError

    # Accounts

    def invite(self, role: str, team: str, account: Account) -> str:
        """A token that one person can accept once, within the arena's `invitation_days`."""
        raise NotImplementedError

    def invitation(self, token: str) -> Invitation:
        """What an invitation offers, without accepting it; `UnknownToken` where it is none."""
        raise NotImplementedError

    def accept(self, invitation: str, name: str) -> str:
        """Spend an invitation; the token of the new account, which is shown this once."""
        raise NotImplementedError

    def authenticate(self, token: str) -> Account:
        """The account of a token; `UnknownToken` where it has none."""
        raise NotImplementedError

    def revoke(self, account_id: str, account: Account) -> None:
        """End an account's tokens; its entries stay. Organisers only."""
        raise NotImplementedError

    # Submissions

    def submit(self, account: Account, task: str, submission: Submission) -> Entry:
        """Check, evaluate and keep a submission; when this returns, it survives a power cut.

        The same scores of the same team are the same entry, which is then given back with
        `new=False` and costs no quota; neither does an upload that is refused (`BadUpload` with
        the reader's sentence, `TooLarge`, `QuotaSpent`, `TaskClosed`, `NotAllowed`).
        """
        raise NotImplementedError

    def quota(self, account: Account, task: str) -> Quota:
        """What the account's team has used today."""
        raise NotImplementedError

    def entry(self, entry: str, account: Account | None = None) -> Entry:
        """An entry as the account may see it."""
        raise NotImplementedError

    def entries(self, task: str, account: Account) -> tuple[Entry, ...]:
        """The team's own entries, newest first; of an organiser those of all."""
        raise NotImplementedError

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
        """The board by any measure of any tool; by default the task's own.

        `half` is by default the public one until the private one is revealed.
        """
        raise NotImplementedError

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
        raise NotImplementedError

    def history(self, task: str, account: Account | None = None) -> tuple[HistoryPoint, ...]:
        """The entries that were the best when they came, by the task's measure."""
        raise NotImplementedError

    def usage(self, task: str, account: Account | None = None) -> Usage:
        """How much the public half was used."""
        raise NotImplementedError

    def near_duplicates(self, task: str, account: Account) -> tuple[NearDuplicate, ...]:
        """Entries that rank nearly alike; organisers only."""
        raise NotImplementedError

    def standings(self, account: Account | None = None) -> tuple[Standing, ...]:
        """Winning numbers across the tasks, of methods that are on two boards or more."""
        raise NotImplementedError

    def revision(self) -> int:
        """The length of the log: nothing that is shown changes while it stays the same, but for
        embargoes that end."""
        raise NotImplementedError

    # Trust

    def events(
        self, account: Account | None = None, *, after: int = 0, limit: int = 100
    ) -> tuple[Event, ...]:
        """Lines of the log; payloads only for organisers, digests for everybody."""
        raise NotImplementedError

    def audit(self, receipts: tuple[str, ...] = ()) -> Audit:
        """Recompute everything from the log and say what differs."""
        raise NotImplementedError

    def export(self, folder: str | Path) -> None:
        """Everything that is public, as JSON and CSV files."""
        raise NotImplementedError
