"""Scores, or features, that flow along a relation before documents are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.nested import nested_json, nested_scorer
from rankwise.rankers.scorers.relation_matrix import RelationMatrix
from rankwise.rankers.scorers.relational_scorer import (
    RelationalScorer,
    read_count,
    read_name,
    read_number,
)
from rankwise.rankers.scorers.scorer import Scorer

Floats = NDArray[np.float64]

MOST_NEIGHBOURS, MOST_STEPS, HIGHEST_RATE = 10**6, 1000, 0.99
SCORES, FEATURES = "scores", "features"


@dataclass(frozen=True)
class Flow:
    """How something flows along a relation; see `RelationMatrix.propagate`.

    Attributes:
        relation: the name of the relation, or `all`.
        neighbours: how many related documents of each document count, the strongest; 0 is all.
        rate: α, the share that comes from the related documents.
        steps: how often; 0 is until nothing changes.
    """

    relation: str
    neighbours: int
    rate: float
    steps: int

    def along(self, dataset: Dataset, values: Floats, keys: Floats) -> Floats:
        """The values after they have flowed; `keys` order the documents of a query."""
        related = RelationMatrix.of(dataset, self.relation, self.neighbours, keys)
        return related.propagate(values, self.rate, self.steps)

    def beside(self, dataset: Dataset) -> Dataset:
        """The data with every feature twice: as it is, and after it has flowed."""
        features = dataset.features
        flowed = self.along(dataset, features, features[:, 0])
        return dataset.with_features(np.hstack([features, flowed]))


@dataclass(frozen=True, eq=False)
class Propagated(RelationalScorer):
    """The scores of another scorer after they have flowed, or its scores of features that have.

    Attributes:
        within: the other scorer.
        flow: along what, and how far.
        what: `scores`, or `features`: the other scorer sees those as they are beside those that
            have flowed.
    """

    kind: ClassVar[str] = "propagated"
    within: Scorer
    flow: Flow
    what: str

    @property
    def n_features(self) -> int:
        """Those of the other scorer, or half of them."""
        return self.within.n_features // (2 if self.what == FEATURES else 1)

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row."""
        if self.what == FEATURES:
            return self.within.score_dataset(self.flow.beside(dataset.to_dense()))
        scores = self.within.score_dataset(dataset)
        return self.flow.along(dataset, scores, scores)

    def importance(self) -> Floats:
        """That of the other scorer; of a feature and the same after it has flowed together."""
        found = self.within.importance()
        width = self.n_features
        return found[:width] + found[width:] if self.what == FEATURES else found

    def as_json(self) -> dict[str, Any]:
        """The other scorer under `within`, and the numbers."""
        return {"within": nested_json(self.within), "what": self.what, **vars(self.flow)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Propagated:
        """From the values of `as_json`."""
        within, what = nested_scorer(values, "within"), values.get("what")
        if what not in (SCORES, FEATURES) or (what == FEATURES and within.n_features % 2):
            raise RankwiseError(
                "a model file must hold scores or features under 'what', and for features a scorer "
                "of an even number of them"
            )
        flow = Flow(
            read_name(values, "relation"),
            read_count(values, "neighbours", MOST_NEIGHBOURS),
            read_number(values, "rate", HIGHEST_RATE),
            read_count(values, "steps", MOST_STEPS),
        )
        return cls(within, flow, str(what))
