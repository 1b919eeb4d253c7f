"""GRankRLS: RankRLS on features that are chosen one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.regression.greedy_selection import GreedySelection
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge, best_round


@dataclass(frozen=True)
class GRankRLS(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − w · (x_i − x_j))² + λ ‖w‖², ‖w‖₀ ≤ k.

    P holds all pairs of documents of one query. From no feature on, the one joins that makes the
    mean squared error of pairs on queries left out the lowest, each query being left out in turn:
    exactly what solving anew for every feature and query would choose, in time linear in the
    documents, the features and k.

    The paper reports results for given k. Here k is the one of 1, 2, … `features` with the best
    `measure` on validation. Not `rankrls`, which keeps all features.

    Pahikkala, Airola, Naula, Salakoski (2010). Greedy RankRLS: a linear time algorithm for
    learning sparse ranking models. SIGIR 2010 Workshop on Feature Generation and Selection for
    Information Retrieval.
    """

    name: ClassVar[str] = "grankrls"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Pahikkala, Airola, Naula and Salakoski (2010), SIGIR workshop"
    uses_measure: ClassVar[bool] = True

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖w‖² beside the mean over pairs",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    features: int = parameter(
        50, "features at most; how many is chosen on validation", lowest=1, highest=100000
    )
    patience: int = parameter(
        50, "features without a better number of them before the search ends", lowest=1
    )
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )
    measure: str = parameter("MAP", "the measure that chooses the number of features")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        selection = GreedySelection(train, self.regularization, scale_large=self.scale_large)
        judge = Judge.of(train, validation, self.measure, self.tool)
        found, facts = best_round(
            selection,
            judge,
            rounds=min(self.features, train.n_features),
            patience=self.patience,
            watch=watch,
        )
        kept = [column + 1 for column in selection.chosen[: facts["round"]]]
        return found, {**facts, "features_kept": len(kept), "features_in_order": kept}
