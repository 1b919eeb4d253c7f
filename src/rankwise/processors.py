"""How many processors this process may use, which in containers is fewer than there are."""

from __future__ import annotations

import os


def processors() -> int:
    """The number of processors that the system lets this process run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
