"""The database of an arena: SQLite or PostgreSQL through the same statements.

A change is one transaction that holds the only pen: SQLite by BEGIN IMMEDIATE, PostgreSQL by a lock
on the log. It is on disk when `writing` ends (write-ahead log, synchronous = FULL), so that what
was acknowledged survives kill -9 and a power cut.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rankwise.arena.participation import StorageFailure
from rankwise.arena.storage import arena_tables, event_log
from rankwise.arena.storage.arena_tables import (
    ArgumentError,
    Connection,
    Engine,
    NoSuchModuleError,
    OperationalError,
    create_engine,
    event,
    insert,
    inspect,
    select,
    update,
)
from rankwise.arena.storage.event_log import LogEvent
from rankwise.errors import RankwiseError, install_line

SECONDS_FOR_A_TURN = 60
_WRITING = "rankwise_writing"


class Database:
    """Connections to one database, whose layout is made or brought up to date when it is opened."""

    def __init__(self, address: str) -> None:
        self._engine = _connect(address)
        self.is_sqlite = self._engine.dialect.name == "sqlite"
        try:
            with self._writing() as connection:
                _bring_up_to_date(connection)
        except OperationalError as error:
            self._engine.dispose()
            reason = str(error.orig).splitlines()[0] if error.orig else "no reason given"
            raise RankwiseError(
                f"the arena's database must be there and take writes, found {reason}; look at "
                "'database' in arena.toml, and at the space on its disk"
            ) from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the database."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection that alone may write; all is kept when it ends well, nothing otherwise."""
        try:
            with self._writing() as connection:
                yield connection
        except OperationalError as error:
            # Who reads pages may see this: a server's reason would name its address.
            reason = str(error.orig) if self.is_sqlite else type(error.orig).__name__
            raise StorageFailure(
                f"the arena's database must take what is written, found {reason}; nothing was "
                "changed, look at the space on its disk"
            ) from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.connect() as fresh:
            connection = fresh.execution_options(**{_WRITING: True})
            with connection.begin():
                if not self.is_sqlite:
                    _take_pen(connection)
                yield connection


def append(connection: Connection, time: str, kind: str, facts: dict[str, Any]) -> LogEvent:
    """Add a line to the log, in the transaction of what it tells of."""
    made = event_log.make_event(read_last(connection), time, kind, facts)
    connection.execute(insert(arena_tables.events).values(**vars(made)))
    return made


def read_last(connection: Connection) -> LogEvent | None:
    """The last line of the log."""
    log = arena_tables.events
    row = connection.execute(select(log).order_by(log.c.sequence.desc()).limit(1)).first()
    return None if row is None else LogEvent(*row)


def read_events(connection: Connection, after: int = 0, limit: int | None = None) -> list[LogEvent]:
    """Lines of the log in order."""
    log = arena_tables.events
    wanted = select(log).where(log.c.sequence > after).order_by(log.c.sequence).limit(limit)
    return [LogEvent(*row) for row in connection.execute(wanted)]


def _connect(address: str) -> Engine:
    try:
        engine = create_engine(
            address,
            pool_pre_ping=not address.startswith("sqlite"),
            pool_size=8,
            max_overflow=56,
            pool_timeout=SECONDS_FOR_A_TURN,
        )
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise RankwiseError(
            "the arena's database must be an address as sqlite:///arena.sqlite or "
            f"postgresql+psycopg://HOST/NAME, found {type(error).__name__}; look at 'database' in "
            f"arena.toml, and install what it needs: {install_line('arena')}"
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    # The library would begin transactions of its own, too late and without the pen.
    connection.isolation_level = None
    for setting in (
        f"busy_timeout = {SECONDS_FOR_A_TURN * 1000}",
        "journal_mode = WAL",
        "synchronous = FULL",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _take_pen(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
    # A number of our own for a lock that no table needs to be there for.
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1380669249)")


def _bring_up_to_date(connection: Connection) -> None:
    found = None
    if inspect(connection).has_table("layout"):
        found = connection.execute(select(arena_tables.layout.c.version)).scalar()
    if found is None:
        arena_tables.metadata.create_all(connection)
        connection.execute(insert(arena_tables.layout).values(version=arena_tables.VERSION))
        return
    if found > arena_tables.VERSION:
        raise RankwiseError(
            f"the arena's database must have the layout {arena_tables.VERSION} or an older one, "
            f"found {found}: a newer Rankwise wrote it; use that one"
        )
    for version in range(found, arena_tables.VERSION):
        arena_tables.MIGRATIONS[version](connection)
    connection.execute(update(arena_tables.layout).values(version=arena_tables.VERSION))
