"""The one way kernels are compiled: cached on disk, without the interpreter lock.

Importing this module imports numba (about half a second), so modules that hold kernels are
imported inside the functions that need them, never at the top of a package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

import numba

_LOG = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile `function` at its first call and keep the machine code for the next process.

    Division by zero follows numpy (inf or nan) rather than raising; sums keep the order in which
    they are written, so that figures do not depend on the machine. Where nothing can be kept, the
    next process compiles again.
    """
    try:
        return _compiled(function, cache=True)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
    _tell_that_nothing_is_kept()
    return _compiled(function, cache=False)


def _compiled(function: Function, *, cache: bool) -> Function:
    return cast(Function, numba.njit(cache=cache, nogil=True, error_model="numpy")(function))


@lru_cache(maxsize=1)
def _tell_that_nothing_is_kept() -> None:
    """Once a process: neither the folder of the package nor the user's own can be written."""
    _LOG.warning(
        "compiled code cannot be kept, every start takes longer; set NUMBA_CACHE_DIR to a folder "
        "that can be written"
    )
