"""Per-query figures of two systems, paired: what every test starts from, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import RankwiseError

TIE_DECIMALS = 12
LARGEST_ROUNDED = 1000.0


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The figures of two systems on the queries where both have one.

    Attributes:
        first: figures of the first system.
        second: figures of the second system on the same queries.
        absent: queries left out because neither system has a figure for them (NaN in both).
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    absent: int

    @property
    def differences(self) -> NDArray[np.float64]:
        """Second minus first: positive where the second system is better.

        Where figures are large, what is beyond their twelve leading digits is rounding, and is
        rounded away.
        """
        with np.errstate(over="ignore"):
            differences = self.second - self.first
        if self.largest <= 1.0 or not np.isfinite(differences).all():
            return differences
        digits = TIE_DECIMALS - math.ceil(math.log10(self.largest))
        return differences if digits < -TIE_DECIMALS else np.round(differences, digits) + 0.0

    @property
    def largest(self) -> float:
        """The largest figure of either system, by its absolute value."""
        return float(max(np.abs(self.first).max(), np.abs(self.second).max()))


def pair(first: ArrayLike, second: ArrayLike) -> PairedValues:
    """Pair two systems' figures by position: query i of the one with query i of the other.

    NaN marks a query without a figure, as where LETOR 3.0 prints none because the query has fewer
    documents than the cut-off. Such a query is left out when both lack it and refused when only one
    does, since the two systems were then not judged on the same queries.
    """
    one, other = _figures(first, "first"), _figures(second, "second")
    if len(one) != len(other):
        raise RankwiseError(
            "both systems must have one figure per query, "
            f"found {len(one)} for the first and {len(other)} for the second"
        )
    missing = np.isnan(one)
    lopsided = np.flatnonzero(missing != np.isnan(other))
    if len(lopsided):
        raise RankwiseError(
            f"both systems must have a figure for the same queries, but only one of them has one "
            f"for query number {lopsided[0] + 1}"
        )
    if missing.all():
        raise RankwiseError("there must be at least one query with a figure, found none")
    return PairedValues(one[~missing], other[~missing], int(missing.sum()))


def checked(differences: ArrayLike) -> NDArray[np.float64]:
    """Per-query differences as an array: at least one, all finite."""
    values = _figures(differences, "per-query")
    if not len(values):
        raise RankwiseError("there must be at least one query with a figure, found none")
    if np.isnan(values).any():
        raise RankwiseError("a difference between two figures must be a number, found NaN")
    return values


def without_rounding_noise(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The differences to 12 decimals, so that equal ones compare as equal.

    0.9 - 0.8 and 0.2 - 0.1 differ in the last bit; tests that rank differences, or ask whether
    one is zero, would take that bit for a fact. Large numbers have no twelfth decimal to round.
    """
    small = np.abs(differences) < LARGEST_ROUNDED
    return np.where(small, np.round(np.where(small, differences, 0.0), TIE_DECIMALS), differences)


def find_common_value(differences: NDArray[np.float64]) -> float | None:
    """The value that all differences have to 12 decimals; None where they are not all alike."""
    settled = without_rounding_noise(differences) + 0.0
    return float(settled[0]) if (settled == settled[0]).all() else None


def mean_difference(differences: NDArray[np.float64]) -> float:
    """Their mean; 0 where that is 0 to 12 decimals, without the sign of a rounding error."""
    common = find_common_value(differences)
    # Divided before they are added, so that numbers near the largest do not overflow.
    mean = float(np.sum(differences / len(differences))) if common is None else common
    return mean if abs(mean) > 0.5 * 10.0**-TIE_DECIMALS else 0.0


def _figures(values: ArrayLike, which: str) -> NDArray[np.float64]:
    try:
        figures = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RankwiseError(f"the {which} figures must be numbers: {error}") from error
    if figures.ndim != 1:
        raise RankwiseError(
            f"the {which} figures must be one row, one per query, found shape {figures.shape}"
        )
    if np.isinf(figures).any():
        raise RankwiseError(f"the {which} figures must be finite, found an infinite one")
    return figures
