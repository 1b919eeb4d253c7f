"""A small Dask cluster on this machine, for tests of training that is spread."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import dask
import distributed
from distributed.utils import get_mp_context

# What workers load in any test: half a second to import each time, two with LightGBM.
_LOADED = ("distributed", "distributed.nanny", "dask.array", "dask.dataframe", "lightgbm.dask",
           "rankwise.experiments.running.task_run", "rankwise.measures.computation")  # fmt: skip


@contextlib.contextmanager
def local_cluster(workers: int, *, processes: bool = True) -> Iterator[Any]:
    """Workers of one thread each, as processes with nannies or as threads of this process.

    Processes are forks of one that has loaded the libraries: tests start many, and end them.
    """
    with _forking(), distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, protocol="tcp",
        dashboard_address=None, silence_logs=logging.CRITICAL,
    ) as cluster:  # fmt: skip
        yield cluster


@contextlib.contextmanager
def _forking() -> Iterator[None]:
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(list(_LOADED))
        yield


@contextlib.contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """A client of such a cluster."""
    with (
        local_cluster(workers) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
