"""Loaded by the workers of a cluster on this machine: they have its standard output, too.

LightGBM writes lines about its network there before any setting can silence it, into the midst of
what a command prints. Standard error is left alone.
"""

from __future__ import annotations

import os
import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask in every worker process, also one that is started anew."""
    # Ctrl-C reaches all processes of a terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
