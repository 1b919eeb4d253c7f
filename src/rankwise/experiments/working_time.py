"""Time that a method works: clocks stand still while kernels are compiled.

Compiling happens once on a machine and is kept on disk. It belongs to nobody's training: the first
task of a fresh installation would be the slowest, and end by its time limit.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

from rankwise.compilation import when_compiler_is_loaded


def working_seconds() -> float:
    """Seconds of the wall clock, without those in which this thread compiled, or waited to."""
    return time.perf_counter() - _compiling().wall


def working_processor_seconds() -> float:
    """Seconds of the processor, likewise."""
    return time.process_time() - _compiling().processor


def tell_compiling(told: Callable[[bool], None]) -> None:
    """Call `told` with true when this process begins to compile, and with false when it ends."""
    _compiling().told.append(told)


class _Compiling(threading.local):
    """Adds up the time of compiling, of each thread by itself.

    A kernel that needs another compiles it within its own time.
    """

    told: ClassVar[list[Callable[[bool], None]]] = []

    def __init__(self) -> None:
        self.wall = 0.0
        self.processor = 0.0
        self._depth = 0
        self._begun = (0.0, 0.0)

    def notify(self, event: Any) -> None:
        """What numba calls before a thread waits for its compiler, and when it is done with it.

        Code that the disk has is loaded in between, which takes a moment once in a process.
        """
        self._depth += 1 if event.is_start else -1
        now = time.perf_counter(), time.thread_time()
        if event.is_start and self._depth == 1:
            self._begun = now
        elif not self._depth:
            self.wall += now[0] - self._begun[0]
            self.processor += now[1] - self._begun[1]
        if self._depth == int(event.is_start):
            for told in self.told:
                told(event.is_start)


_COMPILING = _Compiling()


def _compiling() -> _Compiling:
    if "numba" in sys.modules:
        _listen()
    return _COMPILING


@lru_cache(maxsize=1)
def _listen() -> None:
    # Only where the compiler is loaded: it takes half a second, which most tasks need not pay for.
    events: Any = importlib.import_module("numba.core.event")
    events.Listener.register(_Compiling)
    events.register("numba:compiler_lock", _COMPILING)


when_compiler_is_loaded(_listen)
