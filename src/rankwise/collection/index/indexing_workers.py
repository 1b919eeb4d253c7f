"""Where batches of documents are analysed, and what is said when that cannot go on."""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from rankwise import __version__
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.processors import leave_with

_LOG = logging.getLogger(__name__)
_GOES_ON = "the same command goes on where this one stopped"
_VERSION = "rankwise:__version__"


@dataclass(frozen=True)
class IndexingWorkers:
    """Which workers analyse batches of documents: in this process, in others, or on a Dask cluster.

    Attributes:
        processes: how many; 1 stays in this process.
        dask: address of a Dask scheduler whose workers see the same folder; it is used instead.
    """

    processes: int = 1
    dask: str | None = None

    @contextlib.contextmanager
    def executor(self) -> Iterator[tuple[Executor | None, Callable[[], int]]]:
        """An executor (None to stay here), and how many batches it may hold at the moment."""
        if self.dask is not None:
            with _dask_client(self.dask) as client:
                yield client.get_executor(), _Room(client)
        elif self.processes > 1:
            with _pool(self.processes) as pool:
                yield pool, lambda: 2 * self.processes
        else:
            yield None, lambda: 1


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[Executor]:
    spawned = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(
            processes, mp_context=spawned, initializer=leave_with, initargs=(os.getpid(),)
        ) as pool:
            yield pool
    except BrokenExecutor as error:
        raise RankwiseError(
            "a process that analysed documents ended before its time (it was killed, or memory "
            f"ran out); {_GOES_ON}, perhaps with fewer --processes"
        ) from error


@contextlib.contextmanager
def _dask_client(address: str) -> Iterator[Any]:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise MissingExtra("indexing on a Dask cluster", "cluster") from error
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise RankwiseError(f"cannot reach a Dask scheduler at {address}: {error}") from error
    try:
        yield client
    except (distributed.KilledWorker, CancelledError) as error:
        raise RankwiseError(
            "workers of the Dask cluster ended again and again over the same documents, or its "
            f"scheduler did (killed, or memory ran out); {_GOES_ON}"
        ) from error
    except ImportError as error:
        raise _lacking(error) from error
    finally:
        client.close()


class _Room:
    """Two batches for each worker; workers that are new are asked for their Rankwise first."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: frozenset[str] = frozenset()
        # The scheduler reads what workers are sent.
        _refuse_other_code("the scheduler", client.run_on_scheduler(pkgutil.resolve_name, _VERSION))

    def __call__(self) -> int:
        if not self._client.nthreads():
            _LOG.warning("the Dask scheduler has no workers yet; waiting for them")
            self._client.wait_for_workers(1)
        workers = frozenset(self._client.nthreads())
        if new := list(workers - self._known):
            answers = self._client.run(
                pkgutil.resolve_name, _VERSION, workers=new, on_error="return"
            )
            for worker, found in answers.items():
                _refuse_other_code(worker, found)
        self._known = workers
        return 2 * max(1, len(workers))


def _refuse_other_code(where: str, found: object) -> None:
    """A worker that is gone (an OSError) has nothing to answer for."""
    if isinstance(found, Exception) and not isinstance(found, OSError):
        raise _lacking(f"{found} at {where}")
    if isinstance(found, str) and found != __version__:
        raise _lacking(f"{found} at {where}")


def _lacking(found: object) -> RankwiseError:
    return RankwiseError(
        f"the workers of the Dask cluster and its scheduler must have Rankwise {__version__} and "
        f"what it needs, found: {found}; install the same version everywhere"
    )
