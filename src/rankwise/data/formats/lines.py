"""Lines of a text, counted by the compiled core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.native import INT64, INT64S_OUT, UINT8S, function

_count_lines = function("rankwise_count_lines", UINT8S, INT64, INT64S_OUT, returns=INT64)


def count_lines(text: NDArray[np.uint8]) -> tuple[int, int]:
    """Line feeds, and where the first of them is (-1: there is none)."""
    first = np.empty(1, np.int64)
    return _count_lines(text, len(text), first), int(first[0])
