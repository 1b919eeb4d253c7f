"""Best Single Feature: the floor that every learned function must clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class BestFeature(Ranker):
    """f(x) = x_j, j the feature with the best mean measure on the training data.

    With `signs` both, −x_j is tried as well, after all x_j; the first of equally good ones is
    taken. Features that are constant within every query are never chosen: the order of the file,
    which they leave as it is, would earn their figure. With `feature` there is nothing to choose:
    j is that one, which puts BM25 or any other single feature beside learned functions.

    One of the floors of LETOR's tables, where the BM25 feature stands for it:
    Qin, Liu, Xu, Li (2010). LETOR: A benchmark collection for research on learning to rank for
    information retrieval. Information Retrieval 13.
    """

    name: ClassVar[str] = "best-feature"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Qin, Liu, Xu and Li (2010), Information Retrieval 13(4)"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True

    feature: int = parameter(0, "take this feature, counted from 1; 0 chooses it", lowest=0)
    signs: str = parameter(
        "positive", "whether a feature may also count negatively", choices=("positive", "both")
    )
    measure: str = parameter("MAP", "the measure that chooses the feature")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        signs = (1.0,) if self.signs == "positive" else (1.0, -1.0)
        columns = [self._named_column(train)] if self.feature else _telling_columns(train)
        candidates = [(sign, column) for sign in signs for column in columns]
        if not candidates:
            raise RankwiseError(
                f"{self.name}: some feature must differ between documents of a query, found none"
            )
        measure = TrainingMeasure.of(train, self.measure, self.tool)
        values: list[float] = []
        for sign, column in candidates:
            values.append(measure.mean(sign * train.features[:, column]))
            if training.watch(Round(len(values), len(candidates), max(values))):
                break
        best = int(np.argmax(values))
        sign, column = candidates[best]
        weights = np.zeros(train.n_features)
        weights[column] = sign
        return Learned(Linear(weights), {"feature": column + 1, "training": values[best]})

    def _named_column(self, train: Dataset) -> int:
        if self.feature > train.n_features:
            raise RankwiseError(
                f"{self.name}: the data must have the feature {self.feature} that is asked for, "
                f"found {train.n_features} features"
            )
        return self.feature - 1


def _telling_columns(train: Dataset) -> list[int]:
    """The features that tell some documents of a query apart."""
    starts = train.query_offsets[:-1]
    highest: Floats = np.maximum.reduceat(train.features, starts, axis=0)
    lowest: Floats = np.minimum.reduceat(train.features, starts, axis=0)
    telling: list[int] = np.flatnonzero(np.any(highest > lowest, axis=0)).tolist()
    return telling
