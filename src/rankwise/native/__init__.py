"""The compiled core: C for what every command needs, called on numpy arrays through ctypes.

C files stand beside the Python that declares and calls them: what several rooms share is here
(numbers, ordering), a measure's C file is beside its family, a scorer's beside its scorer. The
build compiles all of them into one library (`build_tools/compile_core.py`).
"""

from __future__ import annotations

from rankwise.native.library import (
    ADDRESS,
    BYTES,
    DOUBLE,
    DOUBLES,
    DOUBLES_OUT,
    INT32,
    INT32S,
    INT32S_OUT,
    INT64,
    INT64S,
    INT64S_OUT,
    UINT8S,
    UINT8S_OUT,
    function,
    function_address,
)

__all__ = [
    "ADDRESS",
    "BYTES",
    "DOUBLE",
    "DOUBLES",
    "DOUBLES_OUT",
    "INT32",
    "INT32S",
    "INT32S_OUT",
    "INT64",
    "INT64S",
    "INT64S_OUT",
    "UINT8S",
    "UINT8S_OUT",
    "function",
    "function_address",
]
