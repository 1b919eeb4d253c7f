"""Tasks in the database: what everybody may know as JSON, the labels sealed."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from typing import Any

from rankwise.arena import tables
from rankwise.arena.account import Account
from rankwise.arena.database import append
from rankwise.arena.errors import BadRequest, TaskClosed, UnknownThing
from rankwise.arena.hidden import HiddenTest
from rankwise.arena.sealing import Seal
from rankwise.arena.sql import Connection, func, insert, select, update
from rankwise.arena.task import ArenaTask, HiddenFold, Rules
from rankwise.results.store.schema import dump_canonical

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 40


def check_task_name(name: str) -> str:
    """A name that can stand in addresses and paths as it is."""
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        raise BadRequest(
            f"the name of a task must be 1 to {LONGEST_NAME} small letters, digits and single "
            f"hyphens between them, found {name!r}"
        )
    return name


def add_task(connection: Connection, task: ArenaTask, hidden: HiddenTest, seal: Seal) -> None:
    """Keep a task, with its labels sealed."""
    known = tables.tasks.c
    if connection.execute(select(known.name).where(known.name == task.name)).first():
        raise BadRequest(f"each task must have a name of its own, found {task.name!r} twice")
    number = connection.execute(select(func.count()).select_from(tables.tasks)).scalar_one() + 1
    sealed = seal.close(hidden.to_bytes(), _context(task.name))
    facts = asdict(task)
    del facts["revealed"]
    connection.execute(
        insert(tables.tasks).values(
            name=task.name, number=number, facts=dump_canonical(facts), sealed=sealed, revealed=None
        )
    )
    digest = hashlib.sha256(sealed).hexdigest()
    append(connection, task.created, "task", {"number": number, "facts": facts, "sealed": digest})


def read_tasks(connection: Connection) -> tuple[ArenaTask, ...]:
    """All tasks in the order in which they were made."""
    known = tables.tasks.c
    rows = connection.execute(select(known.facts, known.revealed).order_by(known.number))
    return tuple(_task(json.loads(row.facts), row.revealed) for row in rows)


def read_task(connection: Connection, name: str) -> ArenaTask:
    """The task of a name."""
    known = tables.tasks.c
    row = connection.execute(select(known.facts, known.revealed).where(known.name == name)).first()
    if row is None:
        raise UnknownThing(f"there must be a task {name!r}, found none of this name in the arena")
    return _task(json.loads(row.facts), row.revealed)


def open_hidden(connection: Connection, name: str, seal: Seal) -> HiddenTest:
    """The hidden test parts of a task."""
    known, task = tables.tasks.c, read_task(connection, name)
    sealed = connection.execute(select(known.sealed).where(known.name == task.name)).scalar_one()
    return HiddenTest.from_bytes(seal.open(sealed, _context(name)))


def reveal_task(connection: Connection, name: str, by: Account, time: str) -> ArenaTask:
    """Close a task for good."""
    task = read_task(connection, name)
    if not task.open:
        raise TaskClosed(f"the task {name} must be open, found that it was revealed already")
    connection.execute(
        update(tables.tasks).where(tables.tasks.c.name == name).values(revealed=time)
    )
    append(connection, time, "revealed", {"by": by.id, "task": name})
    return read_task(connection, name)


def _task(facts: dict[str, Any], revealed: str | None) -> ArenaTask:
    folds = tuple(HiddenFold(**fold) for fold in facts.pop("folds"))
    rules = Rules(**facts.pop("rules"))
    return ArenaTask(**facts, folds=folds, rules=rules, revealed=revealed)


def _context(name: str) -> str:
    return f"labels of {name}"
