"""Q.D.KNN: a RankSVM for the neighbourhood of every training query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.pairwise.ranksvm_primal import RankSVMPrimal
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch, never_stop
from rankwise.rankers.scorers.nearest_queries import RULES, NearestQueries
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.neighbourhoods import (
    BEST,
    NeighbourhoodRules,
    train_neighbourhoods,
)


@dataclass(frozen=True)
class QDKNN(Ranker):
    """f(x, q) = w_i · x: a query is ranked by the RankSVM of a neighbourhood of training queries.

    A query is the point p(q) = 1/|T| Σ_{d ∈ T} x_d, T its top documents by a reference feature.
    For each training query i a RankSVM w_i is trained on N_i, its k nearest training queries.
    `overlap` (the paper's offline method 1) ranks a new query q by the w_i whose N_i shares most
    queries with the k nearest of q; `nearest` (its offline method 2) by that of the nearest i.

    Deviations: the paper's online method, which trains when a query comes, is what the two
    approximate and is not here: a model must score without training. Its RankSVM is
    `ranksvm-primal`, whose hinge is squared. The paper ranks T by BM25; where its number is not
    given as `reference`, the feature with the best MAP alone on training data takes its place.
    Features are divided by their deviation over the training points before distances are taken.
    Not `nearest-queries`, which does the same with any ranker.

    Geng, Liu, Qin, Arnold, Li, Shum (2008). Query dependent ranking using K-nearest neighbor.
    SIGIR.
    """

    name: ClassVar[str] = "qd-knn"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Geng, Liu, Qin, Arnold, Li and Shum (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "features are divided by their deviation over queries before distances are taken",
    )

    neighbours: int = parameter(
        20, "k, the training queries that a model sees", grid=(20, 40, 150), lowest=1
    )
    regularization: float = parameter(
        0.1,
        "λ of the RankSVMs, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(0.01, 0.1, 1.0),
        lowest=1e-9,
        highest=1e9,
    )
    depth: int = parameter(50, "documents at the top that make the point of a query", lowest=1)
    reference: int = parameter(
        BEST, "the number of the feature that finds the top, such as BM25's; 0: the best", lowest=0
    )
    rule: str = parameter("overlap", "which neighbourhood ranks a new query", choices=RULES)
    gap: float = parameter(
        1e-5, "training ends this near to the minimum of the objective", lowest=1e-14
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[NearestQueries, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        svm = RankSVMPrimal(regularization=self.regularization, gap=self.gap)

        def train_on(part: Dataset) -> Scorer:
            return svm._learn(part, None, rng, never_stop)[0]

        rules = NeighbourhoodRules(self.neighbours, self.reference, self.depth, self.rule)
        scorer = train_neighbourhoods(train, rules, train_on, watch)
        return scorer, {"models": len(scorer.models), "reference": scorer.where.reference + 1}
