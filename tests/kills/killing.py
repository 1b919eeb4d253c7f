"""Kill commands with kill -9 at seeded moments, and say what was lost, doubled or left behind.

    python -m tests.kills.killing [--kills 200] [--seed 7]

A moment is an event of the command (see `hook/sitecustomize.py`): a calm run counts them, and the
seed chooses among them. So nothing depends on how fast the machine is.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.kills.commands import Command, list_commands, make_inputs

ROOT = Path(__file__).parents[2]
_RUN = "from rankwise.cli.main import run; run()"
_PATIENCE_SECONDS = 600.0


@dataclass
class Findings:
    """What was seen of one command."""

    name: str
    kills: int = 0
    reruns: int = 0
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)

    @property
    def cells(self) -> list[object]:
        """A row of the table."""
        return [self.name, self.kills, self.reruns, len(self.lost), len(self.left),
                len(self.running)]  # fmt: skip

    @property
    def problems(self) -> list[str]:
        """All that is wrong, as sentences."""
        return [f"{self.name}: {one}" for one in (*self.lost, *self.left, *self.running)]


@dataclass(frozen=True)
class Moment:
    """Which event of which process is the last; 0 is none."""

    role: str = "main"
    event: int = 0


def kill_all(kills: int, seed: int, names: Sequence[str] = ()) -> list[Findings]:
    """Share the kills among the commands, or among those named."""
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        home = Path(place).resolve() / "inputs"
        home.mkdir()
        make_inputs(home)
        chosen = [one for one in list_commands(home) if not names or one.name in names]
        shares = sum(command.kills for command in chosen)
        found = []
        for command in chosen:
            number = max(1, round(kills * command.kills / shares))
            found.append(
                kill_command(command, home.parent, number, random.Random(f"{seed} {command.name}"))
            )
            print(*found[-1].cells, file=sys.stderr)
        return found


def kill_command(command: Command, place: Path, kills: int, choose: random.Random) -> Findings:
    """Kill one command so many times; after each chain of kills it comes to its end."""
    found = Findings(command.name)
    with _fresh_folder(place, command) as folder:
        counts = {role: _count_events(command, folder, role) for role in set(command.roles)}
        calm, names = command.look(folder), list_names(folder)
    while found.kills < kills:
        with _fresh_folder(place, command) as folder:
            for _ in range(min(command.chain, kills - found.kills)):
                before = command.look(folder)
                role = choose.choice(command.roles)
                moment = Moment(role, choose.randint(1, counts[role]))
                if _run(command, folder, moment, found):
                    found.kills += 1
                if not command.keeps(before, command.look(folder), calm):
                    found.lost.append(f"{moment}: something is lost, doubled or damaged")
            _run(command, folder, Moment(), found)
            found.reruns += 1
            if command.look(folder) != calm:
                found.lost.append("a run to the end gives something else than a calm run")
            if list_names(folder) != names:
                odd = sorted(set(list_names(folder)) ^ set(names))
                found.left.append(f"after a run to the end: {', '.join(odd)}")
    return found


def list_names(folder: Path) -> list[str]:
    """All files and folders, hidden ones too, and what is in the folder for temporary files."""
    home = folder.parent
    return sorted(str(path.relative_to(home)) for part in (folder, home / "temporary")
                  for path in part.rglob("*"))  # fmt: skip


class _fresh_folder:  # noqa: N801  # It is read as a verb phrase: with _fresh_folder(…).
    def __init__(self, place: Path, command: Command) -> None:
        self.folder, self.command = place / "work", command

    def __enter__(self) -> Path:
        for folder in (self.folder, self.folder.with_name("temporary")):
            folder.mkdir()
        self.command.prepare(self.folder)
        return self.folder

    def __exit__(self, *_: object) -> None:
        for folder in (self.folder, self.folder.with_name("temporary")):
            shutil.rmtree(folder)


def _count_events(command: Command, folder: Path, role: str) -> int:
    """How many events a calm run of the command has; the folder is as new before it."""
    shutil.rmtree(folder)
    folder.mkdir()
    command.prepare(folder)
    found = Findings(command.name)
    _run(command, folder, Moment(role), found)
    return max(1, (folder.parent / "count").stat().st_size)


def _run(command: Command, folder: Path, moment: Moment, found: Findings) -> bool:
    """Run a command up to a moment; whether somebody was killed then.

    Where that was a worker, the command comes to its end without it, or says so in one sentence.
    """
    count, token = folder.parent / "count", folder.parent / "token"
    count.write_bytes(b"")
    token.touch()
    hook = str(ROOT / "tests" / "kills" / "hook")
    path = os.pathsep.join(filter(None, [hook, os.environ.get("PYTHONPATH")]))
    settings = {"KILL_FOLDER": str(folder.parent), "KILL_ROLE": moment.role,
                "KILL_AT": str(moment.event), "KILL_COUNT": str(count), "KILL_TOKEN": str(token),
                "PYTHONPATH": path, "TMPDIR": str(folder.with_name("temporary")),
                "OMP_NUM_THREADS": "1"}  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, *map(str, command.words(folder))], cwd=folder.parent,
        env={**os.environ, **settings}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    said = process.communicate()[1].decode("utf-8", "replace")
    killed = not token.exists()
    if not _ended_well(process.returncode, said, killed, moment):
        found.lost.append(f"{moment}: ended with {process.returncode}: {said.strip()[-300:]}")
    left = _wait_for_session(process.pid)
    if left:
        found.running.append(f"{moment}: still running: {left}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    return killed


def _ended_well(code: int, said: str, killed: bool, moment: Moment) -> bool:
    if killed and moment.role == "main":
        return code == -signal.SIGKILL
    return code == 0 or (killed and code == 2 and "Traceback" not in said and "rankwise: " in said)


def _wait_for_session(session: int) -> list[int]:
    """The processes that a command started and that do not leave when it is gone."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while (left := list(_list_session(session))) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _list_session(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state, *cells = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(cells[2]) == session and state != "Z":
                yield int(entry.name)


def format_table(found: Sequence[Findings]) -> str:
    """The findings in Markdown."""
    titles = ["command", "kills", "runs to the end", "lost, doubled or damaged", "files left",
              "processes left"]  # fmt: skip
    total: list[Any] = ["all", *(sum(column) for column in zip(*(one.cells[1:] for one in found)))]  # type: ignore[arg-type] # noqa: B905
    rows = [titles, ["---"] * len(titles), *(one.cells for one in found), total]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", action="append", default=[], help="one command, e.g. 'train'")
    options = parser.parse_args()
    found = kill_all(options.kills, options.seed, options.only)
    print(format_table(found))
    for one in found:
        for problem in one.problems:
            print(problem)


if __name__ == "__main__":
    main()
