"""ADMM: the squared hinge on pairs, minimised by parts of the data that only share weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.consensus import Loss, minimise_by_consensus
from rankwise.rankers.optimizers.squared_hinge_point import SquaredHingePoint
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import has_preference
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class ADMM(Ranker):
    """Minimise λ/2 ‖z‖² + Σ_k L_k(w_k) with w_k = z, L_k the loss of part k of the queries.

    L_k(w) = 1/|P| Σ_{(i,j) ∈ P_k} max(0, 1 − w · (x_i − x_j))², P_k the pairs of one query with
    y_i > y_j in part k, |P| the pairs of all parts. The objective is that of `ranksvm-primal`, and
    so is its one minimum: this is another way to it, on which no part sees the data of another
    (`rankwise.rankers.optimizers.consensus`). How near to it training ends is proven.

    Consensus by alternating directions over parts of the data is the paper's. The squared hinge
    for its pairwise loss, and how ρ is kept in balance, are guesses; its variant for streams of
    data is not here. The parts are worked on one after another, in one process.

    Duh, Suzuki, Nagata (2011). Distributed learning-to-rank on streaming data using alternating
    direction method of multipliers. NIPS Big Learning Workshop.
    """

    name: ClassVar[str] = "admm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Duh, Suzuki and Nagata (2011), NIPS Big Learning Workshop"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the squared hinge", "how ρ is kept in balance")

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖z‖²/2 beside the mean over pairs",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    parts: int = parameter(4, "into how many parts the queries are dealt", lowest=1, highest=10000)
    penalty: float = parameter(
        0.1, "ρ, what it costs at first to differ from z", lowest=1e-9, highest=1e9
    )
    gap: float = parameter(
        1e-5, "training ends this near to the minimum of the objective", lowest=1e-14
    )
    rounds: int = parameter(1000, "rounds at most", lowest=1)
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        total = PreferencePairs.of(train, self.name).total
        features = RelativeFeatures.of(train, self.scale_large)
        dealt = [train.select_queries(slice(k, None, self.parts)) for k in range(self.parts)]
        losses = [self._loss(part, features, total) for part in dealt if _has_pairs(part)]
        found = minimise_by_consensus(
            losses,
            train.n_features,
            self.regularization,
            penalty=self.penalty,
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
        )
        facts = {**found.facts(), "pairs": total, "parts": len(losses)}
        return Linear(features.plain_weights(found.weights)), facts

    def _loss(self, part: Dataset, features: RelativeFeatures, total: int) -> Loss:
        pairs = PreferencePairs.of(part, self.name)
        of_all = replace(pairs, weights=np.full(part.n_documents, 1.0 / total))
        return partial(
            SquaredHingePoint.at, features=features.of_part(part), pairs=of_all, regularization=0.0
        )


def _has_pairs(part: Dataset) -> bool:
    return part.n_queries > 0 and has_preference(part)
