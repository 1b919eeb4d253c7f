"""The log: every change of it, or of what it tells of, is found."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.arena_settings import ArenaSettings
from rankwise.arena.participation import OPERATOR
from rankwise.arena.storage.event_log import (
    BEGINNING,
    LogEvent,
    chain_digest,
    find_breaks,
    make_event,
)
from rankwise.errors import RankwiseError
from tests.arena.conftest import MakeArena
from tests.arena.playing import informed, join, noise, submit


def make_chain(count: int) -> list[LogEvent]:
    events: list[LogEvent] = []
    for number in range(count):
        last = events[-1] if events else None
        events.append(make_event(last, f"t{number}", "kind", {"number": number}))
    return events


def test_a_line_carries_the_digest_of_the_one_before() -> None:
    first, second, third = make_chain(3)
    assert first.previous == BEGINNING
    assert (second.previous, third.previous) == (first.digest, second.digest)
    assert first.digest == chain_digest(1, "t0", "kind", first.payload_digest, BEGINNING)
    assert find_breaks([first, second, third]) == []
    assert find_breaks(event.without_payload() for event in (first, second, third)) == []


@pytest.mark.parametrize(
    "field", ["time", "kind", "payload", "payload_digest", "previous", "digest"]
)
def test_any_changed_cell_breaks_the_chain(field: str) -> None:
    chain = make_chain(4)
    chain[1] = replace(chain[1], **{field: "changed"})
    assert find_breaks(chain)


def test_lines_that_are_missing_or_moved_break_the_chain() -> None:
    chain = make_chain(4)
    assert find_breaks(chain[1:]) and find_breaks([chain[0], *chain[2:]])
    assert find_breaks([chain[0], chain[2], chain[1], chain[3]])
    assert find_breaks(chain[:2]) == []


@pytest.fixture(scope="module")
def played(make_arena: MakeArena) -> Arena:
    """An arena where things have happened, which tests copy and tamper with."""
    arena = make_arena()
    account = join(arena, "One")
    submit(arena, account, informed(arena, 0.2, 1))
    submit(arena, account, informed(arena, 0.2, 2))
    submit(arena, account, informed(arena, 0.9, 3))
    submit(arena, join(arena, "Two"), noise(arena, 4))
    arena.revoke(join(arena, "Three").id, OPERATOR)
    assert arena.audit().problems == ()
    return arena


def tampered(played: Arena, folder: Path, *statements: str) -> Arena:
    home = folder / "copy"
    with closing(sqlite3.connect(played.settings.folder / "arena.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(played.settings.folder, home)
    with closing(sqlite3.connect(home / "arena.sqlite")) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
        connection.commit()
    return Arena.open(ArenaSettings(home))


TAMPERING = {
    "a value": ("UPDATE entries SET value = value + 0.01 WHERE number = 1", "made-1"),
    "what is shown": ("UPDATE entries SET shown = 1 WHERE number = 2", "made-2"),
    "a team": ("UPDATE entries SET team = 'Two' WHERE number = 3", "made-3"),
    "a title": (
        "UPDATE entries SET declaration = replace(declaration, 'mine', 'ours') WHERE number = 1",
        "made-1",
    ),
    "a lost entry": ("DELETE FROM entries WHERE number = 4", "in the log and not in the arena"),
    "scores": ("UPDATE contents SET packed = x'00'", "not those that the log tells of"),
    "lost scores": ("DELETE FROM contents", "not those that the log tells of"),
    "a role": ("UPDATE accounts SET role = 'organiser' WHERE team = 'Two'", "account"),
    "a revoked account": ("UPDATE accounts SET revoked = 0", "account"),
    "rules": ("UPDATE tasks SET facts = replace(facts, '100', '999')", "task made"),
    "a reveal": ("UPDATE tasks SET revealed = '2027-01-01T00:00:00Z'", "task made"),
    "a payload": (
        "UPDATE events SET payload = replace(payload, 'One', 'Two') WHERE kind = 'entry'",
        "were changed",
    ),
    "a line": ("DELETE FROM events WHERE sequence = 3", "missing"),
}


@pytest.mark.parametrize(("statement", "said"), TAMPERING.values(), ids=TAMPERING)
def test_the_audit_finds_what_was_changed(
    played: Arena, tmp_path: Path, statement: str, said: str
) -> None:
    with tampered(played, tmp_path, statement) as arena:
        found = arena.audit()
    assert not found.sound and any(said in problem for problem in found.problems), found.problems


def test_the_audit_finds_a_changed_package(played: Arena, tmp_path: Path) -> None:
    with tampered(played, tmp_path) as arena:
        assert arena.audit().sound
        arena.package("made").write_bytes(b"another")
        assert any("package" in problem for problem in arena.audit().problems)


def test_other_labels_do_not_open_or_do_not_pass(played: Arena, tmp_path: Path) -> None:
    statement = "UPDATE tasks SET sealed = zeroblob(500)"
    sentence = "must open with the arena's key"
    with (
        tampered(played, tmp_path, statement) as arena,
        pytest.raises(RankwiseError, match=sentence),
    ):
        arena.open_hidden("made")


def test_a_receipt_finds_lines_taken_off_the_end(played: Arena, tmp_path: Path) -> None:
    (last,) = (event for event in played.events(OPERATOR, limit=1000) if event.kind == "revoked")
    account_lines = "DELETE FROM events WHERE kind = 'revoked'"
    undone = "UPDATE accounts SET revoked = 0"
    with tampered(played, tmp_path, account_lines, undone) as arena:
        assert arena.audit().sound
        (problem,) = arena.audit([last.receipt]).problems
    assert last.receipt[:20] in problem


def test_a_receipt_is_the_line_of_the_entry(played: Arena) -> None:
    entry = played.entry("made-1")
    assert played.audit([entry.receipt]).sound
    (line,) = (event for event in played.events(limit=1000) if event.receipt == entry.receipt)
    assert line.kind == "entry" and line.payload == ""
