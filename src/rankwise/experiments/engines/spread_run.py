"""Running a task over a whole cluster: the coordinator tunes, workers hold the training data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from rankwise.dask_cluster import NoWorkers, await_return, await_workers, refuse_other_code
from rankwise.data.reading import read
from rankwise.experiments.engines.engine import ATTEMPTS, Event
from rankwise.experiments.keys import digest_code
from rankwise.experiments.planning import Task
from rankwise.experiments.shared_data import refuse_changed
from rankwise.experiments.task_run import SpreadFold, TimeLimit, run_task
from rankwise.rankers.cluster.spread_data import spread
from rankwise.rankers.ranker import Round, Watch


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
    train = spread(client, files.train, n_features=max(widths), tick=lambda: _tell(watch))
    refuse_changed(files, task.checksums)
    return SpreadFold(
        train,
        None if validation is None else validation.widened(train.n_features),
        test.widened(train.n_features),
    )


def _tell(watch: Watch) -> None:
    watch(Round(0, 1))
