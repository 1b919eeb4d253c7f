"""The compiled core's sort, for kernels that numba compiles.

The symbol is made known to numba's linker when this module is imported, before any kept machine
code that calls it is loaded.
"""

from __future__ import annotations

import numpy as np
from llvmlite import binding
from numba import types
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.native import function_address

_NAME = "rankwise_sort_descending"
binding.add_symbol(_NAME, function_address(_NAME))
_sort = types.ExternalFunction(
    _NAME,
    types.void(
        types.CPointer(types.float64),
        types.CPointer(types.int64),
        types.int64,
        types.int64,
        types.int64,
    ),
)


@compiled
def sort_descending(
    keys: NDArray[np.float64], rows: NDArray[np.int64], first: int, last: int
) -> None:
    """Sort keys[first:last] in descending order, with their rows; equal keys stay as they stand.

    Both arrays are twice as long as what they hold: the second half is room that sorting needs.
    """
    room = min(len(keys), len(rows)) // 2
    _sort(keys.ctypes, rows.ctypes, room, first, last)
