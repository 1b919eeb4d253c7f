"""A Dask cluster: workers get small descriptions of tasks and give outcomes back.

Workers read the data from the folder of the experiment, which they must see, or receive each fold
once (`send_data`). A worker that dies loses nothing: its scheduler tells of the workers that go in
the middle of tasks and gives these to others, and the engine tells that they begin again. Tasks
that are spread over the whole cluster come last, one at a time, as each takes all workers: the
coordinator tunes, workers hold the training data.

Workers of a cluster on this machine load this module at their start (`dask_setup`): they have its
standard output, too. LightGBM writes lines about its network there before any setting can silence
it, into the midst of what a command prints. Standard error is left alone.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
import uuid
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import Any, ClassVar, Self

from rankwise.cluster import (
    WAIT_SECONDS,
    KnownWorkers,
    NoWorkers,
    WrongCode,
    await_return,
    await_workers,
    connect,
    import_distributed,
    parse_wait,
    refuse_other_code,
)
from rankwise.data.folds import Fold, FoldFiles
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import digest_code
from rankwise.experiments.planning import Task
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running.engine import ATTEMPTS, EngineOptions, Event
from rankwise.experiments.running.shared_data import read_checked_fold, refuse_changed
from rankwise.experiments.running.task_run import SpreadFold, TimeLimit, run_task
from rankwise.rankers.distributed import spread
from rankwise.rankers.ranker import Round, Watch
from rankwise.results.task_records import TaskOutcome

_AHEAD = 2
_LOOK_SECONDS = 0.1
_SEND_SECONDS = 60.0
_PURPOSE = "the Dask engine"


@dataclass(frozen=True)
class DaskEngine:
    """The cluster of the scheduler at an address, or a local one of `jobs` processes.

    The time limit is looked at between the rounds of training, since a task cannot be ended from
    outside; memory is limited by the cluster, which ends workers that take too much. A cluster
    without workers, now or later, is waited for `wait` seconds.
    """

    name: ClassVar[str] = "dask"
    spreads: ClassVar[bool] = True
    limits_memory: ClassVar[bool] = False

    jobs: int
    scheduler: str | None = None
    send_data: bool = False
    wait: float = WAIT_SECONDS

    @classmethod
    def from_options(cls, options: EngineOptions) -> Self:
        """See `Engine`."""
        return cls(options.jobs, options.scheduler, options.send_data, parse_wait(options.wait))

    def run(self, tasks: Sequence[Task], limits: TaskLimits) -> Generator[Event, None, None]:
        """See `Engine`."""
        with _open_client(self) as client:
            whole = deque(task for task in tasks if not task.spread)
            flow = _Flow(client, whole, limits, self.send_data, self.wait)
            try:
                arriving = import_distributed(_PURPOSE).as_completed(loop=client.loop)
                yield from flow.events(arriving)
            finally:
                flow.cancel()
            for task in tasks:
                if task.spread:
                    yield from run_spread_task(task, client, limits.seconds, self.wait)


@dataclass(eq=False)
class _Flow:
    """Tasks on their way: a few more than there are threads, so that no worker waits."""

    client: Any
    waiting: deque[Task]
    limits: TaskLimits
    send_data: bool
    wait: float
    running: dict[Any, tuple[Task, Any]] = field(default_factory=dict)
    sent: dict[FoldFiles, Any] = field(default_factory=dict)
    remaining: Counter[FoldFiles] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    unsaid: int = 0
    known: KnownWorkers = field(init=False)

    def __post_init__(self) -> None:
        self.known = KnownWorkers(self.client, self.wait)

    def events(self, arriving: Any) -> Iterator[Event]:
        """What becomes of the tasks; `arriving` gives their futures back as they end."""
        if not self.waiting:
            return
        self.remaining.update(task.files for task in self.waiting)
        with contextlib.closing(LostWorkers(self.client)) as lost:
            yield from self._submit(arriving)
            while self.running:
                while not (arriving.has_ready() or lost):
                    time.sleep(_LOOK_SECONDS)
                for worker in lost.take():
                    yield from self._tell_loss(worker)
                if arriving.has_ready():
                    yield from self._take(next(arriving))
                    yield from self._submit(arriving)

    def _take(self, future: Any) -> Iterator[Event]:
        """The end of a task, or none where it must be submitted anew."""
        task, data = self.running.pop(future)
        if self._is_lost(future, task, data):
            self.waiting.appendleft(task)
        else:
            yield Event(task, _take_outcome(future), lost=self._take_unsaid())
            self._forget(task)

    def cancel(self) -> None:
        """Withdraw what has not ended."""
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self.client.cancel(list(self.running))

    def _count_threads(self) -> int:
        """How many tasks run at a time; workers that are new are asked for their code first."""
        task = self.waiting[0]
        threads = self.known.ask_new(task.code, digest_code, *task.coded)
        return max(1, sum(threads.values()))

    def _submit(self, arriving: Any) -> Iterator[Event]:
        if not self.waiting:
            return
        threads = self._count_threads()
        while self.waiting and len(self.running) < _AHEAD * threads:
            task = self.waiting.popleft()
            data = self._send_data(task)
            name = f"rankwise-{task.key[:16]}-{uuid.uuid4().hex}"
            future = self.client.submit(
                run_on_worker, task, data, self.limits.seconds, key=name, pure=False,
            )  # fmt: skip
            self.running[future] = task, data
            arriving.add(future)
            yield Event(task, jobs=threads, lost=self._take_unsaid())

    def _tell_loss(self, worker: LostWorker) -> Iterator[Event]:
        """Its tasks begin again elsewhere, unless one has ended a worker too many."""
        moved = [
            task
            for future, (task, data) in self.running.items()
            if future.key in worker.tasks
            and future.status != "error"
            # Without its data a task is withdrawn, and begins again when it is submitted anew.
            and (data is None or data.key not in worker.data)
        ]
        lost = int(not worker.tasks.isdisjoint(future.key for future in self.running))
        for task in moved:
            yield Event(task, lost=lost)
            lost = 0
        self.unsaid += lost
        try:
            await_workers(self.client, self.wait)
        except NoWorkers as error:
            raise NoWorkers(
                f"{error.message}; everything that came back is stored: run the same command again",
                *error.advice,
            ) from error

    def _is_lost(self, future: Any, task: Task, data: Any) -> bool:
        """Whether a task was withdrawn since the worker that held its fold has died.

        Data that were sent cannot be made again by the scheduler; they are sent again from here.
        """
        gone = future.status in ("cancelled", "lost") and self.client.status == "running"
        if not gone or data is None or self.losses[task.key] >= ATTEMPTS - 1:
            return False
        self.losses[task.key] += 1
        if self.sent.get(task.files) is data:
            del self.sent[task.files]
        return True

    def _send_data(self, task: Task) -> Any:
        """None, or the future of the fold on the cluster; a fold is sent when first needed."""
        if not self.send_data:
            return None
        if task.files not in self.sent:
            self.sent[task.files] = self._scatter(read_checked_fold(task.files, task.checksums))
        return self.sent[task.files]

    def _scatter(self, fold: Fold) -> Any:
        """A worker may go while it is given the fold: the next one gets it, when it is known."""
        limit = time.monotonic() + _SEND_SECONDS
        while True:
            try:
                return self.client.scatter(fold, hash=False)
            except OSError:
                if self.client.status != "running" or time.monotonic() > limit:
                    raise
            # The scheduler may not have noticed yet that the worker is gone.
            time.sleep(_LOOK_SECONDS)
            await_workers(self.client, self.wait)

    def _take_unsaid(self) -> int:
        """Workers whose loss goes with the next event, as no task of theirs was moved."""
        unsaid, self.unsaid = self.unsaid, 0
        return unsaid

    def _forget(self, task: Task) -> None:
        self.remaining[task.files] -= 1
        if not self.remaining[task.files]:
            self.sent.pop(task.files, None)


def run_on_worker(task: Task, data: Fold | None, seconds: float | None) -> TaskOutcome:
    """What a worker does; one with other code would give figures under the wrong key."""
    here = task.code_now()
    if here != task.code:
        raise WrongCode.of(here, task.code)

    def opened(one: Task) -> Fold:
        # The source of a transfer is not sent: workers read it.
        if data is not None and one.files == task.files:
            return data
        return _read_on_worker(one.files, tuple(sorted(one.checksums.items())))

    limit = TimeLimit(seconds)
    return run_task(task, opened, begun=limit.begin, watch=limit.watch)


@lru_cache(maxsize=2)
def _read_on_worker(files: FoldFiles, checksums: tuple[tuple[str, str], ...]) -> Fold:
    """Workers outlive runs: the same files may hold other data the next time."""
    return read_checked_fold(files, dict(checksums))


def _take_outcome(future: Any) -> TaskOutcome:
    """A future's outcome; a task whose workers died again and again is recorded as killed."""
    if future.status not in ("finished", "error"):
        raise RankwiseError(
            "the Dask scheduler no longer has the tasks (it was ended or restarted); everything "
            "that came back is stored: run the same command again"
        )
    error = future.exception() if future.status == "error" else None
    if isinstance(error, import_distributed(_PURPOSE).KilledWorker):
        times = error.allowed_failures + 1
        return TaskOutcome.failure("killed", f"its worker ended {times} times")
    if isinstance(error, ImportError):
        raise WrongCode.of(error) from error
    if error is not None and isinstance(error.__cause__, ImportError):
        raise WrongCode.of(error.__cause__) from error
    if error is not None:
        raise error
    outcome: TaskOutcome = future.result()
    return outcome


