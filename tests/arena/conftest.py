"""Arenas for tests: on SQLite, and on PostgreSQL where Debian's package is installed."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rankwise as rw
from rankwise.arena.arena import Arena
from rankwise.arena.task_creation import create_arena, create_task
from rankwise.data.synthetic import make_dataset
from tests.arena.playing import Clock

BACKENDS = ("sqlite", "postgresql")
MakeArena = Callable[..., Arena]


@pytest.fixture(scope="session")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five folds of made-up data, whose test queries are training queries elsewhere."""
    home = tmp_path_factory.mktemp("folds") / "folds"
    dataset = rw.normalize(make_dataset(48, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), home)
    return home


def find_postgres() -> Path | None:
    """The folder of PostgreSQL's programs, the newest of Debian's."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """A server on a socket in a temporary folder; what is called makes a database there."""
    programs = find_postgres()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    # PostgreSQL refuses to run as root; Debian's package brings a user of its own along.
    if os.getuid() == 0 and "postgres" not in {one.pw_name for one in pwd.getpwall()}:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    home = Path(tempfile.mkdtemp(prefix="rankwise-postgres-"))
    user: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    if user:
        shutil.chown(home, "postgres", "postgres")
    data = home / "data"

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [str(programs / program), "-D", str(data), *words],
            check=True, stdout=subprocess.DEVNULL, cwd=home, timeout=600, **user,
        )  # fmt: skip

    run("initdb", "-A", "trust", "-U", "rankwise", "--no-sync")
    run(
        "pg_ctl", "-w", "-l", str(home / "log"), "-o", f"-F -k {home} -c listen_addresses=", "start"
    )
    numbers = itertools.count(1)

    def make_database() -> str:
        name = f"arena{next(numbers)}"
        with psycopg.connect(
            f"host={home} user=rankwise dbname=postgres", autocommit=True
        ) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql+psycopg://rankwise@/{name}?host={home}"

    try:
        yield make_database
    finally:
        run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def make_arena(
    folds: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[MakeArena]:
    """Makes an arena with the task `made`; further words are rules, `clock` is its clock."""
    opened: list[Arena] = []

    def make(backend: str = "sqlite", clock: Clock | None = None, **choices: Any) -> Arena:
        database = {}
        if backend == "postgresql":
            database = {"database": request.getfixturevalue("postgres")()}
        home = tmp_path_factory.mktemp("arena")
        watch = clock or Clock()
        settings = create_arena(home, **database)
        rules = rw.arena.Rules(**{"daily_limit": 100, **choices})
        create_task(settings, folds, name="made", rules=rules, seed=5, clock=watch)
        opened.append(Arena.open(settings, clock=watch))
        return opened[-1]

    yield make
    for arena in opened:
        arena.close()


@pytest.fixture(scope="module", params=BACKENDS)
def arena(request: pytest.FixtureRequest, make_arena: MakeArena) -> Arena:
    """An arena that the tests of a module share; each brings teams of its own."""
    return make_arena(request.param)


@pytest.fixture(scope="module")
def sqlite_arena(make_arena: MakeArena) -> Arena:
    """The same where the database makes no difference."""
    return make_arena()
