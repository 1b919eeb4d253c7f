"""Sources of Python, parsed by one thread at a time."""

from __future__ import annotations

import ast
import threading

_PARSING = threading.Lock()


def parse_source(source: bytes) -> ast.Module:
    """As `ast.parse`, for processes with threads, such as the workers of a cluster.

    Python 3.11 counts how deep in a tree it is for all threads together; where one parses while
    another does, it may find the count off and raise SystemError.
    """
    with _PARSING:
        return ast.parse(source)
