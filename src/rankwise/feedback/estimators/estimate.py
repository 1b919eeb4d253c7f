"""Estimates with their variance, and a warning where a few sessions decide them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.feedback.estimators.log_evidence import LogEvidence
from rankwise.feedback.propensities.click_weights import SMALL_SHARE, weigh
from rankwise.native.distributions import normal_quantile

Floats = NDArray[np.float64]

_FEW_CLICKS = 100.0
_LARGE_WEIGHT = 0.02


@dataclass(frozen=True)
class ValueEstimate:
    """What a ranker is worth, by one estimator.

    Attributes:
        estimator: its registered name.
        goal: what was estimated.
        value: the estimate.
        standard_error: of the mean over sessions.
        low, high: the 95 % interval.
        effective_clicks: (Σ w)² / Σ w² over the clicks: as many clicks of equal weight would tell
            as much (Kish 1965).
        clicks: how many there are.
        largest_share: of Σ w, what the heaviest click has.
        coverage: of what the ranker's lists are worth, the share on documents that the log shows.
        warnings: why not to trust it.
    """

    estimator: str
    goal: str
    value: float
    standard_error: float
    low: float
    high: float
    effective_clicks: float
    clicks: int
    largest_share: float
    coverage: float
    warnings: tuple[str, ...] = ()


def make_estimate(
    estimator: str, goal: str, evidence: LogEvidence, contributions: Floats, value: float
) -> ValueEstimate:
    """The estimate whose error is that of the mean of `contributions`, one a session."""
    count = len(contributions)
    error = float(contributions.std(ddof=1) / np.sqrt(count)) if count > 1 else float("inf")
    reach = normal_quantile(0.975) * error
    weights = evidence.weights[evidence.log.clicks > 0]
    weights = weights[weights > 0.0]
    effective, largest = weigh(weights)
    return ValueEstimate(
        estimator, goal, value, error, value - reach, value + reach, effective,
        len(weights), largest, evidence.coverage,
        _warnings(effective, len(weights), largest, evidence.coverage),
    )  # fmt: skip


def _warnings(effective: float, clicks: int, largest: float, coverage: float) -> tuple[str, ...]:
    found = []
    if effective < _FEW_CLICKS:
        found.append(
            f"{clicks:,} clicks are worth {effective:.0f} of equal weight: too few for the "
            "interval to be trusted"
        )
    elif effective < SMALL_SHARE * clicks:
        found.append(
            f"weights explode: {clicks:,} clicks are worth {effective:,.0f} of equal weight, as "
            "those on rarely examined positions decide"
        )
    if largest > _LARGE_WEIGHT:
        found.append(f"one click has {largest:.1%} of all weight")
    if coverage < 1.0:
        found.append(
            f"{1.0 - coverage:.1%} of what the ranker's lists are worth lies on documents that the "
            "log never showed: the estimate takes them as irrelevant, or as the others"
        )
    return tuple(found)
