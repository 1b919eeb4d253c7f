"""A training measure under scores that change little from call to call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.ranking import raise_if_failed
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S_OUT, UINT8S_OUT, function
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

_follow = function(
    "rankwise_follow",
    *(ADDRESS, DOUBLES, INT64, INT64S_OUT, UINT8S_OUT, DOUBLES_OUT),
    returns=INT64,
)


class FollowedMeasure:
    """The figures of a `TrainingMeasure`, for the rounds of one training.

    Every query is sorted on from its order under the scores before, and measured anew only where
    its labels by rank, or its ties, are no longer what they were. Where that cannot be (ties by
    document id, a measure that is a Python function, …), each call looks at everything. Calls share
    what they remember: threads need one each.
    """

    def __init__(self, measure: TrainingMeasure) -> None:
        self._measure = measure
        self._prepared = measure.prepared()
        documents = len(measure.judged.labels)
        self._order = np.arange(documents)
        self._tied = np.zeros(documents, dtype=np.uint8)
        self._values = np.empty(measure.n_queries)
        self._known = False

    def per_query(self, scores: Floats) -> Floats:
        """See `TrainingMeasure`."""
        values = self._followed(scores)
        return np.where(np.isfinite(values), values, 0.0)

    def mean(self, scores: Floats) -> float:
        """See `TrainingMeasure`."""
        return self._measure.figure(self._followed(scores))

    def _followed(self, scores: Floats) -> Floats:
        candidates = scores[np.newaxis]
        if self._prepared is None:
            values: Floats = self._measure.values(candidates)[0]
            return values
        compared = np.ascontiguousarray(self._measure.compared(candidates)[0])
        # What was known is lost where the call fails half-way.
        known, self._known = self._known, False
        raise_if_failed(
            _follow(self._prepared.address, compared, known, self._order, self._tied, self._values)
        )
        self._known = True
        return self._measure.without_skipped(self._values)
