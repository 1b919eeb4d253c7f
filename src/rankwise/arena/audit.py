"""The audit: is everything that the arena shows what its log says? And the export.

The chain is checked line by line. Then tasks, accounts and entries are made again from the lines
alone and compared with the tables; the scores of every entry are evaluated again, and the Ladder
climbed again, team by team. Who holds a receipt, or the head of an earlier audit, finds out
whether lines were taken off the end or all of them written anew.

The export has everything that is public, as files: boards in JSON and CSV, history, the log.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.arena.evaluator import Evaluator, Figures, check_asked
from rankwise.arena.hidden_data import digest_scores
from rankwise.arena.json_records import board_csv, to_json
from rankwise.arena.participation import ArenaError, ArenaTask, Declaration
from rankwise.arena.storage import arena_tables
from rankwise.arena.storage.arena_tables import Connection, select
from rankwise.arena.storage.database import Database, read_events
from rankwise.arena.storage.event_log import LogEvent, day_of, find_breaks
from rankwise.arena.storage.stored_records import EntryRow, read_entries, read_scores, read_tasks
from rankwise.arena.submitting import climb, show_always
from rankwise.files import compute_checksum, make_folder, write_text
from rankwise.results.store.schema import dump_canonical

if TYPE_CHECKING:
    from rankwise.arena.arena import Arena


@dataclass(frozen=True)
class Audit:
    """What an audit looked at and found.

    Attributes:
        lines: of the log.
        entries: whose scores were evaluated again.
        head: the receipt of the last line, to be kept elsewhere: a later audit with it finds out
            whether lines were taken off the end.
        problems: one sentence each; none where all is well.
    """

    lines: int
    entries: int
    head: str
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing differs."""
        return not self.problems


def audit_arena(
    database: Database, evaluator: Evaluator, packages: Path, receipts: Sequence[str]
) -> Audit:
    """Look at everything in one state of the database."""
    with database.reading() as connection:
        events = read_events(connection)
        problems = [*find_breaks(events), *_check_receipts(events, receipts)]
        problems += _check_tasks(connection, events, packages)
        problems += _check_accounts(connection, events)
        problems += _check_entries(connection, events)
        count = 0
        for task in read_tasks(connection):
            rows = read_entries(connection, task.name)
            problems += _check_figures(connection, task, rows, evaluator)
            count += len(rows)
    head = events[-1].receipt if events else ""
    return Audit(len(events), count, head, tuple(problems))


def _check_receipts(events: Sequence[LogEvent], receipts: Sequence[str]) -> list[str]:
    known = {event.receipt for event in events}
    return [
        f"the log must have the line of the receipt {receipt}, found that it has not"
        for receipt in receipts
        if receipt not in known
    ]


def _chain_facts(events: Iterable[LogEvent], kind: str) -> list[dict[str, Any]]:
    return [json.loads(event.payload) for event in events if event.kind == kind]


def _check_tasks(connection: Connection, events: Sequence[LogEvent], packages: Path) -> list[str]:
    logged = {one["facts"]["name"]: one for one in _chain_facts(events, "task")}
    revealed = {
        json.loads(event.payload)["task"]: event.time
        for event in events
        if event.kind == "revealed"
    }
    expected = {
        name: (one["number"], dump_canonical(one["facts"]), one["sealed"], revealed.get(name))
        for name, one in logged.items()
    }
    found = {
        row.name: (row.number, row.facts, hashlib.sha256(row.sealed).hexdigest(), row.revealed)
        for row in connection.execute(select(arena_tables.tasks))
    }
    problems = _compare_records("task", expected, found)
    for name, one in logged.items():
        package = packages / f"{name}.zip"
        checksum = one["facts"]["package_checksum"]
        if not package.is_file() or compute_checksum(package) != checksum:
            problems.append(f"the package of task {name} is not the one that the log tells of")
    return problems


def _check_accounts(connection: Connection, events: Sequence[LogEvent]) -> list[str]:
    revoked = {one["account"] for one in _chain_facts(events, "revoked")}
    offered = Counter((one["role"], one["team"]) for one in _chain_facts(events, "invited"))
    accepted = Counter((one["role"], one["team"]) for one in _chain_facts(events, "joined"))
    problems = [
        f"more accounts joined as {role} {team} than were invited".replace("  ", " ")
        for role, team in accepted - offered
    ]
    expected = {
        one["id"]: (one["name"], one["team"], one["role"], one["id"] in revoked)
        for one in _chain_facts(events, "joined")
    }
    found = {
        row.id: (row.name, row.team, row.role, bool(row.revoked))
        for row in connection.execute(select(arena_tables.accounts))
    }
    return [*problems, *_compare_records("account", expected, found)]


