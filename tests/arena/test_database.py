"""The database: layouts by number, addresses that lead nowhere, several servers on one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.participation import OPERATOR
from rankwise.arena.storage import arena_tables
from rankwise.arena.storage.arena_tables import insert, select, update
from rankwise.arena.storage.database import Database
from rankwise.arena.task_creation import create_task
from rankwise.errors import RankwiseError
from tests.arena.conftest import BACKENDS, MakeArena
from tests.arena.playing import join, noise, submit


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_newer_layout_is_refused(backend: str, make_arena: MakeArena) -> None:
    arena = make_arena(backend)
    database = Database(arena.settings.database_address)
    with database.writing() as connection:
        connection.execute(update(arena_tables.layout).values(version=arena_tables.VERSION + 1))
    database.close()
    with pytest.raises(RankwiseError, match="a newer Rankwise wrote it"):
        Arena.open(arena.settings)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_older_layout_is_brought_up_step_by_step(
    backend: str, make_arena: MakeArena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena = make_arena(backend)
    taken: list[int] = []
    steps = (arena_tables.VERSION, arena_tables.VERSION + 1)
    monkeypatch.setattr(arena_tables, "VERSION", steps[-1] + 1)
    monkeypatch.setattr(
        arena_tables,
        "MIGRATIONS",
        {one: lambda connection, one=one: taken.append(one) for one in steps},
    )
    for _ in range(2):
        Database(arena.settings.database_address).close()
    assert taken == list(steps)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_layout_is_brought_up_to_this_one(backend: str, make_arena: MakeArena) -> None:
    arena = make_arena(backend)
    before = arena.invite("reader", "", OPERATOR)
    database = Database(arena.settings.database_address)
    with database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE invitations DROP COLUMN inviter")
        connection.execute(update(arena_tables.layout).values(version=1))
    database.close()
    with Arena.open(arena.settings, clock=arena._clock) as again:
        assert again.accept(before, "Reader") and again.invite("reader", "", OPERATOR)
        assert again.audit().sound


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_change_that_fails_leaves_nothing(backend: str, make_arena: MakeArena) -> None:
    database = Database(make_arena(backend).settings.database_address)
    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        connection.execute(insert(arena_tables.contents).values(digest="x", packed=b"x"))
        raise ZeroDivisionError
    with database.reading() as connection:
        assert connection.execute(select(arena_tables.contents)).all() == []
    database.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_servers_on_one_database_agree(backend: str, make_arena: MakeArena) -> None:
    one = make_arena(backend)
    with Arena.open(one.settings, clock=one._clock) as other:
        account = join(one)
        first = submit(one, account, noise(one, 1))
        assert submit(other, account, noise(one, 1)).id == first.id
        second = submit(other, join(other), noise(one, 2))
        assert {row.entry for row in one.board("made").rows} == {first.id, second.id}
        other.reveal("made", OPERATOR)
        assert one.board("made").half == "private"
        assert one.audit() == other.audit() and one.audit().sound


@pytest.mark.parametrize(
    "address",
    [
        "nonsense", "nosuch://host/name", "sqlite:////nonexistent/folder/arena.sqlite",
        "postgresql+psycopg://127.0.0.1:9/arena?connect_timeout=60",
    ],
)  # fmt: skip
def test_an_address_that_leads_nowhere_is_one_sentence(address: str, sqlite_arena: Arena) -> None:
    with pytest.raises(RankwiseError, match=r"arena\.toml"):
        Arena.open(replace(sqlite_arena.settings, database=address))


def test_sqlite_is_told_to_be_durable(sqlite_arena: Arena) -> None:
    with sqlite_arena._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_labels_of_mq2008_are_held_out(shared: Path, tmp_path: Path) -> None:
    """Pinned facts of real data: 784 queries, of which half are hidden, half of these public."""
    task = create_task(tmp_path / "arena", shared / "data/letor4/MQ2008", seed=1)
    assert (task.name, task.collection, task.dataset) == ("mq2008", "LETOR 4.0", "MQ2008")
    assert (task.rules.tool, task.features) == ("letor4", 46)
    (fold,) = task.folds
    assert (fold.queries, task.public_queries, task.private_queries) == (392, 196, 196)
    with Arena.open(tmp_path / "arena") as arena:
        published = [row for row in arena.board("mq2008").rows if row.kind == "published"]
        assert len(published) > 10 and all(row.groups == () for row in published)
        with closing(sqlite3.connect(tmp_path / "arena" / "arena.sqlite")) as connection:
            (size,) = connection.execute("SELECT length(sealed) FROM tasks").fetchone()
        assert size < 200_000 and len(arena.open_hidden("mq2008").labels) == fold.documents