@contextlib.contextmanager
def _open_client(engine: DaskEngine) -> Iterator[Any]:
    with contextlib.ExitStack() as open_things:
        address: Any = engine.scheduler
        if address is None:
            address = open_things.enter_context(_start_cluster(engine.jobs))
        yield open_things.enter_context(connect(address, _PURPOSE))


def _start_cluster(jobs: int) -> Any:
    """A cluster of processes on this machine; one that is killed at once is told as a sentence."""
    try:
        return import_distributed(_PURPOSE).LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True,
            dashboard_address=":0", silence_logs=logging.CRITICAL,
            preload=["rankwise.experiments.running.dask"],
        )  # fmt: skip
    except (OSError, RuntimeError, TimeoutError) as error:
        raise RankwiseError(
            f"a Dask cluster of {jobs} processes could not be started on this machine ({error}); "
            "everything that came back is stored: run the same command again"
        ) from error


def run_spread_task(task: Task, client: Any, seconds: float | None, wait: float) -> Iterator[Event]:
    """The beginnings of the task and its end; its time runs from each, reading shares included.

    Where a worker was lost the task begins again, as others do whose worker dies. The worker is
    given a moment to come back: neither this task nor the next should do without.
    """
    lost = 0
    await_workers(client, wait)
    for _ in range(ATTEMPTS):
        refuse_other_code(client, task.code, digest_code, *task.coded)
        workers = len(client.nthreads())
        yield Event(task, lost=lost)
        watch = TimeLimit(seconds).watch
        outcome = run_task(task, partial(_open_parts, client=client, watch=watch), watch=watch,
                           interruptible=True)  # fmt: skip
        lost = int(outcome.kind == "killed")
        if not lost:
            break
        try:
            await_return(client, workers)
            await_workers(client, wait)
        except NoWorkers:
            break
    yield Event(task, outcome, lost=lost)


