"""LambdaMART: boosted regression trees that follow the lambdas of NDCG."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.cluster.spread_data import SpreadData, ticking
from rankwise.rankers.cluster.spreading import SpreadingRanker
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Watch
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.training.continued import trees_start
from rankwise.rankers.training.label_levels import has_preference, no_order, refuse_equal_labels
from rankwise.rankers.training.row_weights import weights_of_queries
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees

HIGHEST_LABEL = 30


@dataclass(frozen=True)
class LambdaMART(SpreadingRanker):
    """F_t = F_{t−1} + η v_t, v_t a regression tree of the lambdas at F_{t−1}.

    For documents of one query with y_i > y_j, at ranks r_i and r_j, one of them at least within k,

        λ_ij = Δ_ij / (1 + exp(s_i − s_j)),   λ_i = Σ_j λ_ij − Σ_j λ_ji,
        Δ_ij = (g(y_i) − g(y_j)) |1 / log2(1 + r_i) − 1 / log2(1 + r_j)| / ideal DCG@k,

    Δ_ij being what swapping the two would change, and k `truncation`. A tree of `leaves` leaves is
    grown best first on the λ_i, each leaf holding the Newton step Σ λ_i / Σ w_i with
    w_i = Σ_j |∂λ_ij/∂s_i| + Σ_j |∂λ_ji/∂s_i|. Gains g are those of the NDCG of the tool that is
    named (2^y − 1, or y); other discounts LightGBM does not know. With `query_norm` it scales the
    lambdas of a query down where they are many or its scores lie far apart, which the paper does
    not. The λ_i and w_i of a query that has a weight are multiplied by it. Training that starts
    from other trees has these as F_0, which else is 0. The round is chosen by `measure` on
    validation.

    Burges (2010). From RankNet to LambdaRank to LambdaMART: an overview. MSR-TR-2010-82.
    Wu, Burges, Svore, Gao (2010). Adapting boosting for information retrieval measures.
    Information Retrieval 13.
    """

    name: ClassVar[str] = "lambdamart"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wu, Burges, Svore and Gao (2010), Information Retrieval 13(3)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(500, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = parameter(
        0.1, "η, the share of each tree that is added", grid=(0.05, 0.1), lowest=1e-6, highest=1.0
    )
    leaves: int = parameter(31, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", grid=(20, 100), lowest=1)
    truncation: int = parameter(30, "k: pairs below this rank do not count", lowest=1)
    query_norm: bool = parameter(True, "LightGBM's scaling of the lambdas of each query")
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure, and gain, is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        return self._grow(train, validation, self._growth(), watch)

    def _learn_from(
        self,
        start: Scorer,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        growth = replace(self._growth(), start=trees_start(start, self.name))
        return self._grow(train, validation, growth, watch)

    def _grow(
        self, train: Dataset, validation: Dataset | None, growth: Growth, watch: Watch
    ) -> tuple[Trees, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        refuse_labels(train, self.name)
        weights_of_queries(train, self.name)
        return grow_trees(train, validation, growth, watch)

    def _learn_on_cluster(
        self, train: SpreadData, validation: Dataset | None, watch: Watch
    ) -> tuple[Trees, dict[str, Any]]:
        from rankwise.rankers.trees.lightgbm_cluster import grow_trees_on_cluster

        tick = ticking(watch, self.name, self.rounds)
        train.each(partial(refuse_labels, name=self.name), tick)
        if not any(train.each(has_preference, tick)):
            raise no_order(self.name, train.n_queries)
        return grow_trees_on_cluster(train, validation, self._growth(), watch)

    def _growth(self) -> Growth:
        return Growth(
            self.name, self.settings(), self.rounds, self.patience, self.measure, self.tool
        )

    def settings(self) -> dict[str, Any]:
        """LightGBM's parameters of this method."""
        return {
            "objective": "lambdarank",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
            "lambdarank_truncation_level": self.truncation,
            "lambdarank_norm": self.query_norm,
            "label_gain": _label_gains(self.tool),
        }


def refuse_labels(train: Dataset, name: str) -> None:
    """Refuse labels that LightGBM has no gain for."""
    labels = train.labels
    wrong = labels[(labels < 0) | (labels > HIGHEST_LABEL) | (labels % 1 != 0)]
    if len(wrong):
        raise RankwiseError(
            f"{name}: training labels must be whole numbers from 0 to {HIGHEST_LABEL}, "
            f"found {wrong[0]:g}"
        )


def _label_gains(tool: str) -> list[float]:
    """The gain of every label in the NDCG of `tool`, where it has one."""
    gain = find_tool(tool).conventions.get("NDCG", {}).get("gain")
    labels = range(HIGHEST_LABEL + 1)
    return [float(label if gain == "linear" else 2**label - 1) for label in labels]
