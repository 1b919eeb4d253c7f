"""The tables of an arena's database, and the steps from older layouts to this one.

Times are UTC in ISO 8601; declarations and facts are JSON. What tells of labels (`sealed`,
`content` of figures) is encrypted.
"""

from __future__ import annotations

from collections.abc import Callable

from rankwise.arena.sql import (
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 2

metadata = MetaData()

layout = Table("layout", metadata, Column("version", Integer, nullable=False))

events = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("time", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("payload", Text, nullable=False),
    Column("payload_digest", String, nullable=False),
    Column("previous", String, nullable=False),
    Column("digest", String, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    Column("name", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("facts", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("revealed", String),
)

invitations = Table(
    "invitations",
    metadata,
    Column("token_digest", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("team", String, nullable=False),
    Column("expires", String, nullable=False),
    Column("account", String),
    Column("inviter", String),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("team", String, nullable=False),
    Column("role", String, nullable=False),
    Column("token_digest", String, nullable=False, unique=True),
    Column("revoked", Boolean, nullable=False),
)

contents = Table(
    "contents",
    metadata,
    Column("digest", String, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("task", String, nullable=False),
    Column("team", String, nullable=False),
    Column("account", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("declaration", Text, nullable=False),
    Column("submitted", String, nullable=False),
    Column("alias", String, nullable=False),
    Column("embargo_until", String),
    Column("shown", Boolean, nullable=False),
    Column("value", Double, nullable=False),
    Column("digest", String, nullable=False),
    Column("receipt", String, nullable=False),
    UniqueConstraint("task", "team", "digest"),
    Index("entries_by_task", "task", "number"),
)

figures = Table(
    "figures",
    metadata,
    Column("entry", String, primary_key=True),
    Column("half", String, primary_key=True),
    Column("tool", String, primary_key=True),
    Column("measure", String, primary_key=True),
    Column("program", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
"""What was computed once need not be again; everything here can be lost."""


def _add_inviters(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE invitations ADD COLUMN inviter VARCHAR")


MIGRATIONS: dict[int, Callable[[Connection], None]] = {1: _add_inviters}
"""By version the step to the next one."""
