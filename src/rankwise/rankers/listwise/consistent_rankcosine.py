"""Consistent RankCosine: the cosine loss whose minimum sorts by expected NDCG gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.listwise.rankcosine import RankCosine
from rankwise.rankers.losses.discounted_gains import DiscountedGains, find_gain_measure
from rankwise.rankers.parameters import parameter


@dataclass(frozen=True)
class ConsistentRankCosine(RankCosine):
    """Minimise 1/|Q| Σ_q ½ (1 − g_q · H_q / ‖H_q‖), g_q = (2^y − 1) / ideal DCG of the query.

    H_q are the scores w · x of the documents of query q. With labels that are random given x, the
    best H_q points to the expectation of g_q, and sorting by that is best for NDCG. Dividing by
    the norm ‖g_q‖ instead, as `rankcosine` does, lacks this. Trained feature by feature as
    `rankcosine` is.

    The transform g is from memory of the paper, so a guess, and so is boosting, since the paper
    does not hang on how the loss is minimised.

    Ravikumar, Tewari, Yang (2011). On NDCG consistency of listwise ranking methods. AISTATS.
    """

    name: ClassVar[str] = "consistent-rankcosine"
    paper: ClassVar[str] = "Ravikumar, Tewari and Yang (2011), AISTATS"
    guesses: ClassVar[tuple[str, ...]] = (
        "gains are divided by the ideal DCG",
        "boosting of features",
    )

    goal: str = parameter("gains", "what scores should point to", choices=("gains",))

    def _goals(self, train: Dataset) -> NDArray[np.float64]:
        return DiscountedGains.of(train, find_gain_measure("definition")).gains
