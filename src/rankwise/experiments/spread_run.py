"""Running a task over a whole cluster: the coordinator tunes, workers hold the training data."""

from __future__ import annotations

import contextlib
from typing import Any

from rankwise.data.reading import read
from rankwise.experiments.keys import code_sum
from rankwise.experiments.plan import Task
from rankwise.experiments.shared_data import SharingFailure, lacking_code, refuse_changed
from rankwise.experiments.task_run import SpreadFold, run_task, stopping_after
from rankwise.rankers.machinery.spread_data import spread
from rankwise.rankers.ranker import Round, Watch
from rankwise.results.store_records import Outcome

_RETURN_SECONDS = 30


def run_spread_task(task: Task, client: Any, seconds: float | None) -> Outcome:
    """How the task ended; its time runs from here, so that it includes reading the shares.

    A worker that was lost is given a moment to come back: the next task should not do without.
    """
    watch = stopping_after(seconds)
    refuse_other_code(task, client)
    workers = len(client.nthreads())
    outcome = run_task(task, lambda one: _opened(one, client, watch), watch=watch,
                       interruptible=True)  # fmt: skip
    if outcome.kind == "killed":
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(workers, timeout=_RETURN_SECONDS)
    return outcome


def _opened(task: Task, client: Any, watch: Watch) -> SpreadFold:
    """The training part on the workers, the others here, all as wide as the widest."""
    files = task.files
    validation = None if files.validation is None else read(files.validation)
    test = read(files.test)
    widths = [part.n_features for part in (validation, test) if part is not None]
    train = spread(client, files.train, n_features=max(widths), tick=lambda: _told(watch))
    refuse_changed(files, task.sums)
    return SpreadFold(
        train,
        None if validation is None else validation.widened(train.n_features),
        test.widened(train.n_features),
    )


def _told(watch: Watch) -> None:
    watch(Round(0, 1))


def refuse_other_code(task: Task, client: Any) -> None:
    """Workers with other code would give figures under the wrong key, those without it none."""
    wanted = task.inputs["code"]
    for address, found in client.run(code_sum, task.ranker, on_error="return").items():
        # What a worker cannot import comes back as a plain exception that quotes the error.
        if isinstance(found, ImportError) or type(found) is Exception:
            raise lacking_code(f"{found} at {address}")
        if isinstance(found, Exception):
            raise found
        if found != wanted:
            raise SharingFailure(
                f"the workers must have the Rankwise of the coordinator ({wanted}), found {found} "
                f"at {address}; install the same version everywhere"
            )
