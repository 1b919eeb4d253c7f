"""The one way kernels are compiled: cached on disk, without the interpreter lock.

Importing this module imports numba (about half a second), so modules that hold kernels are
imported inside the functions that need them, never at the top of a package.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache

from rankwise.compilation import Kernel, Purpose, current_purpose, note_that_compiler_is_loaded
from rankwise.errors import RankwiseError
from rankwise.locks import exclusively

_LOG = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

# A rough figure of a two-core machine: what one kernel adds to the first training.
_SECONDS_A_KERNEL = 0.8
# Who waits so long for another process compiles by itself.
_PATIENCE_SECONDS = 300.0
_LOOK_SECONDS = 0.2
_BUSY = "another process compiles"


def compiled(function: Function) -> Function:
    """Compile `function` at its first call and keep the machine code for the next process.

    Division by zero follows numpy (inf or nan) rather than raising; sums keep the order in which
    they are written, so that figures do not depend on the machine. What has to be compiled is said
    once, in the log; of several processes that need it, one compiles and the others wait. Where
    nothing can be kept, the next process compiles again.
    """
    try:
        kernel: Any = _compiled(function, cache=True)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _tell_that_nothing_is_kept()
        return _compiled(function, cache=False)
    kernel._cache = _SharedCache(function)
    return cast(Function, kernel)


def _compiled(function: Function, *, cache: bool) -> Function:
    return cast(Function, numba.njit(cache=cache, nogil=True, error_model="numpy")(function))


class _SharedCache(FunctionCache):  # type: ignore[misc]
    """The kept machine code of one kernel, which processes wait for and do not make twice."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._module = function.__module__
        _CACHES[self._module, function.__qualname__] = self

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for these types of arguments; None where this process has to compile."""
        found = super().load_overload(sig, target_context)
        if found is not None:
            return found
        if _LOCKS.take(Path(self.cache_path) / f"{self._module}.lock"):
            found = super().load_overload(sig, target_context)
        purpose = current_purpose() or self._own_purpose()
        if found is None and purpose is not None:
            _tell(purpose)
        return found

    def _own_purpose(self) -> Purpose | None:
        """Of a kernel that is compiled for nothing named; one that another one calls is part of it.

        `rankwise.comparison.plackett_luce_kernel` is for plackett luce.
        """
        if not _LOCKS.is_outermost:
            return None
        name = self._module.rpartition(".")[2].removesuffix("_kernel").replace("_", " ")
        return Purpose(name, lambda: [one for one in _CACHES if one[0] == self._module])

    def is_empty(self) -> bool:
        """Whether nothing is kept, for any types of arguments, of the code as it now is."""
        return not self._cache_file._load_index()


class _Locks(threading.local):
    """The locks that this thread took since it began to compile, until the last kernel is done.

    A module's kernels call those of modules that it imports, never the other way round, so that
    processes which take lock after lock cannot wait for each other in a circle.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._held: set[Path] = set()
        self._stack = contextlib.ExitStack()

    @property
    def is_outermost(self) -> bool:
        """Whether the kernel that is looked for is called by no other that is being compiled."""
        return self._depth == 1

    def take(self, path: Path) -> bool:
        """Wait for the lock; false where it is already held, or cannot be."""
        if path in self._held:
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._wait(path)
        except (OSError, RankwiseError):
            return False
        self._held.add(path)
        return True

    def _wait(self, path: Path) -> None:
        """A little at a time, since Ctrl-C is only seen in between."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                self._stack.enter_context(exclusively(path, _BUSY, _LOOK_SECONDS))
            except RankwiseError as error:
                if str(error) != _BUSY or time.monotonic() > end:
                    raise
            else:
                return

    def notify(self, change: Any) -> None:
        """What numba calls before a thread waits for its compiler, and when it is done with it."""
        self._depth += 1 if change.is_start else -1
        if self._depth == 0:
            self._stack.close()
            self._held.clear()


def _tell(purpose: Purpose) -> None:
    """Say, once, what is compiled and about how long that takes."""
    if purpose.told:
        return
    purpose.told = True
    lacking = sum(map(_is_lacking, purpose.kernels()))
    seconds = max(1, round(_SECONDS_A_KERNEL * lacking))
    # No fault, but a wait that nobody asked for: it is shown where no logging is set up.
    _LOG.warning("compiling %s, once: about %d s", purpose.name, seconds)


def _is_lacking(kernel: Kernel) -> bool:
    importlib.import_module(kernel[0])
    cache = _CACHES.get(kernel)
    return cache is not None and cache.is_empty()


@lru_cache(maxsize=1)
def _tell_that_nothing_is_kept() -> None:
    """Once a process: neither the folder of the package nor the user's own can be written."""
    _LOG.warning(
        "compiled code cannot be kept, every start takes longer; set NUMBA_CACHE_DIR to a folder "
        "that can be written"
    )


_CACHES: dict[Kernel, _SharedCache] = {}
_LOCKS = _Locks()
event.Listener.register(_Locks)
event.register("numba:compiler_lock", _LOCKS)
note_that_compiler_is_loaded()
