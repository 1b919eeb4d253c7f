"""Training somebody's own ranker in a command: what it prints is kept apart from the result."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def apart() -> Iterator[None]:
    """Lines that a ranker prints go to standard error."""
    with redirect_stdout(sys.stderr):
        yield
