"""A learned ranking function: what training gives, a model file holds, and scores data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer
from rankwise.tables.notebook import Rows, SmallBar, Tabular, shortened


@dataclass(frozen=True)
class Model(Tabular):
    """A learned ranking function and how it came about.

    Attributes:
        ranker: the registered name of the method, or `module:Class` of somebody's own.
        parameters: its hyper-parameters.
        scorer: everything needed to score.
        facts: what training found out, e.g. the chosen round or the objective reached.
        paper: the citation of the method; None means that of the registered one.
        feature_names: one per feature, where the training data named them.
    """

    ranker: str
    parameters: Mapping[str, Any]
    scorer: Scorer
    facts: Mapping[str, Any] = field(default_factory=dict)
    paper: str | None = None
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        size = f"{self.scorer.n_features} features"
        return shortened(f"Model by {self.ranker} ({settings}), {self.scorer.kind}, {size}")

    def score(self, dataset: Dataset) -> NDArray[np.float64]:
        """One score per row, higher is better, in row order.

        Where both sides name their features, these go by name, in whatever order they stand.
        """
        if not isinstance(dataset, Dataset):
            raise RankwiseError(
                f"a model scores a Dataset, found a {type(dataset).__name__}; make one by "
                "rankwise.read of a file or a frame with the queries' ids"
            )
        dataset = dataset.ordered_as(self.feature_names, "the model")
        if dataset.n_features != self.scorer.n_features:
            raise RankwiseError(
                f"the model was trained on {self.scorer.n_features} features, "
                f"found {dataset.n_features}; bring the data to the same features first"
            )
        return self.scorer.score_dataset(dataset)

    def _table(self) -> Rows:
        """What each feature counts: its weight in a linear model, else its importance."""
        count = self.scorer.n_features
        names = self.feature_names or tuple(str(number + 1) for number in range(count))
        values = self.scorer.importance().tolist()
        return ("feature", "importance"), list(zip(names, values, strict=True))

    def _shown(self) -> Rows:
        """The features that count most first, a bar for each."""
        _, rows = self._table()
        found = sorted(rows, key=lambda row: -abs(float(str(row[1]))))
        largest = max((abs(float(str(row[1]))) for row in found), default=0.0)
        drawn = [(*row, SmallBar(float(str(row[1])), largest)) for row in found]
        return ("feature", "importance", ""), drawn
