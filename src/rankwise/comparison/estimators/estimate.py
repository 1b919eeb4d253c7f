"""What an estimator is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule
from rankwise.comparison.spread import LEAST_DATASETS, Spread, find_confidences

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResultSample:
    """Results to estimate from.

    `groups` has a number for each data set of `cells` that its versions share: data sets are taken
    as a sample of all there could be, and versions of one are not independent.
    """

    cells: Cells
    groups: NDArray[np.int64]
    ideal: IdealRule = "observed"
    confidence: float = 0.95

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of the data set of each result."""
        return self.groups[self.cells.dataset]

    @property
    def group_count(self) -> int:
        """One more than the highest number of a group."""
        return int(self.groups.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Estimates:
    """A score for each method of `Cells.methods`, higher being better, and its interval.

    NaN stands for a method without a result that has a rival, and for an interval that cannot be
    given. `freedom` are the degrees of freedom of the scatter that the intervals rest on, 0 where
    there are no intervals. `doubt` says in a few words why the intervals cover less than they
    claim, where that is known, and `fewest` on how many data sets a method must have results.
    """

    score: Floats
    lower: Floats
    upper: Floats
    freedom: int
    doubt: str | None = None
    fewest: int = 2


@dataclass(frozen=True)
class Estimator:
    """A way to score methods, by name.

    Scores of a `relative` estimator have the mean 0 over the methods that it scores: only their
    differences mean something. `title` is for people, `intervals` says how these are made.
    """

    name: str
    title: str
    relative: bool
    intervals: str
    estimate: Callable[[ResultSample], Estimates]


def bound_by_spread(
    score: Floats, spread: Spread | None, confidence: float, ends: tuple[float, float]
) -> Estimates:
    """Scores with what the scatter over data sets reaches to both sides, within `ends`.

    The intervals hold for methods that are read because of their places (see `spread`).
    """
    if spread is None:
        nothing = np.full(len(score), np.nan)
        return Estimates(score, nothing, nothing, 0)
    reach = spread.half_widths(confidence, find_confidences(score, confidence))
    return Estimates(
        score, np.maximum(score - reach, ends[0]), np.minimum(score + reach, ends[1]),
        spread.freedom, fewest=LEAST_DATASETS,
    )  # fmt: skip


def centre(score: Floats) -> Floats:
    """The scores less their mean over the methods that have one."""
    known = ~np.isnan(score)
    return score - score[known].mean() if known.any() else score
