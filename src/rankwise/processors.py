"""Processors that this process may use, and processes that do not outlive the one they work for."""

from __future__ import annotations

import os
import threading
import time

_LOOK_SECONDS = 1.0


def processors() -> int:
    """The number of processors that the system lets this process run on, at least 1.

    In containers that is fewer than there are.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def leave_with(parent: int) -> None:
    """From now on, end this process when `parent` is gone, even in the middle of a long task."""
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
