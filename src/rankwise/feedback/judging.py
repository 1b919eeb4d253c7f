"""True labels judge: figures of scores, and means over seeds with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.evaluation import evaluate
from rankwise.measures.judged import JudgedScores
from rankwise.native.distributions import student_quantile

Floats = NDArray[np.float64]


def judge(dataset: Dataset, scores: Floats, measures: Sequence[str], tool: str) -> dict[str, float]:
    """The means of measures as a tool computes them; tied documents count as in random order.

    So a learner that has nothing to say about a query gets what chance gets, not what the order of
    a file gives.
    """
    judged = JudgedScores(dataset.labels, scores, dataset.query_offsets, list(dataset.query_ids))
    return evaluate(judged, measures, tool, ties="expected").means()


class SeedInterval(NamedTuple):
    """A mean over seeds with the 95 % interval of Student's t, NaN where there is one seed."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float] | Floats) -> SeedInterval:
    """The mean of independent runs, and where that of many runs would be."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if len(found) < 2:
        return SeedInterval(mean, float("nan"), float("nan"))
    error = float(found.std(ddof=1) / np.sqrt(len(found)))
    reach = student_quantile(len(found) - 1, 0.975) * error
    return SeedInterval(mean, mean - reach, mean + reach)
