"""Adjusted p-values for several comparisons at once: Bonferroni, Holm, Benjamini-Hochberg.

An adjusted p-value below α means that the comparison is significant at level α with the family's
errors kept in check: any false finding at all (Bonferroni, Holm), or the expected
share of false ones among the findings (Benjamini-Hochberg).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import RankwiseError


def adjust(p_values: ArrayLike, correction: str) -> NDArray[np.float64]:
    """The p-values adjusted by the named correction, in the order given."""
    if correction not in CORRECTIONS:
        raise RankwiseError(
            f"the correction must be one of {', '.join(CORRECTIONS)}, found '{correction}'"
        )
    return CORRECTIONS[correction](p_values)


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    """min(1, n · p) for each of n p-values."""
    values = _checked(p_values)
    return np.minimum(1.0, len(values) * values)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """max over j ≤ i of min(1, (n - j + 1) · p₍ⱼ₎), the p-values taken in ascending order.

    Never larger than Bonferroni's, with the same guarantee. Holm (1979), A simple sequentially
    rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return _back(stepped, order)


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """min over j ≥ i of min(1, n · p₍ⱼ₎ / j), the p-values taken in ascending order.

    Benjamini & Hochberg (1995), Controlling the false discovery rate, JRSS B 57.
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    raised = np.minimum(1.0, values[order] * (len(values) / np.arange(1, len(values) + 1)))
    stepped = np.minimum.accumulate(raised[::-1])[::-1]
    return _back(stepped, order)


def unadjusted(p_values: ArrayLike) -> NDArray[np.float64]:
    """The p-values as they are."""
    return _checked(p_values).copy()


CORRECTIONS: dict[str, Callable[[ArrayLike], NDArray[np.float64]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": unadjusted,
}


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    values = np.atleast_1d(np.asarray(p_values, dtype=np.float64))
    if not np.all((values >= 0.0) & (values <= 1.0)):
        raise RankwiseError("a p-value to adjust must lie between 0 and 1")
    return values


def _back(stepped: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.float64]:
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted
