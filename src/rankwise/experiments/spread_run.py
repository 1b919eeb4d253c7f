"""Running a task over a whole cluster: the coordinator tunes, workers hold the training data."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from functools import partial
from typing import Any

from rankwise.data.reading import read
from rankwise.experiments.engines.engine import ATTEMPTS
from rankwise.experiments.keys import code_sum
from rankwise.experiments.plan import Task
from rankwise.experiments.shared_data import SharingFailure, lacking_code, refuse_changed
from rankwise.experiments.task_run import SpreadFold, TimeLimit, run_task
from rankwise.rankers.cluster.spread_data import spread
from rankwise.rankers.ranker import Round, Watch
from rankwise.results.store_records import TaskOutcome

_RETURN_SECONDS = 30


def run_spread_task(task: Task, client: Any, seconds: float | None) -> TaskOutcome:
    """How the task ended; its time runs from each beginning and includes reading the shares.

    Where a worker was lost the task begins again, as others do whose worker dies. The worker is
    given a moment to come back: neither this task nor the next should do without.
    """
    for _ in range(ATTEMPTS):
        refuse_other_code(task, client)
        workers = len(client.nthreads())
        watch = TimeLimit(seconds).watch
        outcome = run_task(task, partial(_opened, client=client, watch=watch), watch=watch,
                           interruptible=True)  # fmt: skip
        if outcome.kind != "killed":
            break
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(workers, timeout=_RETURN_SECONDS)
        if not client.nthreads():
            break
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


def refuse_other_code(task: Task, client: Any, workers: Collection[str] | None = None) -> None:
    """Workers with other code would give figures under the wrong key, those without it none.

    All workers are asked, or those at some addresses; one that is gone has nothing to answer for.
    """
    wanted = task.code
    asked = None if workers is None else list(workers)
    answers = client.run(code_sum, task.ranker, workers=asked, on_error="return")
    for address, found in answers.items():
        if isinstance(found, OSError):
            continue
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
