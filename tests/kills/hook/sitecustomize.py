"""Kills the process that imports it, any of Python through PYTHONPATH, at one of its events.

An event is a file below KILL_FOLDER that is opened, made, renamed or removed, a statement of SQLite
on such a file, or a write to disk (fsync). KILL_COUNT is a file that grows by one byte with every
event of the processes of KILL_ROLE: `main`, the first process, or `worker`, all others. The process
whose event is number KILL_AT kills itself, if it can remove the file KILL_TOKEN: nobody else does.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from typing import Any

_EVENTS = (
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.listdir",
    "os.scandir", "shutil.rmtree", "sqlite3.connect",
)  # fmt: skip


def _watch() -> None:
    folder, wanted = os.environ["KILL_FOLDER"], os.environ["KILL_ROLE"]
    role = "worker" if "KILL_BELOW" in os.environ else "main"
    os.environ["KILL_BELOW"] = "1"
    if role != wanted:
        return
    counting = os.open(os.environ["KILL_COUNT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    at, token = int(os.environ["KILL_AT"]), os.environ["KILL_TOKEN"]
    busy = False

    def happen(*_: object) -> None:
        nonlocal busy
        if busy:
            return
        busy = True
        try:
            os.write(counting, b".")
            if at and os.fstat(counting).st_size >= at:
                os.unlink(token)  # noqa: PTH108  # Where another took it, this is an error.
                os.kill(os.getpid(), signal.SIGKILL)
        except FileNotFoundError:
            pass
        finally:
            busy = False

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _EVENTS and arguments and _is_below(arguments[0], folder):
            happen()

    sys.addaudithook(hear)
    connect, fsync = sqlite3.connect, os.fsync

    def connect_watched(database: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, *arguments, **options)
        if _is_below(database, folder):
            connection.set_trace_callback(happen)
        return connection

    def fsync_watched(handle: int) -> None:
        happen()
        fsync(handle)
        happen()

    sqlite3.connect, os.fsync = connect_watched, fsync_watched  # type: ignore[assignment]


def _is_below(path: Any, folder: str) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    # Addresses of SQLite (`file://…`) hold the folder as well.
    return folder in os.fsdecode(path)


if "KILL_FOLDER" in os.environ:
    _watch()
