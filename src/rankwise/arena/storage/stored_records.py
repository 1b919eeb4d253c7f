"""Tasks, accounts and entries in the database, and what of them is for whose eyes.

Of a task there is what everybody may know as JSON, and the labels sealed. Invitations and accounts
have tokens of 256 random bits, of which the database has the digest only: a digest of what nobody
can guess needs no slow hash, since SHA-256 of 256 random bits tells nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from rankwise.arena.hidden_data import HiddenTest, pack_scores, unpack_scores
from rankwise.arena.participation import (
    BASELINES,
    Account,
    ArenaEntry,
    ArenaTask,
    BadRequest,
    Declaration,
    HiddenFold,
    Invitation,
    Kind,
    Role,
    Rules,
    TaskClosed,
    UnknownThing,
    UnknownToken,
    check_name,
    check_role,
)
from rankwise.arena.storage import arena_tables
from rankwise.arena.storage.arena_tables import Connection, Row, func, insert, select, update
from rankwise.arena.storage.database import append
from rankwise.arena.storage.encryption import Seal
from rankwise.arena.storage.event_log import add_days, day_of
from rankwise.results.store.schema import dump_canonical

_TASK_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_TASK_NAME = 40


def check_task_name(name: str) -> str:
    """A name that can stand in addresses and paths as it is."""
    if len(name) > LONGEST_TASK_NAME or _TASK_NAME.fullmatch(name) is None:
        raise BadRequest(
            f"the name of a task must be 1 to {LONGEST_TASK_NAME} small letters, digits and single "
            f"hyphens between them, found {name!r}"
        )
    return name


def add_task(connection: Connection, task: ArenaTask, hidden: HiddenTest, seal: Seal) -> None:
    """Keep a task, with its labels sealed."""
    known = arena_tables.tasks.c
    if connection.execute(select(known.name).where(known.name == task.name)).first():
        raise BadRequest(f"each task must have a name of its own, found {task.name!r} twice")
    number = (
        connection.execute(select(func.count()).select_from(arena_tables.tasks)).scalar_one() + 1
    )
    sealed = seal.close(hidden.to_bytes(), _label_context(task.name))
    facts = asdict(task)
    del facts["revealed"]
    connection.execute(
        insert(arena_tables.tasks).values(
            name=task.name, number=number, facts=dump_canonical(facts), sealed=sealed, revealed=None
        )
    )
    digest = hashlib.sha256(sealed).hexdigest()
    append(connection, task.created, "task", {"number": number, "facts": facts, "sealed": digest})


def read_tasks(connection: Connection) -> tuple[ArenaTask, ...]:
    """All tasks in the order in which they were made."""
    known = arena_tables.tasks.c
    rows = connection.execute(select(known.facts, known.revealed).order_by(known.number))
    return tuple(_make_task(json.loads(row.facts), row.revealed) for row in rows)


def read_task(connection: Connection, name: str) -> ArenaTask:
    """The task of a name."""
    known = arena_tables.tasks.c
    row = connection.execute(select(known.facts, known.revealed).where(known.name == name)).first()
    if row is None:
        raise UnknownThing(f"there must be a task {name!r}, found none of this name in the arena")
    return _make_task(json.loads(row.facts), row.revealed)


def open_hidden(connection: Connection, name: str, seal: Seal) -> HiddenTest:
    """The hidden test parts of a task."""
    known, task = arena_tables.tasks.c, read_task(connection, name)
    sealed = connection.execute(select(known.sealed).where(known.name == task.name)).scalar_one()
    return HiddenTest.from_bytes(seal.open(sealed, _label_context(name)))


def reveal_task(connection: Connection, name: str, by: Account, time: str) -> ArenaTask:
    """Close a task for good."""
    task = read_task(connection, name)
    if not task.open:
        raise TaskClosed(f"the task {name} must be open, found that it was revealed already")
    connection.execute(
        update(arena_tables.tasks).where(arena_tables.tasks.c.name == name).values(revealed=time)
    )
    append(connection, time, "revealed", {"by": by.id, "task": name})
    return read_task(connection, name)


def _make_task(facts: dict[str, Any], revealed: str | None) -> ArenaTask:
    folds = tuple(HiddenFold(**fold) for fold in facts.pop("folds"))
    rules = Rules(**facts.pop("rules"))
    return ArenaTask(**facts, folds=folds, rules=rules, revealed=revealed)


def _label_context(name: str) -> str:
    return f"labels of {name}"


INVITATION, TOKEN = "rwi_", "rwt_"
_TOKEN_BYTES = 32
_LONGEST_TOKEN = 100


def make_invitation(
    connection: Connection, role: str, team: str, by: Account, time: str, days: int
) -> str:
    """A new invitation; who has it can be the account that it offers."""
    wanted = check_role(role)
    if wanted == "participant":
        team = check_name(team, "a team")
        if team.casefold() == BASELINES.casefold():
            raise BadRequest(f"a team must not be called as the baselines are, found {team!r}")
    elif team:
        raise BadRequest(f"only participants have a team, found one for a {wanted}")
    token = INVITATION + secrets.token_urlsafe(_TOKEN_BYTES)
    expires = add_days(time, days)
    connection.execute(
        insert(arena_tables.invitations).values(
            token_digest=_digest_token(token),
            role=wanted,
            team=team,
            expires=expires,
            inviter=by.id,
        )
    )
    # All may see the digest of the line: with names alone in it a guess at a team is confirmed.
    facts = {"by": by.id, "role": wanted, "team": team, "invitation": _digest_token(token)}
    append(connection, time, "invited", facts)
    return token


def look_at_invitation(connection: Connection, token: str, time: str) -> Invitation:
    """What an invitation offers."""
    known = arena_tables.invitations.c
    row = connection.execute(
        select(arena_tables.invitations).where(known.token_digest == _digest_token(token))
    ).first()
    if row is None or row.account is not None or row.expires <= time:
        raise UnknownToken(
            "an invitation must be one that the arena gave and nobody has accepted, found one that "
            "is unknown, spent or too old; ask an organiser for another"
        )
    return Invitation(cast(Role, row.role), row.team, row.expires)


def accept_invitation(connection: Connection, token: str, name: str, time: str) -> str:
    """Spend an invitation; the token of the new account."""
    offered = look_at_invitation(connection, token, time)
    account = Account(
        f"a{secrets.token_hex(8)}", check_name(name, "a person"), offered.team, offered.role
    )
    own = TOKEN + secrets.token_urlsafe(_TOKEN_BYTES)
    connection.execute(
        insert(arena_tables.accounts).values(
            **vars(account), token_digest=_digest_token(own), revoked=False
        )
    )
    connection.execute(
        update(arena_tables.invitations)
        .where(arena_tables.invitations.c.token_digest == _digest_token(token))
        .values(account=account.id)
    )
    append(connection, time, "joined", dict(vars(account)))
    return own


def find_account(connection: Connection, token: str) -> Account:
    """The account of a token."""
    known = arena_tables.accounts.c
    row = connection.execute(
        select(known.id, known.name, known.team, known.role).where(
            known.token_digest == _digest_token(token), known.revoked.is_(False)
        )
    ).first()
    if row is None:
        raise UnknownToken(
            "a token must be one that the arena gave and did not revoke, found another; ask an "
            "organiser for an invitation"
        )
    return Account(row.id, row.name, row.team, cast(Role, row.role))


def read_teams(connection: Connection) -> tuple[str, ...]:
    """The teams that somebody takes part in."""
    known = arena_tables.accounts.c
    return tuple(
        connection.execute(select(known.team).where(known.team != "").distinct()).scalars()
    )


def revoke_account(connection: Connection, account_id: str, by: Account, time: str) -> None:
    """End the token of an account, and its invitations that nobody has accepted yet."""
    known, offered = arena_tables.accounts.c, arena_tables.invitations.c
    changed = connection.execute(
        update(arena_tables.accounts)
        .where(known.id == account_id, known.revoked.is_(False))
        .values(revoked=True)
    )
    if changed.rowcount != 1:
        raise UnknownThing(f"there must be an account {account_id!r} that is not revoked")
    connection.execute(
        update(arena_tables.invitations)
        .where(offered.inviter == account_id, offered.account.is_(None))
        .values(expires=time)
    )
    append(connection, time, "revoked", {"by": by.id, "account": account_id})


def _digest_token(token: str) -> str:
    return hashlib.sha256(token[:_LONGEST_TOKEN].encode("utf-8", "replace")).hexdigest()


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
    row = connection.execute(
        select(arena_tables.entries).where(arena_tables.entries.c.id == entry)
    ).first()
    if row is None:
        raise UnknownThing(f"there must be an entry {entry!r}, found none of this id in the arena")
    return _make_entry(row)


def find_entry(connection: Connection, task: str, team: str, digest: str) -> EntryRow | None:
    """The entry that these scores of this team are."""
    known = arena_tables.entries.c
    row = connection.execute(
        select(arena_tables.entries).where(
            known.task == task, known.team == team, known.digest == digest
        )
    ).first()
    return None if row is None else _make_entry(row)


def read_entries(connection: Connection, task: str, team: str | None = None) -> list[EntryRow]:
    """The entries of a task, or those of a team in it, in the order in which they came."""
    known = arena_tables.entries.c
    wanted = select(arena_tables.entries).where(known.task == task).order_by(known.number)
    if team is not None:
        wanted = wanted.where(known.team == team)
    return [_make_entry(row) for row in connection.execute(wanted)]


def count_today(connection: Connection, task: str, team: str, time: str) -> int:
    """How many new entries a team has made on the day of `time`."""
    known = arena_tables.entries.c
    wanted = (
        select(func.count())
        .select_from(arena_tables.entries)
        .where(known.task == task, known.team == team, known.kind == "entry")
        .where(known.submitted.startswith(day_of(time), autoescape=True))
    )
    return int(connection.execute(wanted).scalar_one())


def next_number(connection: Connection) -> int:
    """The number of the next entry of the arena."""
    highest = connection.execute(select(func.max(arena_tables.entries.c.number))).scalar()
    return int(highest or 0) + 1


def add_entry(connection: Connection, facts: dict[str, Any], scores: bytes) -> EntryRow:
    """Keep an entry with its scores, and tell the log; `facts` are those of `EntryRow`."""
    logged = {**facts, "declaration": asdict(facts["declaration"])}
    line = append(connection, facts["submitted"], "entry", logged)
    known = arena_tables.contents.c
    held = connection.execute(select(known.digest).where(known.digest == facts["digest"])).first()
    if held is None:
        connection.execute(
            insert(arena_tables.contents).values(digest=facts["digest"], packed=pack_scores(scores))
        )
    row = {**logged, "declaration": dump_canonical(logged["declaration"]), "receipt": line.receipt}
    connection.execute(insert(arena_tables.entries).values(**row))
    return EntryRow(**facts, receipt=line.receipt)


def read_scores(connection: Connection, digests: Sequence[str]) -> dict[str, bytes]:
    """Encoded scores by digest."""
    known = arena_tables.contents.c
    found: dict[str, bytes] = {}
    for begin in range(0, len(digests), AT_ONCE):
        some = list(digests[begin : begin + AT_ONCE])
        rows = connection.execute(select(known.digest, known.packed).where(known.digest.in_(some)))
        found |= {row.digest: unpack_scores(row.packed) for row in rows}
    return found


def _make_entry(row: Row[Any]) -> EntryRow:
    facts = dict(row._mapping)
    facts["declaration"] = Declaration.from_facts(json.loads(facts["declaration"]))
    facts["kind"] = cast(Kind, facts["kind"])
    return EntryRow(**facts)
