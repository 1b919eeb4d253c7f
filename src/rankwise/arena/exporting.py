"""Everything of an arena that is public, as files: boards in JSON and CSV, history, the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.arena.forms import board_csv, to_json
from rankwise.files import make_folder, write_text

if TYPE_CHECKING:
    from rankwise.arena.service import Arena

_LINES_AT_ONCE = 1000


def export_arena(arena: Arena, folder: Path) -> tuple[Path, ...]:
    """Write the files of an arena as a reader whom nobody knows sees it; their paths."""
    make_folder(folder)
    tasks = arena.tasks()
    written = [_write(folder / "tasks.json", {"title": arena.settings.title, "tasks": tasks})]
    for task in tasks:
        home = make_folder(folder / task.name)
        for half in ("public",) if task.open else ("public", "private"):
            board = arena.board(task.name, half=half)  # type: ignore[arg-type]
            written.append(_write(home / f"board-{half}.json", board))
            written.append(home / f"board-{half}.csv")
            write_text(written[-1], board_csv(board))
        written.append(_write(home / "history.json", arena.history(task.name)))
        written.append(_write(home / "usage.json", arena.usage(task.name)))
    written.append(_write(folder / "standings.json", arena.standings()))
    written.append(folder / "log.jsonl")
    write_text(written[-1], _log(arena))
    return tuple(written)


def _log(arena: Arena) -> str:
    lines: list[str] = []
    after = 0
    while found := arena.events(after=after, limit=_LINES_AT_ONCE):
        lines += [json.dumps(to_json(event)) for event in found]
        after = found[-1].sequence
    return "".join(f"{line}\n" for line in lines)


def _write(path: Path, content: Any) -> Path:
    write_text(path, json.dumps(to_json(content), indent=2, ensure_ascii=False) + "\n")
    return path
