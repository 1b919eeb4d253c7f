"""Values from model files, which may be hostile: checked before they become arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError


def numbers(values: Mapping[str, Any], key: str) -> NDArray[np.float64]:
    """The list of finite numbers under `key`."""
    found = values.get(key)
    if not isinstance(found, list) or not all(_is_number(item) for item in found):
        raise RankwiseError(f"a model file must hold a list of numbers under {key!r}, found none")
    try:
        array = np.array(found, dtype=np.float64)
    except OverflowError:
        array = np.array([np.inf])
    if not np.isfinite(array).all():
        raise RankwiseError(f"the numbers under {key!r} in a model file must be finite")
    return array


def integers(values: Mapping[str, Any], key: str) -> NDArray[np.int64]:
    """The list of whole numbers under `key`."""
    found = values.get(key)
    if not isinstance(found, list) or not all(type(item) is int for item in found):
        raise RankwiseError(f"a model file must hold a list of whole numbers under {key!r}")
    if any(abs(item) >= 2**62 for item in found):
        raise RankwiseError(f"the whole numbers under {key!r} in a model file are too large")
    return np.array(found, dtype=np.int64)


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)