def _check_entries(connection: Connection, events: Sequence[LogEvent]) -> list[str]:
    expected: dict[str, Any] = {}
    used: Counter[tuple[str, str, str]] = Counter()
    limits = {one["facts"]["name"]: one["facts"]["rules"] for one in _chain_facts(events, "task")}
    problems = []
    for event in events:
        if event.kind != "entry":
            continue
        facts = json.loads(event.payload)
        expected[facts["id"]] = EntryRow(
            **{**facts, "declaration": Declaration.from_facts(facts["declaration"])},
            receipt=event.receipt,
        )
        if facts["kind"] == "entry":
            day = facts["task"], facts["team"], day_of(facts["submitted"])
            used[day] += 1
            if used[day] == limits[facts["task"]]["daily_limit"] + 1:
                problems.append(f"{day[1]} made more entries to {day[0]} on {day[2]} than allowed")
    found = {
        row.id: row
        for task in read_tasks(connection)
        for row in read_entries(connection, task.name)
    }
    return [*problems, *_compare_records("entry", expected, found)]


def _compare_records(what: str, expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    problems = [f"{what} {one} is in the log and not in the arena" for one in expected
                if one not in found]  # fmt: skip
    problems += [f"{what} {one} is in the arena and not in the log" for one in found
                 if one not in expected]  # fmt: skip
    return problems + [
        f"{what} {one} is not what the log says"
        for one, facts in expected.items()
        if one in found and _plain(found[one]) != _plain(facts)
    ]


def _plain(facts: Any) -> Any:
    return asdict(facts) if isinstance(facts, EntryRow) else facts


def _check_figures(
    connection: Connection, task: ArenaTask, rows: Sequence[EntryRow], evaluator: Evaluator
) -> list[str]:
    """Evaluate every entry again, and climb every team's Ladder again."""
    problems = []
    asked = check_asked(task.rules.measure, task.rules.tool)
    best: dict[str, tuple[EntryRow, Figures]] = {}
    for row in rows:
        # One at a time: all scores of an arena may be more than memory holds.
        content = read_scores(connection, [row.digest]).get(row.digest, b"")
        if digest_scores(content) != row.digest:
            problems.append(f"the scores of entry {row.id} are not those that the log tells of")
            continue
        try:
            found = evaluator.evaluate(task, content, asked, "public")
        except ArenaError as error:
            problems.append(f"entry {row.id} cannot be evaluated: {error}")
            continue
        step = show_always(task, found)
        if row.kind == "entry" and task.rules.ladder:
            step = climb(task, asked, found, *best.get(row.team, (None, None)))
        if (step.shown, step.value) != (row.shown, row.value):
            problems.append(
                f"entry {row.id} should be {'shown' if step.shown else 'hidden'} with "
                f"{step.value!r}, found {'shown' if row.shown else 'hidden'} with {row.value!r}"
            )
        if row.shown:
            best[row.team] = row, found
    return problems


_LINES_AT_ONCE = 1000


def export_arena(arena: Arena, folder: Path) -> tuple[Path, ...]:
    """Write the files of an arena as a reader whom nobody knows sees it; their paths."""
    make_folder(folder)
    tasks = arena.tasks()
    written = [_write_json(folder / "tasks.json", {"title": arena.settings.title, "tasks": tasks})]
    for task in tasks:
        home = make_folder(folder / task.name)
        for half in ("public",) if task.open else ("public", "private"):
            board = arena.board(task.name, half=half)  # type: ignore[arg-type]
            written.append(_write_json(home / f"board-{half}.json", board))
            written.append(home / f"board-{half}.csv")
            write_text(written[-1], board_csv(board))
        written.append(_write_json(home / "history.json", arena.history(task.name)))
        written.append(_write_json(home / "usage.json", arena.usage(task.name)))
    written.append(_write_json(folder / "standings.json", arena.standings()))
    written.append(folder / "log.jsonl")
    write_text(written[-1], _export_log(arena))
    return tuple(written)


def _export_log(arena: Arena) -> str:
    lines: list[str] = []
    after = 0
    while found := arena.events(after=after, limit=_LINES_AT_ONCE):
        lines += [json.dumps(to_json(event)) for event in found]
        after = found[-1].sequence
    return "".join(f"{line}\n" for line in lines)


def _write_json(path: Path, content: Any) -> Path:
    write_text(path, json.dumps(to_json(content), indent=2, ensure_ascii=False) + "\n")
    return path
