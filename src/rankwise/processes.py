"""Processors that this process may use, and processes that do not outlive the one they work for.

In processes with threads, sources of Python are parsed by one thread at a time.
"""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator

_LOOK_SECONDS = 1.0


def processors() -> int:
    """The number of processors that the system lets this process run on, at least 1.

    In containers that is fewer than there are.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Processes that start meanwhile do not run the user's script again.

    Python runs the main module of the parent in every process that it spawns, for what may be
    defined there. A script without `if __name__ == "__main__"` would begin itself anew in each.
    """
    main = sys.modules["__main__"]
    hidden: dict[str, object] = {
        name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)
    }
    vars(main).update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        vars(main).update(hidden)


def leave_with(parent: int) -> None:
    """From now on, end this process when `parent` is gone, even in the middle of a long task."""
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


_PARSING = threading.Lock()


def parse_source(source: bytes) -> ast.Module:
    """As `ast.parse`, for processes with threads, such as the workers of a cluster.

    Python 3.11 counts how deep in a tree it is for all threads together; where one parses while
    another does, it may find the count off and raise SystemError.
    """
    with _PARSING:
        return ast.parse(source)
