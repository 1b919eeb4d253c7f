"""Many attempts to recover the dense order, summed up by estimator and by number of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.estimates import Floats
from rankwise.comparison.recovery import Attempt

SIZES: tuple[tuple[int, int | None], ...] = ((1, 2), (3, 4), (5, 8), (9, 16), (17, None))
"""Numbers of results of a method that are told together."""


@dataclass(frozen=True)
class Recovery:
    """How well one estimator recovers the dense order under one kind of pattern.

    Attributes:
        estimator: its name.
        pattern: `laid` or `random`.
        draws: how many patterns were drawn.
        kendall: τ_b with the dense order by NWN over the methods that have results, the mean over
            draws; `kendall_low` and `kendall_high` hold the middle 95 % of the draws.
        kendall_value: the same with the dense order by mean value.
        kendall_unseen: the same with how methods do in the dense table on those data sets only
            that they have no result on in the draw: what is told of what was not seen. Without
            any difference between methods it is 0, where `kendall` is not, as the truth shares
            results with the draw. None where a draw leaves nothing unseen.
        gain: what `kendall` is above that of NWN on the same draws, and `gain_error` its standard
            error over draws.
        best_first: how often the true best, of those with results, comes first.
        best_on_front: how often it is on the Pareto front of the score against IWN.
        front_overlap: Jaccard's index of that front with the methods that the dense table cannot
            tell from its best.
        rank_error: the mean distance from the true rank.
        coverage: the share of intervals that hold what the same estimator says of the dense
            table; None where there are none.
        width: the mean width of intervals in standard deviations of the dense scores.
        intervals: the share of methods with results that have an interval.
    """

    estimator: str
    pattern: str
    draws: int
    kendall: float
    kendall_low: float
    kendall_high: float
    kendall_value: float
    kendall_unseen: float | None
    gain: float
    gain_error: float
    best_first: float
    best_on_front: float
    front_overlap: float | None
    rank_error: float
    coverage: float | None
    width: float | None
    intervals: float


@dataclass(frozen=True)
class RecoveryStep:
    """The same for methods with `first` to `last` results; `methods` is their number in a draw."""

    estimator: str
    pattern: str
    first: int
    last: int | None
    methods: float
    rank_error: float | None
    coverage: float | None
    width: float | None

    @property
    def sizes(self) -> str:
        """The numbers of results in words."""
        if self.last is None:
            return f"{self.first} or more"
        return str(self.first) if self.last == self.first else f"{self.first} to {self.last}"


def summarise(
    estimator: str, pattern: str, attempts: Sequence[Attempt], baseline: Sequence[Attempt]
) -> Recovery:
    """Sum up the attempts of one estimator; `baseline` are those of NWN on the same draws."""
    taus = np.array([one.tau for one in attempts])
    gains = taus - np.array([one.tau for one in baseline])
    low, high = np.quantile(taus, (0.025, 0.975)).tolist()
    error, held, width = _stack(attempts)
    return Recovery(
        estimator, pattern, len(attempts),
        float(taus.mean()), low, high,
        float(np.mean([one.tau_value for one in attempts])),
        _mean(np.array([one.tau_unseen for one in attempts])),
        float(gains.mean()), _standard_error(gains),
        float(np.mean([one.best_first for one in attempts])),
        float(np.mean([one.best_on_front for one in attempts])),
        _mean(np.array([one.front_overlap for one in attempts])),
        float(np.nanmean(error)),
        _mean(held), _mean(width),
        float((~np.isnan(held)).sum() / (~np.isnan(error)).sum()),
    )  # fmt: skip


def summarise_steps(
    estimator: str, pattern: str, attempts: Sequence[Attempt], results: Sequence[NDArray[np.int64]]
) -> list[RecoveryStep]:
    """Sum up the same by the number of results that a method had in the draw."""
    error, held, width = _stack(attempts)
    counts = np.stack(results)
    found = []
    for first, last in SIZES:
        within = (counts >= first) & (counts <= (last or counts.max(initial=0)))
        within &= ~np.isnan(error)
        methods = float(within.sum() / len(attempts))
        means = (_mean(error[within]), _mean(held[within]), _mean(width[within]))
        found.append(RecoveryStep(estimator, pattern, first, last, methods, *means))
    return found


def _stack(attempts: Sequence[Attempt]) -> tuple[Floats, Floats, Floats]:
    """(draws, methods) of the errors of ranks, of whether intervals held, of their widths."""
    return (
        np.stack([one.error for one in attempts]),
        np.stack([one.held for one in attempts]),
        np.stack([one.width for one in attempts]),
    )


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
