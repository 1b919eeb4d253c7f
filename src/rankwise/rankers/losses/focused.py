"""A loss within the top of each query and one of the top against the rest: what FocusedRank is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.listwise import Loss, TopOneCrossEntropy
from rankwise.rankers.losses.logistic_pairs import LogisticPairs
from rankwise.rankers.training.top_documents import TopDocuments

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FocusedLoss:
    """β · (a loss of the scores within the top) + (1 − β) · (a loss of the top against the rest).

    Attributes:
        rows: of the documents in the top.
        inside: the loss of their scores; None where no query has a top.
        against: the loss of all scores.
        focus: β.
    """

    rows: NDArray[np.int64]
    inside: Loss | None
    against: Loss
    focus: float

    @classmethod
    def of(cls, dataset: Dataset, size: int, focus: float) -> FocusedLoss:
        """ListNet's cross entropy inside, RankNet's logistic pairs against."""
        top = TopDocuments.of(dataset, size)
        inside = None if top.inside is None else TopOneCrossEntropy.of(top.inside, "softmax")
        return cls(top.rows, inside, LogisticPairs.of(top.against), focus)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        value, slopes = self.against.at(scores)
        value, slopes = (1.0 - self.focus) * value, (1.0 - self.focus) * slopes
        if self.inside is not None:
            own, own_slopes = self.inside.at(np.ascontiguousarray(scores[self.rows]))
            value += self.focus * own
            slopes[self.rows] += self.focus * own_slopes
        return value, slopes
