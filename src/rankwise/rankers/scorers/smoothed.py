"""Scores that are evened out along a relation: those of related documents come nearer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.query_level import query_level_norm
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

MOST_NEIGHBOURS, STRONGEST = 10**6, 1e6
PREFERENCES = ("neither", "sources", "targets")


@dataclass(frozen=True, eq=False)
class Smoothed(RelationalScorer):
    """z = (I + β (D − S))^-1 (f(x) − p β/2 r), f another scorer; see `RelationMatrix.smooth`.

    r = `RelationMatrix.balance`; p is 1 where sources of the relation are preferred, −1 where
    targets are, 0 where neither.

    Attributes:
        within: f.
        relation: the name of the relation, or `all`.
        neighbours: how many related documents of each document count, the strongest; 0 is all.
        strength: β.
        prefer: which end of a relation should rank higher.
        normalized: whether f sees features scaled to [0, 1] within the query.
    """

    kind: ClassVar[str] = "smoothed"
    within: Scorer
    relation: str
    neighbours: int
    strength: float
    prefer: str = "neither"
    normalized: bool = False

    @property
    def n_features(self) -> int:
        """Those of f."""
        return self.within.n_features

    def score_dataset(self, dataset: Dataset) -> Floats:
        """The scores of f, evened out."""
        seen = query_level_norm(dataset.to_dense()) if self.normalized else dataset
        scores = self.within.score_dataset(seen)
        related = RelationMatrix.of(dataset, self.relation, self.neighbours, scores)
        lead = find_lead(related, self.strength, self.prefer)
        return related.smooth(scores if lead is None else scores + lead, self.strength)

    def importance(self) -> Floats:
        """That of f."""
        return self.within.importance()

    def as_json(self) -> dict[str, Any]:
        """f under `within`, and the numbers."""
        return {
            "within": nested_json(self.within),
            "relation": self.relation,
            "neighbours": self.neighbours,
            "strength": self.strength,
            "prefer": self.prefer,
            "normalized": self.normalized,
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Smoothed:
        """From the values of `as_json`."""
        prefer, normalized = values.get("prefer"), values.get("normalized")
        if prefer not in PREFERENCES or not isinstance(normalized, bool):
            raise RankwiseError(
                f"a model file must hold one of {', '.join(PREFERENCES)} under 'prefer' and true "
                "or false under 'normalized'"
            )
        return cls(
            nested_scorer(values, "within"),
            read_name(values, "relation"),
            read_count(values, "neighbours", MOST_NEIGHBOURS),
            read_number(values, "strength", STRONGEST),
            str(prefer),
            normalized,
        )


def find_lead(related: RelationMatrix, strength: float, prefer: str) -> Floats | None:
    """−p β/2 r, what each document has in advance; None where it is nothing."""
    if prefer == "neither":
        return None
    sign = 1.0 if prefer == "sources" else -1.0
    return -sign * strength / 2.0 * related.balance()
