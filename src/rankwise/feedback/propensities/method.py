"""What every method of estimating propensities offers, and its errors by resampling queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.feedback.log import ClickLog, DisplayCounts
from rankwise.feedback.propensities.propensities import LEAST, Propensities, against_first

Floats = NDArray[np.float64]


class PropensityMethod(ABC):
    """A way from displays and clicks by document and position to propensities."""

    name: ClassVar[str]
    paper: ClassVar[str]

    def check(self, counts: DisplayCounts, deepest: int) -> None:  # noqa: B027
        """Refuse a log from which the method cannot tell anything; here none."""

    @abstractmethod
    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """Propensities up to a factor."""

    def of_dataset(self, dataset: Dataset) -> PropensityMethod:
        """The method for documents of this data set."""
        return self

    def apply(self, log: ClickLog, *, resamples: int, seed: int) -> Propensities:
        """The estimate, with errors from drawing the queries again, each with its sessions."""
        counts, deepest = log.count_displays(), log.deepest
        method = self.of_dataset(log.dataset)
        method.check(counts, deepest)
        values = against_first(method.estimate(counts, deepest))
        return Propensities(
            tuple(np.maximum(values, LEAST).tolist()),
            tuple(_errors(method, log, counts, deepest, resamples, seed).tolist()),
            self.name,
            log.n_sessions,
        )


def _errors(
    method: PropensityMethod,
    log: ClickLog,
    counts: DisplayCounts,
    deepest: int,
    resamples: int,
    seed: int,
) -> Floats:
    """The deviation of the estimate over resamples; NaN where there are fewer than two."""
    queries = log.dataset.query_of_rows[counts.rows]
    known = np.unique(queries)
    rng = np.random.default_rng([seed, 3])
    found = []
    for _ in range(resamples):
        drawn = np.bincount(rng.choice(known, len(known)), minlength=log.dataset.n_queries).astype(
            np.float64
        )
        weights = drawn[queries]
        kept = weights > 0.0
        weighted = replace(
            counts,
            rows=counts.rows[kept],
            positions=counts.positions[kept],
            shown=(counts.shown * weights)[kept],
            clicks=(counts.clicks * weights)[kept],
        )
        found.append(against_first(method.estimate(weighted, deepest)))
    return np.std(found, axis=0, ddof=1) if len(found) > 1 else np.full(deepest, np.nan)
