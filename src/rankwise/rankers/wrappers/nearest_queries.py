"""Any ranker, trained on the neighbourhood of each training query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Watch
from rankwise.rankers.scorers.nearest_queries import RULES, NearestQueries
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.neighbourhoods import (
    BEST,
    NeighbourhoodRules,
    train_neighbourhoods,
)
from rankwise.rankers.wrappers.wrapper import Wrapper


@dataclass(frozen=True)
class NearestQueriesWrapper(Wrapper):
    """f(x, q) = f_i(x): a query is ranked by the model of a neighbourhood of training queries.

    A query is the point p(q) = 1/|T| Σ_{d ∈ T} x_d, T its top documents by a reference feature.
    For each training query i the wrapped ranker learns f_i from N_i, the k nearest training
    queries. `overlap` ranks a new query q by the f_i whose N_i shares most queries with the k
    nearest of q; `nearest` by that of the nearest i. Validation data are handed on whole.

    `qd-knn` is this with a RankSVM, as the paper has it, without its method that trains when a
    query comes.

    Geng, Liu, Qin, Arnold, Li, Shum (2008). Query dependent ranking using K-nearest neighbor.
    SIGIR.
    """

    name: ClassVar[str] = "nearest-queries"
    paper: ClassVar[str] = "Geng, Liu, Qin, Arnold, Li and Shum (2008), SIGIR"

    of: str = parameter(
        "ranksvm-primal", "the ranker that is wrapped: a registered name, or module:Name"
    )
    neighbours: int = parameter(
        20, "k, the training queries that a model sees", grid=(20, 40, 150), lowest=1
    )
    depth: int = parameter(50, "documents at the top that make the point of a query", lowest=1)
    reference: int = parameter(
        BEST, "the number of the feature that finds the top, such as BM25's; 0: the best", lowest=0
    )
    rule: str = parameter("overlap", "which neighbourhood ranks a new query", choices=RULES)

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[NearestQueries, dict[str, Any]]:
        refuse_equal_labels(train, self.name)

        def train_on(part: Dataset) -> Scorer:
            return self.fit_wrapped(part, validation, rng).scorer

        rules = NeighbourhoodRules(self.neighbours, self.reference, self.depth, self.rule)
        scorer = train_neighbourhoods(train, rules, train_on, watch)
        return scorer, {"models": len(scorer.models), "reference": scorer.where.reference + 1}
