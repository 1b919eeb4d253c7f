"""How finely values were printed, and when one of two values is higher at that print.

A printed .422 stands for anything that rounds to it. Two values a and b, printed to units u and v,
differ where

    |a - b| > max(u, v) / 2,

so that .42199 equals a printed .422 and .2304 does not beat .230, while values of one print differ
as soon as their last digits do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.results.table import ResultTable

FINEST = 12
"""Values with more decimals than these were computed, not printed; beyond is rounding error."""
COARSEST = 2
"""Nothing is printed more coarsely; fewer decimals are zeros at the end that a number lost."""
_SLACK = 1 + 1e-6


def count_decimals(values: NDArray[np.float64], finest: int = FINEST) -> NDArray[np.int64]:
    """How many decimals the shortest decimal text of each value has, at most `finest`."""
    decimals = np.full(len(values), finest, dtype=np.int64)
    left = np.arange(len(values))
    rounding_error = 10.0**-finest / 2
    for count in range(finest):
        if not len(left):
            break
        short = np.abs(np.round(values[left], count) - values[left]) < rounding_error
        decimals[left[short]] = count
        left = left[~short]
    return decimals


def find_units(table: ResultTable, finest: int = FINEST) -> NDArray[np.float64]:
    """For each row one unit in the last decimal that its source prints.

    The value with most decimals decides, because single values may end in zeros: among the values
    of its source, or of its method where no source is named. At least two decimals are assumed.
    """
    decimals = count_decimals(table.value, finest)
    groups = _code_sources(table)
    most = np.full(int(groups.max(initial=0)) + 1, COARSEST, dtype=np.int64)
    np.maximum.at(most, groups, decimals)
    return np.asarray(10.0 ** -most[groups].astype(np.float64))


def find_tolerance(unit: float, other: float) -> float:
    """The largest difference of values printed to these units that is none."""
    return max(unit, other) / 2 * _SLACK


def _code_sources(table: ResultTable) -> NDArray[np.int64]:
    if "source" not in table.columns:
        return table.codes().method
    codes: dict[tuple[str, str], int] = {}
    pairs = zip(table.source.tolist(), table.method.tolist(), strict=True)
    keys = (("source", source) if source else ("method", method) for source, method in pairs)
    return np.fromiter((codes.setdefault(key, len(codes)) for key in keys), np.int64, len(table))
