"""What compiling is for, and who wants to know of it; without the compiler, which is slow to load.

`rankwise.compiled` loads it, when a kernel is first needed, and reads what is noted here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Kernel = tuple[str, str]


@dataclass
class Purpose:
    """What is being done, for the message of the one who waits.

    Attributes:
        name: of a ranker, say.
        kernels: those that this may need, each by its module and its name.
        told: whether the message was given.
    """

    name: str
    kernels: Callable[[], Iterable[Kernel]]
    told: bool = False


@contextlib.contextmanager
def compiling_for(name: str, kernels: Callable[[], Iterable[Kernel]]) -> Iterator[None]:
    """While this holds, what must be compiled is said to be for `name`.

    For all threads: a pool of them may be at work for the one that called.
    """
    purpose = Purpose(name, kernels)
    _PURPOSES.append(purpose)
    try:
        yield
    finally:
        _PURPOSES.remove(purpose)


def current_purpose() -> Purpose | None:
    """What was begun last."""
    return _PURPOSES[-1] if _PURPOSES else None


def when_compiler_is_loaded(prepare: Callable[[], None]) -> None:
    """Call `prepare` as soon as the compiler is there, which may be now."""
    if _LOADED:
        prepare()
    else:
        _WAITING.append(prepare)


def note_that_compiler_is_loaded() -> None:
    """Call those that wait for it."""
    _LOADED.append(True)
    while _WAITING:
        _WAITING.pop(0)()


_PURPOSES: list[Purpose] = []
_WAITING: list[Callable[[], None]] = []
_LOADED: list[bool] = []
