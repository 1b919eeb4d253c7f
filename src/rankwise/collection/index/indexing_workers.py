"""Where batches of documents are analysed, and what is said when that cannot go on."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from rankwise import __version__
from rankwise.dask_cluster import (
    KnownWorkers,
    WrongCode,
    connect,
    import_distributed,
    parse_wait,
)
from rankwise.errors import Advice, RankwiseError
from rankwise.processors import leave_with, without_main

_GOES_ON = "the same command goes on where this one stopped"
_VERSION = "rankwise:__version__"


@dataclass(frozen=True)
class IndexingWorkers:
    """Which workers analyse batches of documents: in this process, in others, or on a Dask cluster.

    Attributes:
        processes: how many; 1 stays in this process.
        dask: address of a Dask scheduler whose workers see the same folder; it is used instead.
        wait: how long a cluster without workers is waited for: seconds, or `10m`.
    """

    processes: int = 1
    dask: str | None = None
    wait: float | str | None = None

    def __post_init__(self) -> None:
        parse_wait(self.wait)
        if self.processes < 1:
            raise RankwiseError(
                f"documents are analysed by at least 1 process, found {self.processes}",
                Advice("leave out {}", "jobs"),
            )
        if self.wait is not None and self.dask is None:
            raise RankwiseError(
                "a time to wait for workers is for a Dask cluster, found none",
                Advice("name {}", "dask"),
            )

    @contextlib.contextmanager
    def executor(self) -> Iterator[tuple[Executor | None, Callable[[], int]]]:
        """An executor (None to stay here), and how many batches it may hold at the moment."""
        if self.dask is not None:
            with _connect(self.dask) as client:
                yield client.get_executor(), _Room(client, parse_wait(self.wait))
        elif self.processes > 1:
            with _open_pool(self.processes) as pool:
                yield pool, lambda: 2 * self.processes
        else:
            yield None, lambda: 1


@contextlib.contextmanager
def _open_pool(processes: int) -> Iterator[Executor]:
    spawned = multiprocessing.get_context("spawn")
    try:
        with (
            without_main(),
            ProcessPoolExecutor(
                processes, mp_context=spawned, initializer=leave_with, initargs=(os.getpid(),)
            ) as pool,
        ):
            yield pool
    except BrokenExecutor as error:
        raise RankwiseError(
            "a process that analysed documents ended before its time (it was killed, or memory "
            f"ran out); {_GOES_ON}",
            Advice("perhaps with fewer {}", "jobs"),
        ) from error


@contextlib.contextmanager
def _connect(address: str) -> Iterator[Any]:
    purpose = "indexing on a Dask cluster"
    distributed = import_distributed(purpose)
    with connect(address, purpose) as client:
        try:
            yield client
        except (distributed.KilledWorker, CancelledError) as error:
            raise RankwiseError(
                "workers of the Dask cluster ended again and again over the same documents, or its "
                f"scheduler did (killed, or memory ran out); {_GOES_ON}"
            ) from error
        except ImportError as error:
            raise WrongCode.of(error) from error


class _Room:
    """How many batches fit: two for each worker, which must have this Rankwise."""

    def __init__(self, client: Any, wait: float) -> None:
        self._known = KnownWorkers(client, wait)
        # The scheduler reads what workers are sent.
        found = client.run_on_scheduler(pkgutil.resolve_name, _VERSION)
        if found != __version__:
            raise WrongCode.of(f"{found} at the scheduler")

    def __call__(self) -> int:
        workers = self._known.ask_new(__version__, pkgutil.resolve_name, _VERSION)
        return 2 * max(1, len(workers))
