"""Relational ranking SVM: RankSVM on scores that are evened out along a relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.relation_matrix import RelationMatrix
from rankwise.rankers.scorers.smoothed import (
    MOST_NEIGHBOURS,
    PREFERENCES,
    STRONGEST,
    Smoothed,
    find_lead,
)
from rankwise.rankers.training.relations import refuse_unrelated
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RelationalRankSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − z_i + z_j), z = (I + β (D − S))^-1 X w.

    z is the minimum of ‖X w − z‖² + β/2 Σ_ij S_ij (z_i − z_j)²: scores near to those of the
    features, and near to each other where documents are alike; S_ij = (c_ij + c_ji) / 2 of the
    relation's weights, D_ii = Σ_j S_ij. This is the paper's pseudo relevance feedback. With
    `prefer` = sources (parents in a sitemap) it is its topic distillation, z = (2 I + β (2 D − R −
    Rᵀ))^-1 (2 X w − β r), where r_i is how much points at i less how much i points at. z is linear
    in w, so that RankSVM's solver finds the one minimum, to a proven gap. The objective is divided
    as `ranksvm`'s is, and of each document the `neighbours` strongest relations count (0: all, as
    in the paper).

    Qin, Liu, Zhang, Wang, Xiong, Li (2008). Learning to rank relational objects and its application
    to web search. WWW 2008.
    """

    name: ClassVar[str] = "relational-ranksvm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Qin, Liu, Zhang, Wang, Xiong and Li (2008), WWW"
    uses_relations: ClassVar[bool] = True

    regularization: float = parameter(
        0.01,
        "λ, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(1e-3, 1e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )
    strength: float = parameter(
        1.0, "β, how much relations count", grid=(0.1, 1.0, 10.0), lowest=0.0, highest=STRONGEST
    )
    relation: str = parameter("all", "the relation by its name; all adds up those of the data")
    neighbours: int = parameter(
        10,
        "how many related documents of each one count, the strongest; 0 is all",
        lowest=0,
        highest=MOST_NEIGHBOURS,
    )
    prefer: str = parameter(
        "neither", "which end of a relation should rank higher", choices=PREFERENCES
    )
    gap: float = parameter(
        1e-5, "training ends this near to the minimum of the objective", lowest=1e-10
    )
    rounds: int = parameter(1000, "cutting planes at most", lowest=1)
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Smoothed, dict[str, Any]]:
        refuse_unrelated(train, self.relation, self.name)
        pairs = PreferencePairs.of(train, self.name)
        smooth, lead = self._smoothed(train)
        features = RelativeFeatures.of(smooth, self.scale_large)

        def risk(scores: Floats) -> tuple[float, Floats]:
            return pairs.hinge(scores if lead is None else scores + lead)

        found = cutting_plane(
            features,
            risk,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=True,
            watch=watch,
        )
        within = Linear(features.plain_weights(found.weights))
        facts = {**found.facts(), "pairs": pairs.total}
        return (
            Smoothed(within, self.relation, self.neighbours, self.strength, self.prefer),
            facts,
        )

    def _smoothed(self, train: Dataset) -> tuple[Dataset, Floats | None]:
        """(I + β (D − S))^-1 X, and what documents have in advance, evened out alike."""
        related = RelationMatrix.of(train, self.relation, self.neighbours)
        lead = find_lead(related, self.strength, self.prefer)
        features = related.smooth(train.features, self.strength)
        return train.with_features(features), (
            None if lead is None else related.smooth(lead, self.strength)
        )
