"""A disk that is full, as far as a process can see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

resource: Any = pytest.importorskip("resource", reason="no such limits on this system")


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes, as on a disk that is full by then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
