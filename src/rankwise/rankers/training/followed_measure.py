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
    *(ADDRESS, DOUBLES, INT64, INT64S_OUT, UINT8S_OUT, DOUBLES_OUT, INT64S_OUT),
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
        self._changed = np.zeros(1, dtype=np.int64)
        self._known = False
        self._per_query: Floats | None = None
        self._mean: float | None = None

    def per_query(self, scores: Floats) -> Floats:
        """See `TrainingMeasure`; the same array as before where no value has changed."""
        values = self._followed(scores)
        if self._per_query is None:
            self._per_query = np.where(np.isfinite(values), values, 0.0)
            self._per_query.flags.writeable = False
        return self._per_query

    def mean(self, scores: Floats) -> float:
        """See `TrainingMeasure`."""
        values = self._followed(scores)
        if self._mean is None:
            self._mean = self._measure.figure(values)
        return self._mean

    def _followed(self, scores: Floats) -> Floats:
        candidates = scores[np.newaxis]
        if self._prepared is None:
            self._forget()
            values: Floats = self._measure.values(candidates)[0]
            return values
        compared = np.ascontiguousarray(self._measure.compared(candidates)[0])
        # What was known is lost where the call fails half-way.
        known, self._known = self._known, False
        raise_if_failed(
            _follow(
                self._prepared.address,
                compared,
                known,
                self._order,
                self._tied,
                self._values,
                self._changed,
            )
        )
        self._known = True
        if self._changed[0]:
            self._forget()
        return self._measure.without_skipped(self._values)

    def _forget(self) -> None:
        self._per_query = self._mean = None
