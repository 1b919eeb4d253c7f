"""The one way kernels are compiled: cached on disk, without the interpreter lock.

Importing this module imports numba (about half a second), so modules that hold kernels are
imported inside the functions that need them, never at the top of a package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile `function` at its first call and keep the machine code for the next process.

    Division by zero follows numpy (inf or nan) rather than raising; sums keep the order in which
    they are written, so that figures do not depend on the machine.
    """
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
