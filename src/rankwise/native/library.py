"""The one place where the compiled core is loaded.

A room declares the C functions it calls beside the code that calls them:

    sort_rows = function("rankwise_sort_rows", DOUBLES, INT64S, INT64, returns=INT64)
    sort_rows(keys, rows, len(keys))

Arrays go in as they are: C-contiguous, of the declared type, and writable where declared so; what
is not raises TypeError before C sees it. The interpreter lock is released during a call. C files
check every bound themselves: they meet bytes that nobody has looked at.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError

INT64 = ctypes.c_int64
INT32 = ctypes.c_int32
DOUBLE = ctypes.c_double
ADDRESS = ctypes.c_void_p
BYTES = ctypes.c_char_p
"""A Python `bytes` object; C reads its NUL-terminated buffer."""


# joblib hands large arrays to its workers as maps of files; other kinds, as masked ones, mean more.
_PLAIN_ARRAYS = (np.ndarray, np.memmap)
# After what every Python object begins with, an array has the address of its first element: the
# public layout of numpy's PyArrayObject. To ask the array for it takes ten times as long.
_ADDRESS_OFFSET = object.__basicsize__


class _ArrayArgument:
    """A parameter that takes a numpy array of one type, as ctypes asks of a declared argument."""

    def __init__(self, dtype: type, *, writable: bool = False) -> None:
        self._dtype = np.dtype(dtype)
        self._writable = writable

    def from_param(self, array: Any) -> ctypes.c_void_p:
        """The address of the array's first element."""
        if type(array) not in _PLAIN_ARRAYS or array.dtype != self._dtype:
            found = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"an array of {self._dtype} is needed, found {found}")
        flags = array.flags
        if not flags.c_contiguous or (self._writable and not flags.writeable):
            raise TypeError("an array must be contiguous, and writable where it is written to")
        return ctypes.c_void_p.from_address(id(array) + _ADDRESS_OFFSET)


DOUBLES = _ArrayArgument(np.float64)
INT64S = _ArrayArgument(np.int64)
INT32S = _ArrayArgument(np.int32)
UINT8S = _ArrayArgument(np.uint8)
DOUBLES_OUT = _ArrayArgument(np.float64, writable=True)
INT64S_OUT = _ArrayArgument(np.int64, writable=True)
INT32S_OUT = _ArrayArgument(np.int32, writable=True)
UINT8S_OUT = _ArrayArgument(np.uint8, writable=True)


def function(name: str, *arguments: Any, returns: Any = None) -> Callable[..., Any]:
    """The C function `name` with its declared arguments, looked up when it is first called."""

    found: Any = None

    def call(*values: Any) -> Any:
        nonlocal found
        if found is None:
            found = _declare(name, arguments, returns)
        return found(*values)

    call.__name__ = name
    return call


def function_address(name: str) -> int:
    """Where the C function `name` stands, for C code that calls it through a pointer."""
    return ctypes.cast(_symbol(name), ctypes.c_void_p).value or 0


def _declare(name: str, arguments: tuple[Any, ...], returns: Any) -> Any:
    found = _symbol(name)
    found.argtypes = arguments
    found.restype = returns
    return found


def _symbol(name: str) -> Any:
    try:
        return library()[name]
    except AttributeError:
        raise RankwiseError(
            f"the compiled core {library()._name} has no function {name}: it is older than the "
            "Python code beside it; build it anew: make core (or: pip install -e .)"
        ) from None


@cache
def library() -> ctypes.CDLL:
    """The shared library; `RANKWISE_CORE` names another one, as the sanitizer runs do."""
    path = Path(os.environ.get("RANKWISE_CORE") or Path(__file__).with_name(_file_name()))
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise RankwiseError(
            f"the compiled core cannot be loaded from {path} ({error}); build it with: make core "
            "(or: pip install -e .)"
        ) from None


def _file_name() -> str:
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return f"librankwise{ending}"
