"""Which of two results is higher at the coarser of their prints (`rankwise.results.precision`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.results.precision import FINEST, find_tolerance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING_ERROR = find_tolerance(10.0**-FINEST, 10.0**-FINEST)
"""Values nearer than this are equal, whatever their print."""


class Prints(NamedTuple):
    """How values were printed: the unit of the last digit, and whether the survey collected them.

    Two results of the survey are compared as they stand (`rankwise.literature.survey`).
    """

    unit: Floats
    survey: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.bool_] | Integers | slice) -> Prints:
        """The prints of some of the values."""
        return Prints(self.unit[chosen], self.survey[chosen])

    def tolerances(self) -> Floats:
        """For each pair the largest difference that is none."""
        units = np.maximum.outer(self.unit, self.unit)
        found = np.maximum(units, 10.0**-FINEST) * find_tolerance(1.0, 1.0)
        found[np.logical_and.outer(self.survey, self.survey)] = ROUNDING_ERROR
        return np.asarray(found)

    def classes(self) -> Integers:
        """A number for each value: the same for those of one print."""
        _, unit = np.unique(self.unit, return_inverse=True)
        return np.asarray(np.where(self.survey, -1 - unit, unit), dtype=np.int64)


def find_higher(value: Floats, prints: Prints) -> NDArray[np.bool_]:
    """(values, values): whether the first of each pair is the higher one."""
    return np.asarray(value[:, None] - value[None, :] > prints.tolerances())


def count_lower_and_higher(value: Floats, prints: Prints) -> tuple[Integers, Integers]:
    """For each of the rising values of a cell how many others are lower, and how many higher.

    Values of one print are searched together, so that no pair is visited.
    """
    lower, higher = np.zeros(len(value), np.int64), np.zeros(len(value), np.int64)
    classes = prints.classes()
    members = [np.flatnonzero(classes == one) for one in np.unique(classes)]
    for mine in members:
        for theirs in members:
            tolerance = _tolerance(prints, int(mine[0]), int(theirs[0]))
            others = value[theirs]
            lower[mine] += np.searchsorted(others, value[mine] - tolerance, "left")
            right = np.searchsorted(others, value[mine] + tolerance, "right")
            higher[mine] += len(others) - right
    return lower, higher


def _tolerance(prints: Prints, one: int, other: int) -> float:
    if prints.survey[one] and prints.survey[other]:
        return ROUNDING_ERROR
    return max(find_tolerance(prints.unit[one], prints.unit[other]), ROUNDING_ERROR)
