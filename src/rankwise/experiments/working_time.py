"""Time that a method works: clocks stand still while kernels are compiled.

Compiling happens once on a machine and is kept on disk. It belongs to nobody's training: the first
task of a fresh installation would be the slowest, and end by its time limit.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any


def working_seconds() -> float:
    """Seconds of the wall clock, without those in which this process compiled."""
    return time.perf_counter() - _compiling().seconds


def working_processor_seconds() -> float:
    """Seconds of the processor, likewise; compiling takes one processor."""
    return time.process_time() - _compiling().seconds


def tell_compiling(told: Callable[[bool], None]) -> None:
    """Call `told` with true when this process begins to compile, and with false when it ends."""
    _compiling().told = told


class _Compiling:
    """Adds up the time of compiling; a kernel that needs another compiles it within its own."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.told: Callable[[bool], None] = lambda begins: None
        self._depth = 0
        self._begun = 0.0

    def notify(self, event: Any) -> None:
        """What numba calls before and after a kernel is compiled that the disk does not have."""
        now = time.perf_counter()
        self._depth += 1 if event.is_start else -1
        if event.is_start and self._depth == 1:
            self._begun = now
            self.told(True)
        elif not self._depth:
            self.seconds += now - self._begun
            self.told(False)


@lru_cache(maxsize=1)
def _compiling() -> _Compiling:
    # numba takes half a second to import, which commands that run nothing should not pay for.
    events: Any = importlib.import_module("numba.core.event")
    found = _Compiling()
    events.Listener.register(_Compiling)
    events.register("numba:compile", found)
    return found