def _open_parts(task: Task, client: Any, watch: Watch) -> SpreadFold:
    """The training part on the workers, the others here, all as wide as the widest."""
    files = task.files
    validation = None if files.validation is None else read(files.validation)
    test = read(files.test)
    widths = [part.n_features for part in (validation, test) if part is not None]
    train = spread(client, files.train, n_features=max(widths), tick=lambda: _tell_beginning(watch))
    refuse_changed(files, task.checksums)
    return SpreadFold(
        train,
        None if validation is None else validation.widened(train.n_features),
        test.widened(train.n_features),
    )


def _tell_beginning(watch: Watch) -> None:
    watch(Round(0, 1))


_LOST_TOPIC = "all"


@dataclass(frozen=True)
class LostWorker:
    """A worker that is gone: the keys of what it had to compute, and of data that it alone had."""

    tasks: frozenset[str]
    data: frozenset[str]


class LostWorkers:
    """What a client hears of workers that go, ended or sent away.

    The scheduler tells of a worker before its tasks begin elsewhere, so that its loss is here when
    one of them ends.
    """

    def __init__(self, client: Any) -> None:
        self._told: SimpleQueue[LostWorker] = SimpleQueue()
        self._client = client
        client.subscribe_topic(_LOST_TOPIC, self._note)

    def __bool__(self) -> bool:
        """Whether there is one that was not taken yet."""
        return not self._told.empty()

    def take(self) -> Iterator[LostWorker]:
        """Those that were told of since the last time."""
        while self:
            yield self._told.get()

    def close(self) -> None:
        """Hear no more; else the scheduler complains that a client which has left does not."""
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._client.unsubscribe_topic(_LOST_TOPIC)

    def _note(self, event: tuple[float, Any]) -> None:
        _, message = event
        if isinstance(message, dict) and message.get("action") == "remove-worker":
            tasks, data = (
                frozenset(map(str, message.get(name, ())))
                for name in ("processing-tasks", "lost-scattered-tasks")
            )
            self._told.put(LostWorker(tasks, data))


def dask_setup(worker: Any) -> None:
    """Called by Dask in every worker process, also one that is started anew."""
    # Ctrl-C reaches all processes of a terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
