"""torch as rankers use it: imported when asked for, on one thread, giving the same bits."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankwise.errors import MissingExtra


def import_torch(what: str) -> Any:
    """The library; where it is not installed, an error that says what needs it."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise MissingExtra(what, "neural") from error


@contextmanager
def reproducible(torch: Any) -> Iterator[None]:
    """One thread and deterministic algorithms, for as long as the block runs."""
    threads = torch.get_num_threads()
    deterministic = torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(deterministic)
