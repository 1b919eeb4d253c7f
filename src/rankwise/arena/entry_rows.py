"""Entries in the database, and what of them is for whose eyes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from rankwise.arena import tables
from rankwise.arena.account import Account
from rankwise.arena.clock import day_of
from rankwise.arena.database import append
from rankwise.arena.entry import ArenaEntry, Declaration, Kind
from rankwise.arena.errors import UnknownThing
from rankwise.arena.scores import pack_scores, unpack_scores
from rankwise.arena.sql import Connection, Row, func, insert, select
from rankwise.arena.task import ArenaTask
from rankwise.results.store.schema import dump_canonical

AT_ONCE = 50
"""Entries whose scores or figures are asked for in one statement."""


@dataclass(frozen=True)
class EntryRow:
    """An entry with everything that the database knows of it.

    `alias` and `embargo_until` are as the team wished; `view` says who sees what.
    """

    id: str
    number: int
    task: str
    team: str
    account: str
    kind: Kind
    declaration: Declaration
    submitted: str
    alias: str
    embargo_until: str | None
    shown: bool
    value: float
    digest: str
    receipt: str

    def belongs_to(self, account: Account | None) -> bool:
        """Whether the account may see all of it: the team's own, and organisers."""
        if account is None:
            return False
        return account.organises or (bool(account.team) and account.team == self.team)

    def is_embargoed(self, time: str) -> bool:
        """Whether an embargo lasts."""
        return self.embargo_until is not None and time < self.embargo_until

    def name_team(self, account: Account | None, time: str) -> str:
        """The team, or its alias."""
        hides = self.is_embargoed(time) and not self.belongs_to(account)
        return self.alias if hides else self.team

    def view(
        self,
        task: ArenaTask,
        account: Account | None,
        time: str,
        *,
        new: bool = False,
        value: float | None = None,
    ) -> ArenaEntry:
        """The entry as an account may see it; `value` is its own where all is revealed."""
        hides = self.is_embargoed(time) and not self.belongs_to(account)
        declaration = Declaration(self.declaration.title) if hides else self.declaration
        return ArenaEntry(
            self.id,
            self.task,
            self.name_team(account, time),
            self.kind,
            declaration,
            self.submitted,
            self.embargo_until if self.is_embargoed(time) else None,
            self.shown or not task.open,
            self.value if value is None else value,
            self.digest,
            self.receipt,
            new,
        )


def read_entry(connection: Connection, entry: str) -> EntryRow:
    """The entry of an id."""
    row = connection.execute(select(tables.entries).where(tables.entries.c.id == entry)).first()
    if row is None:
        raise UnknownThing(f"there must be an entry {entry!r}, found none of this id in the arena")
    return _entry(row)


def find_entry(connection: Connection, task: str, team: str, digest: str) -> EntryRow | None:
    """The entry that these scores of this team are."""
    known = tables.entries.c
    row = connection.execute(
        select(tables.entries).where(known.task == task, known.team == team, known.digest == digest)
    ).first()
    return None if row is None else _entry(row)


def read_entries(connection: Connection, task: str, team: str | None = None) -> list[EntryRow]:
    """The entries of a task, or those of a team in it, in the order in which they came."""
    known = tables.entries.c
    wanted = select(tables.entries).where(known.task == task).order_by(known.number)
    if team is not None:
        wanted = wanted.where(known.team == team)
    return [_entry(row) for row in connection.execute(wanted)]


def count_today(connection: Connection, task: str, team: str, time: str) -> int:
    """How many new entries a team has made on the day of `time`."""
    known = tables.entries.c
    wanted = (
        select(func.count())
        .select_from(tables.entries)
        .where(known.task == task, known.team == team, known.kind == "entry")
        .where(known.submitted.startswith(day_of(time), autoescape=True))
    )
    return int(connection.execute(wanted).scalar_one())


def next_number(connection: Connection) -> int:
    """The number of the next entry of the arena."""
    highest = connection.execute(select(func.max(tables.entries.c.number))).scalar()
    return int(highest or 0) + 1


def add_entry(connection: Connection, facts: dict[str, Any], scores: bytes) -> EntryRow:
    """Keep an entry with its scores, and tell the log; `facts` are those of `EntryRow`."""
    logged = {**facts, "declaration": asdict(facts["declaration"])}
    line = append(connection, facts["submitted"], "entry", logged)
    known = tables.contents.c
    held = connection.execute(select(known.digest).where(known.digest == facts["digest"])).first()
    if held is None:
        connection.execute(
            insert(tables.contents).values(digest=facts["digest"], packed=pack_scores(scores))
        )
    row = {**logged, "declaration": dump_canonical(logged["declaration"]), "receipt": line.receipt}
    connection.execute(insert(tables.entries).values(**row))
    return EntryRow(**facts, receipt=line.receipt)


def read_scores(connection: Connection, digests: Sequence[str]) -> dict[str, bytes]:
    """Encoded scores by digest."""
    known = tables.contents.c
    found: dict[str, bytes] = {}
    for begin in range(0, len(digests), AT_ONCE):
        some = list(digests[begin : begin + AT_ONCE])
        rows = connection.execute(select(known.digest, known.packed).where(known.digest.in_(some)))
        found |= {row.digest: unpack_scores(row.packed) for row in rows}
    return found


def _entry(row: Row[Any]) -> EntryRow:
    facts = dict(row._mapping)
    facts["declaration"] = Declaration.from_facts(json.loads(facts["declaration"]))
    facts["kind"] = cast(Kind, facts["kind"])
    return EntryRow(**facts)
