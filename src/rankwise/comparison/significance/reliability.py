"""Where a p-value or an interval of few queries should not be taken at its word, in sentences.

The limits come from benchmarks/interval_coverage.py, whose table is in docs/significance.md: at and
above them an interval that claims 95 % covers the mean difference in at least 90 % of cases, be the
differences normal, skewed or those of a measure with few values.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rankwise.comparison.significance.differences import (
    TIE_DECIMALS,
    PairedValues,
    checked,
    find_common_value,
    without_rounding_noise,
)
from rankwise.comparison.significance.intervals import Interval

FEWEST_DIFFERING = {"t": 20, "bootstrap-t": 10, "percentile": 50, "bca": 50}
"""For each interval, with how many queries that differ it holds what it says."""

SMALLEST_FIGURES = 1e-6


def describe_reliability(differences: ArrayLike, interval: Interval, test: str) -> tuple[str, ...]:
    """A sentence about why the interval and the p-value of these differences may mislead."""
    values = checked(differences)
    common = find_common_value(values)
    if common is not None:
        return (_alike(common, len(values), test),)
    differing = int((without_rounding_noise(values) != 0.0).sum())
    limit = FEWEST_DIFFERING[interval.kind]
    return (_few(differing, len(values), limit, interval),) if differing < limit else ()


def describe_small_figures(pairs: PairedValues) -> tuple[str, ...]:
    """A sentence where figures are so small that real differences may be taken for none."""
    if not 0.0 < pairs.largest < SMALLEST_FIGURES:
        return ()
    return (
        f"the figures are at most {pairs.largest:.1g}, and differences below 1e-{TIE_DECIMALS} "
        "count as none: scale the measure up",
    )


def _alike(common: float, queries: int, test: str) -> str:
    if queries == 1:
        return "one query tells nothing of how queries vary: there is no interval"
    if common == 0.0:
        return f"the systems have the same figures on all {queries} queries: there is no interval"
    alone = "; p is that of their signs alone" if test in ("t", "bootstrap") else ""
    return (
        f"all {queries} differences are alike ({common:+.4g}), which tells nothing of how queries "
        f"vary: there is no interval{alone}"
    )


def _few(differing: int, queries: int, limit: int, interval: Interval) -> str:
    there = f"only {differing} of {queries} queries differ"
    if differing == queries:
        there = f"there are only {queries} queries"
    return (
        f"{there}; with fewer than {limit} the {_percent(interval)} interval ({interval.kind}) may "
        "cover the mean in less than 90 % of cases, and p is rough"
    )


def _percent(interval: Interval) -> str:
    return f"{100 * interval.confidence:g} %"
