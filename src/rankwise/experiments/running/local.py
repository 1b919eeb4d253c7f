"""Processes of this machine: each runs one task at a time and may die without harm to the rest.

A process takes tasks from a pipe, one at a time, until it closes.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, ClassVar, Self

from rankwise.data.folds import Fold
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.parameter_search import TRAINING_BEGINS
from rankwise.experiments.planning import Task
from rankwise.experiments.resources import TaskLimits, measure_own_bytes
from rankwise.experiments.running.engine import ATTEMPTS, EngineOptions, Event, TaskStanding
from rankwise.experiments.running.shared_data import SharingFailure, open_shared_fold
from rankwise.experiments.running.task_run import run_task
from rankwise.processes import leave_with, processors, without_main
from rankwise.rankers.ranker import Round
from rankwise.results.task_records import TaskOutcome

_LOG = logging.getLogger(__name__)
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_FAREWELL_SECONDS = 5.0
_LOOK_SECONDS = 0.2
_PATIENCE_SECONDS = 5.0
_MAIN_GUARD = re.compile(r"__name__\s*==\s*['\"]__main__")


@dataclass(frozen=True)
class LocalEngine:
    """`jobs` processes that share the data through array files in `folder`."""

    name: ClassVar[str] = "local"
    # One machine has nothing to spread a task over.
    spreads: ClassVar[bool] = False
    limits_memory: ClassVar[bool] = True

    jobs: int
    folder: Path

    @classmethod
    def from_options(cls, options: EngineOptions) -> Self:
        """See `Engine`."""
        if options.scheduler is not None or options.send_data or options.wait is not None:
            raise RankwiseError(
                "a scheduler, data to send and a time to wait for workers are for an engine with a "
                "cluster, found local",
                Advice("choose {}", "engine", "dask"),
            )
        return cls(options.jobs, options.folder)

    def run(self, tasks: Sequence[Task], limits: TaskLimits) -> Generator[Event, None, None]:
        """See `Engine`."""
        crew = _Crew(
            self.folder, limits, deque(tasks), max(1, min(self.jobs, len(tasks))), _need_main(tasks)
        )
        try:
            yield from crew.events()
        finally:
            crew.end()


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    task: Task | None = None
    deadline: float | None = None
    before: int | None = None

    def is_late(self, now: float) -> bool:
        """Whether its task has had its time."""
        return self.deadline is not None and self.deadline < now


@dataclass(eq=False)
class _Crew:
    """The workers and what is still to do."""

    folder: Path
    limits: TaskLimits
    waiting: deque[Task]
    jobs: int
    main: bool
    workers: list[_Worker] = field(default_factory=list)
    deaths: Counter[str] = field(default_factory=Counter)
    lost: int = 0

    def events(self) -> Iterator[Event]:
        while self.waiting or any(worker.task for worker in self.workers):
            yield from self._hand_out()
            for worker in self._find_ready():
                yield from self._attend(worker)
            yield from self._expire()
            yield from self._relieve()

    def end(self) -> None:
        """Let idle workers go, end those in the middle of something."""
        for worker in self.workers:
            with contextlib.suppress(OSError):
                if worker.task is None:
                    worker.pipe.send(None)
                else:
                    worker.process.kill()
        for worker in self.workers:
            worker.process.join(_PATIENCE_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self.workers.clear()

    def _hand_out(self) -> Iterator[Event]:
        """Give every idle worker a task, and make workers while there is work for them."""
        while self.waiting:
            worker = next((one for one in self.workers if one.task is None), None)
            if worker is None:
                if len(self.workers) >= self.jobs:
                    return
                worker = _start_worker(self.folder, self.jobs, self.main)
                self.workers.append(worker)
            task = self.waiting.popleft()
            worker.task, worker.deadline, worker.before = task, None, None
            # A worker that died while idle takes the task with it; `_attend` puts it back.
            with contextlib.suppress(OSError):
                worker.pipe.send(task)
            lost, self.lost = self.lost, 0
            yield Event(task, lost=lost)

    def _find_ready(self) -> list[_Worker]:
        pipes = {worker.pipe: worker for worker in self.workers if worker.task}
        return [pipes[pipe] for pipe in wait(list(pipes), _LOOK_SECONDS)]  # type: ignore[index]

    def _attend(self, worker: _Worker) -> Iterator[Event]:
        """Take what a worker says; silence at the end of its pipe means that it is dead."""
        task = worker.task
        if task is None:
            return
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._bury(worker, task)
            return
        if message == BEGUN:
            if self.limits.seconds is not None:
                worker.deadline = time.monotonic() + self.limits.seconds
            if self.limits.memory_bytes is not None:
                worker.before = measure_own_bytes(worker.process.pid)
        elif isinstance(message, RankwiseError):
            raise message
        elif isinstance(message, TaskStanding):
            yield Event(task, standing=message)
        else:
            worker.task = None
            yield Event(task, message)

    def _bury(self, worker: _Worker, task: Task) -> Iterator[Event]:
        """A dead worker's task is begun again elsewhere, but not for ever."""
        # Its pipe is closed before it is gone; only then its exit code says why.
        worker.process.join(_FAREWELL_SECONDS)
        code = self._dismiss(worker)
        self.deaths[task.key] += 1
        if self.deaths[task.key] < ATTEMPTS:
            self.lost += 1
            self.waiting.append(task)
            return
        reason = f"its process ended {ATTEMPTS} times ({_describe_exit(code)})"
        yield Event(task, TaskOutcome.failure("killed", reason), lost=1)

    def _expire(self) -> Iterator[Event]:
        now = time.monotonic()
        for worker in [one for one in self.workers if one.is_late(now)]:
            task = worker.task
            self._dismiss(worker)
            if task is not None:
                seconds = self.limits.seconds or 0.0
                reason = f"it took longer than {seconds:g} seconds"
                yield Event(task, TaskOutcome.failure("time", reason, seconds=seconds))

    def _relieve(self) -> Iterator[Event]:
        """End tasks that hold too much; limits set in the process itself can freeze libraries."""
        limit = self.limits.memory_bytes
        if limit is None:
            return
        for worker in [one for one in self.workers if one.task and one.before is not None]:
            task = worker.task
            if task and measure_own_bytes(worker.process.pid) - (worker.before or 0) > limit:
                self._dismiss(worker)
                reason = f"it took more than {limit / 1e6:g} MB of memory"
                yield Event(task, TaskOutcome.failure("memory", reason))

    def _dismiss(self, worker: _Worker) -> int | None:
        self.workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        return worker.process.exitcode


