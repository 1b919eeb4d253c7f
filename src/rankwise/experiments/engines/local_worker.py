"""A process of the local engine: takes tasks from a pipe, one at a time, until it closes."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from rankwise.data.folds import Fold
from rankwise.experiments.plan import Task
from rankwise.experiments.shared_data import SharingFailure, shared_fold
from rankwise.experiments.task_run import run_task
from rankwise.results.store_records import Outcome

BEGUN = "begun"
_LOOK_SECONDS = 1.0


def work(pipe: Connection, folder: Path, memory_bytes: int | None) -> None:
    """Answer every task with BEGUN when its data are at hand and with its outcome at the end."""
    # Ctrl-C reaches all processes of a terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    # What every task needs is loaded now, so that no task's time and memory pay for it.
    importlib.import_module("rankwise.measures.kernel")
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (task := pipe.recv()) is not None:
            pipe.send(_answer(task, pipe, folder, memory_bytes))


def _answer(
    task: Task, pipe: Connection, folder: Path, memory_bytes: int | None
) -> Outcome | SharingFailure:
    """The outcome; limits hold from when the data are at hand until it is known."""
    with contextlib.ExitStack() as limits:

        def begun() -> None:
            pipe.send(BEGUN)
            limits.enter_context(_limited(memory_bytes))

        try:
            return run_task(task, _opening(folder), begun=begun)
        except SharingFailure as failure:
            return failure


def _opening(folder: Path) -> Callable[[Task], Fold]:
    def opened(task: Task) -> Fold:
        return shared_fold(task.files, task.sums, folder)

    return opened


def _leave_with(parent: int) -> None:
    """End this process when its coordinator is gone, even in the middle of a long task."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


@contextlib.contextmanager
def _limited(memory_bytes: int | None) -> Iterator[None]:
    """Let allocations beyond the limit fail; only where the system counts them (Linux)."""
    if memory_bytes is None:
        yield
        return
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    except (ImportError, AttributeError):
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + memory_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """What the process has allocated for itself so far."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0
