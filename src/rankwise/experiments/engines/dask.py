"""A Dask cluster: workers get small descriptions of tasks and give outcomes back.

Workers read the data from the folder of the experiment, which they must see, or receive each fold
once (`send_data`). A worker that dies loses nothing: the scheduler gives its tasks to others.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import uuid
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rankwise.data.folds import Fold, FoldFiles, read_fold
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.experiments.engines.engine import ATTEMPTS, Event
from rankwise.experiments.keys import code_sum
from rankwise.experiments.limits import Limits
from rankwise.experiments.plan import Task
from rankwise.experiments.shared_data import SharingFailure
from rankwise.experiments.task_run import run_task, stopping_after
from rankwise.results.store_records import Outcome

_AHEAD = 2
_CONNECT_SECONDS = 30


@dataclass(frozen=True)
class DaskEngine:
    """The cluster of the scheduler at an address, or a local one of `jobs` processes.

    The time limit is looked at between the rounds of training, since a task cannot be ended from
    outside; memory is limited by the cluster, which ends workers that take too much.
    """

    jobs: int
    scheduler: str | None = None
    send_data: bool = False

    def run(self, tasks: Sequence[Task], limits: Limits) -> Generator[Event, None, None]:
        """See `Engine`."""
        with _client(self) as client:
            flow = _Flow(client, deque(tasks), limits, self.send_data)
            try:
                yield from flow.events()
            finally:
                flow.cancel()


@dataclass(eq=False)
class _Flow:
    """Tasks on their way: a few more than there are threads, so that no worker waits."""

    client: Any
    waiting: deque[Task]
    limits: Limits
    send_data: bool
    running: dict[Any, Task] = field(default_factory=dict)
    sent: dict[FoldFiles, Any] = field(default_factory=dict)
    remaining: Counter[FoldFiles] = field(default_factory=Counter)

    def events(self) -> Iterator[Event]:
        self.remaining.update(task.files for task in self.waiting)
        arriving = _distributed().as_completed(loop=self.client.loop)
        yield from self._submit(arriving)
        while self.running:
            future = next(arriving)
            task = self.running.pop(future)
            yield Event(task, _outcome(future))
            self._forget(task)
            yield from self._submit(arriving)

    def cancel(self) -> None:
        """Withdraw what has not ended."""
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self.client.cancel(list(self.running))

    def _submit(self, arriving: Any) -> Iterator[Event]:
        wanted = _AHEAD * max(1, sum(self.client.nthreads().values()))
        while self.waiting and len(self.running) < wanted:
            task = self.waiting.popleft()
            data = self._data(task)
            name = f"rankwise-{task.key[:16]}-{uuid.uuid4().hex}"
            future = self.client.submit(
                run_on_worker, task, data, self.limits.seconds, task.inputs["code"],
                key=name, pure=False,
            )  # fmt: skip
            self.running[future] = task
            arriving.add(future)
            yield Event(task)

    def _data(self, task: Task) -> Any:
        """None, or the future of the fold on the cluster; a fold is sent when first needed."""
        if not self.send_data:
            return None
        if task.files not in self.sent:
            self.sent[task.files] = self.client.scatter(read_fold(task.files), hash=False)
        return self.sent[task.files]

    def _forget(self, task: Task) -> None:
        self.remaining[task.files] -= 1
        if not self.remaining[task.files]:
            self.sent.pop(task.files, None)


def run_on_worker(task: Task, data: Fold | None, seconds: float | None, code: str) -> Outcome:
    """What a worker does; one with other code would give figures under the wrong key."""
    here = code_sum(task.ranker)
    if here != code:
        raise SharingFailure(
            f"the workers must have the Rankwise of the coordinator ({code}), found {here}; "
            "install the same version everywhere"
        )
    return run_task(
        task, lambda one: _read(one.files) if data is None else data, watch=stopping_after(seconds)
    )


@lru_cache(maxsize=2)
def _read(files: FoldFiles) -> Fold:
    return read_fold(files)


def _outcome(future: Any) -> Outcome:
    """A future's outcome; a task whose workers died again and again is recorded as killed."""
    if future.status not in ("finished", "error"):
        raise RankwiseError(
            "the Dask scheduler no longer has the tasks (it was ended or restarted); everything "
            "that came back is stored: run the same command again"
        )
    error = future.exception() if future.status == "error" else None
    if isinstance(error, _distributed().KilledWorker):
        return Outcome.failure("killed", f"its worker ended {ATTEMPTS} times or more")
    if error is not None:
        raise error
    outcome: Outcome = future.result()
    return outcome


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtra("the Dask engine", "cluster") from None


@contextlib.contextmanager
def _client(engine: DaskEngine) -> Iterator[Any]:
    distributed = _distributed()
    with contextlib.ExitStack() as open_things:
        address: Any = engine.scheduler
        if address is None:
            address = open_things.enter_context(
                distributed.LocalCluster(
                    n_workers=engine.jobs, threads_per_worker=1, processes=True,
                    dashboard_address=None, silence_logs=logging.CRITICAL,
                )
            )  # fmt: skip
        try:
            client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RankwiseError(
                f"there must be a Dask scheduler at {engine.scheduler}, none answered: {error}"
            ) from error
        yield open_things.enter_context(client)