def _need_main(tasks: Sequence[Task]) -> bool:
    """Whether a task uses what the user's script defines, which workers run again for it."""
    named = {name for task in tasks for name in (task.ranker, *task.own_measures, *task.wrapped)}
    own = sorted(name for name in named if name.startswith("__main__:"))
    script = getattr(sys.modules["__main__"], "__file__", None)
    if own and script and not _MAIN_GUARD.search(Path(script).read_text("utf-8", "replace")):
        raise RankwiseError(
            f"{own[0]} is defined in {script}, which every process of the bench runs again: what "
            'runs the bench must stand there under if __name__ == "__main__": (or the class in '
            "a module of its own), found neither"
        )
    return bool(own)


def _start_worker(folder: Path, jobs: int, main: bool) -> _Worker:
    """A fresh process: spawned, since a fork would copy the locks of running threads."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=answer_tasks, args=(theirs, folder), daemon=True)
    hidden = contextlib.nullcontext() if main else without_main()
    with _limit_threads(max(1, processors() // jobs)), hidden:
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextlib.contextmanager
def _limit_threads(count: int) -> Iterator[None]:
    """Libraries read these names when a process loads them, so they are set while it starts."""
    before: dict[str, Any] = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: str(count) for name, value in before.items() if value is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"exit code {code}"


BEGUN = "begun"
TELL_SECONDS = 1.0


def answer_tasks(pipe: Connection, folder: Path) -> None:
    """Answer every task with BEGUN when its data are at hand and with its outcome at the end."""
    # Ctrl-C reaches all processes of a terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a method prints must not get into the tables and JSON of the command.
    os.dup2(2, 1)
    leave_with(os.getppid())
    # What every task needs is loaded now, so that no task's time and memory pay for it.
    importlib.import_module("rankwise.measures.computation")
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (task := pipe.recv()) is not None:
            pipe.send(_run_or_tell_failure(task, pipe, folder))


class _ProgressTeller:
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


def _run_or_tell_failure(
    task: Task, pipe: Connection, folder: Path
) -> TaskOutcome | SharingFailure:
    try:
        return run_task(
            task, _opening(folder), begun=lambda: pipe.send(BEGUN), watch=_ProgressTeller(pipe)
        )
    except SharingFailure as failure:
        return failure


def _opening(folder: Path) -> Callable[[Task], Fold]:
    def opened(task: Task) -> Fold:
        return open_shared_fold(task.files, task.checksums, folder)

    return opened
