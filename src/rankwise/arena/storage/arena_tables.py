"""The tables of an arena's database, and what the arena uses of SQLAlchemy.

Times are UTC in ISO 8601; declarations and facts are JSON. What tells of labels (`sealed`,
`content` of figures) is encrypted. This is the one place that says how to install SQLAlchemy.
"""

from __future__ import annotations

from collections.abc import Callable

from rankwise.errors import MissingExtra

try:
    from sqlalchemy import Boolean as Boolean
    from sqlalchemy import Column as Column
    from sqlalchemy import Connection as Connection
    from sqlalchemy import Double as Double
    from sqlalchemy import Engine as Engine
    from sqlalchemy import Index as Index
    from sqlalchemy import Integer as Integer
    from sqlalchemy import LargeBinary as LargeBinary
    from sqlalchemy import MetaData as MetaData
    from sqlalchemy import Row as Row
    from sqlalchemy import String as String
    from sqlalchemy import Table as Table
    from sqlalchemy import Text as Text
    from sqlalchemy import UniqueConstraint as UniqueConstraint
    from sqlalchemy import create_engine as create_engine
    from sqlalchemy import event as event
    from sqlalchemy import func as func
    from sqlalchemy import insert as insert
    from sqlalchemy import inspect as inspect
    from sqlalchemy import select as select
    from sqlalchemy import update as update
    from sqlalchemy.exc import ArgumentError as ArgumentError
    from sqlalchemy.exc import NoSuchModuleError as NoSuchModuleError
    from sqlalchemy.exc import OperationalError as OperationalError
except ImportError as error:
    raise MissingExtra("an arena", "arena") from error


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
