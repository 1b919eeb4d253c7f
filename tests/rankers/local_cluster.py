"""A small Dask cluster on this machine, for tests of training that is spread."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import distributed


@contextlib.contextmanager
def local_cluster(workers: int, *, processes: bool = True) -> Iterator[Any]:
    """Workers of one thread each, as processes with nannies or as threads of this process."""
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, protocol="tcp",
        dashboard_address=None, silence_logs=logging.CRITICAL,
    ) as cluster:  # fmt: skip
        yield cluster


@contextlib.contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """A client of such a cluster."""
    with (
        local_cluster(workers) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
