"""A process of the local engine: takes tasks from a pipe, one at a time, until it closes."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from rankwise.data.folds import Fold
from rankwise.experiments.engines.engine import TaskStanding
from rankwise.experiments.planning import Task
from rankwise.experiments.shared_data import SharingFailure, open_shared_fold
from rankwise.experiments.task_run import run_task
from rankwise.experiments.tuning import TRAINING_BEGINS
from rankwise.processors import leave_with
from rankwise.rankers.ranker import Round
from rankwise.results.task_records import TaskOutcome

BEGUN = "begun"
TELL_SECONDS = 1.0


def work(pipe: Connection, folder: Path) -> None:
    """Answer every task with BEGUN when its data are at hand and with its outcome at the end."""
    # Ctrl-C reaches all processes of a terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a method prints must not get into the tables and JSON of the command.
    os.dup2(2, 1)
    leave_with(os.getppid())
    # What every task needs is loaded now, so that no task's time and memory pay for it.
    importlib.import_module("rankwise.measures.computing")
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (task := pipe.recv()) is not None:
            pipe.send(_answer(task, pipe, folder))


class _Teller:
    """Tells how far a task is, every second or so."""

    # What is shown must cost nothing: figures of training data are not computed for it.
    looks_at_figures = False

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._training = 0
        self._told = time.monotonic()

    def __call__(self, progress: Round) -> bool:
        self._training += progress == TRAINING_BEGINS
        now = time.monotonic()
        if now - self._told >= TELL_SECONDS:
            self._told = now
            self._pipe.send(TaskStanding(self._training, progress.number, progress.total))
        return False


def _answer(task: Task, pipe: Connection, folder: Path) -> TaskOutcome | SharingFailure:
    try:
        return run_task(task, _opening(folder), begun=lambda: pipe.send(BEGUN), watch=_Teller(pipe))
    except SharingFailure as failure:
        return failure


def _opening(folder: Path) -> Callable[[Task], Fold]:
    def opened(task: Task) -> Fold:
        return open_shared_fold(task.files, task.checksums, folder)

    return opened
