"""LambdaMART and MART: boosted regression trees that follow the lambdas of NDCG, or the labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError, TrainingRemark
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.trees import Trees
from rankwise.native.arrays import Floats
from rankwise.rankers.distributed import SpreadData, SpreadingRanker, ticking
from rankwise.rankers.losses.lambdas import has_gain_lambdas, lambdas
from rankwise.rankers.losses.listwise import refuse_short_queries
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training, Watch, add_remarks
from rankwise.rankers.training.preferences import (
    has_preference,
    no_order,
    refuse_equal_labels,
    weights_of_queries,
)
from rankwise.rankers.training.warm_start import trees_start
from rankwise.rankers.trees.lightgbm_training import Gradients, Growth, grow_trees, weigh_gradients
from rankwise.rankers.trees.tree_parameters import (
    TreeChoices,
    categorical,
    device,
    feature_fraction,
    l2,
    learning_rate,
    monotone,
    refuse_categories,
    settle_tree_choices,
)
from rankwise.sanitize import brief

HIGHEST_LABEL = 30
MOST_DOCUMENTS = 10_000
"""What LightGBM's own lambdas take: its issue 5053, and its list of 31 gains."""
_WAY_OUT = "LambdaMART with lambdas=measure, of NDCG or MAP, takes them"


@dataclass(frozen=True)
class LambdaMART(SpreadingRanker):
    """F_t = F_{t−1} + η v_t, v_t a regression tree of the lambdas at F_{t−1}.

    For documents of one query with y_i > y_j,

        λ_ij = |ΔM_ij| / (1 + exp(s_i − s_j)),   λ_i = Σ_j λ_ij − Σ_j λ_ji,

    ΔM_ij being what the measure M changes by when i and j swap their ranks. A tree of `leaves`
    leaves is grown best first on the λ_i, each leaf holding the Newton step Σ λ_i / Σ w_i with
    w_i = Σ_j |∂λ_ij/∂s_i| + Σ_j |∂λ_ji/∂s_i|. The λ_i and w_i of a query that has a weight are
    multiplied by it. Training that starts from other trees has these as F_0, which else is 0. The
    round is chosen by `measure` on validation.

    `lambdas` says what M is. `measure`: the measure asked for, NDCG or MAP, exactly as the tool
    has it, with its gains, discounts, cut-off, and rules for queries that are short or without a
    relevant document. `lightgbm`: the NDCG that LightGBM computes by itself, at ranks r_i and r_j
    of which one is within k, `truncation`,

        ΔM_ij = (g(y_i) − g(y_j)) |1 / log2(1 + r_i) − 1 / log2(1 + r_j)| / ideal DCG@k,

    with the gains g of the tool (2^y − 1, or y); of other conventions it knows nothing. `auto`,
    the default, is `measure` where that is NDCG, and `lightgbm` where it is anything else. With
    `query_norm` the lambdas of a query are scaled down as LightGBM does where they are many or its
    scores lie far apart, which the paper does not. On a cluster trees follow `lightgbm` alone,
    which takes labels up to 30, there whole ones alone, and queries of up to 10,000 documents;
    `measure` has no such bounds.

    `l2`, `feature_fraction`, `monotone`, `categorical` and `device` are LightGBM's; see
    `rankwise.rankers.trees.tree_parameters`. A document goes left at a category split where its
    category is among those of the split; unseen categories, negative values and NULL go right.
    Where training starts from other trees, `monotone` holds of those that are added.

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
    random_with: ClassVar[str | None] = "feature_fraction below 1"

    rounds: int = parameter(500, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = learning_rate(0.1, grid=(0.05, 0.1))
    leaves: int = parameter(31, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", grid=(20, 100), lowest=1)
    lambdas: str = parameter(
        "auto",
        "whose changes weight the pairs: measure, as the tool has it, or lightgbm; auto is measure "
        "for NDCG",
        choices=("auto", "measure", "lightgbm"),
    )
    truncation: int = parameter(
        30, "k of lightgbm's lambdas: pairs below this rank do not count", lowest=1
    )
    query_norm: bool = parameter(True, "LightGBM's scaling of the lambdas of each query")
    l2: float = l2()
    feature_fraction: float = feature_fraction()
    monotone: str = monotone()
    categorical: str = categorical()
    device: str = device()
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention("measure, and gain,")

    def __post_init__(self) -> None:
        super().__post_init__()
        settle_tree_choices(self)

    def _learn(self, training: Training) -> Learned[Trees]:
        train = training.train
        start = trees_start(training.start, self.name)
        refuse_equal_labels(train, self.name)
        weights_of_queries(train, self.name)
        gradients = self._gradients(train) if self.trains_under_tool() else None
        if gradients is None:
            refuse_labels(train, self.name)
            refuse_long_queries(train, self.name)
        growth = self._growth(train.n_features, train.feature_names, training.rng, gradients)
        remarks = own_lambdas_remarks(train) if gradients else []
        for remark in remarks:
            warnings.warn(TrainingRemark(f"{self.name}: {remark}"), stacklevel=3)
        trees, facts = grow_trees(training, replace(growth, start=start))
        return Learned(trees, add_remarks(facts, remarks))

    def _learn_on_cluster(
        self, train: SpreadData, validation: Dataset | None, watch: Watch
    ) -> Learned[Trees]:
        from rankwise.rankers.trees.lightgbm_dask import grow_trees_on_cluster

        if self.trains_under_tool():
            raise RankwiseError(
                f"{self.name}: on a cluster trees follow LightGBM's own NDCG, which is not "
                f"{self.measure} of {self.tool}; give lambdas=lightgbm, or train on one machine"
            )
        if self.feature_fraction < 1.0:
            raise RankwiseError(
                f"{self.name}: over a cluster all features must be there for each tree, found "
                f"feature_fraction={self.feature_fraction:g}; leave it out, or train on one machine"
            )
        growth = self._growth(train.n_features, None, np.random.default_rng(0))
        tick = ticking(watch, self.name, self.rounds)
        train.each(partial(_refuse_share, name=self.name, columns=growth.categories), tick)
        if not any(train.each(has_preference, tick)):
            raise no_order(self.name, train.n_queries)
        return grow_trees_on_cluster(train, validation, growth, watch)

    def _able_to_choose(
        self, train: Dataset | None, validation: Dataset | None
    ) -> tuple[Self, list[str]]:
        """Another measure chooses the round alone: trees follow the lambdas that they did."""
        if self.trains_under_tool():
            return self, []
        able, remarks = super()._able_to_choose(train, validation)
        return replace(able, lambdas="lightgbm") if able is not self else self, remarks

    def trains_under_tool(self) -> bool:
        """Whether the lambdas are those of the tool's measure."""
        if self.lambdas == "auto":
            return has_gain_lambdas(self.measure, self.tool)
        return self.lambdas == "measure"

    def _gradients(self, train: Dataset) -> Gradients:
        """The lambdas of the measure, and their slopes, at the scores so far."""
        refuse_short_queries(train, find_tool(self.tool).measure(self.measure), self.name)
        loss = lambdas(train, self.measure, self.tool)
        if not loss.is_moved():
            raise RankwiseError(
                f"{self.name}: some order of the training documents must change {self.measure} of "
                f"{self.tool}, found none that does"
            )
        following = partial(loss.curved_at, normalised=self.query_norm)
        return following if train.weights is None else weigh_gradients(following, train.weights)

    def _growth(
        self,
        width: int,
        names: tuple[str, ...] | None,
        rng: np.random.Generator,
        gradients: Gradients | None = None,
    ) -> Growth:
        choices = TreeChoices.of(self)
        settings = self.settings() | ({} if gradients is None else {"objective": "none"})
        return Growth(
            self.name,
            settings | choices.settings(width, names, rng),
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            gradients,
            categories=choices.columns(width, names),
            gain=None if gradients else partial(label_gains, tool=self.tool),
        )

    def settings(self) -> dict[str, Any]:
        """LightGBM's parameters of this method, where trees follow its own lambdas."""
        return {
            "objective": "lambdarank",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
            "lambdarank_truncation_level": self.truncation,
            "lambdarank_norm": self.query_norm,
            "label_gain": label_gains(np.arange(HIGHEST_LABEL + 1.0), self.tool).tolist(),
        }


def refuse_labels(train: Dataset, name: str, *, whole: bool = False) -> None:
    """Refuse labels that LightGBM has no gain for; fractions too where they must be `whole`."""
    labels = train.labels
    wrong = labels[(labels < 0) | (labels > HIGHEST_LABEL) | (whole & (labels % 1 != 0))]
    if len(wrong):
        raise RankwiseError(
            f"{name}: training labels must be {'whole ' if whole else ''}numbers from 0 to "
            f"{HIGHEST_LABEL}, found {wrong[0]:g}; {_WAY_OUT}, or number the labels anew"
        )


def refuse_long_queries(train: Dataset, name: str) -> None:
    """Refuse queries that LightGBM's own objective takes no more."""
    longest = int(np.argmax(train.query_lengths))
    found = int(train.query_lengths[longest])
    if found > MOST_DOCUMENTS:
        raise RankwiseError(
            f"{name}: LightGBM's own lambdas take queries of at most {MOST_DOCUMENTS:,} documents, "
            f"found {found:,} in query {brief(train.query_ids[longest])}; {_WAY_OUT}, or keep "
            "fewer documents"
        )


def _refuse_share(share: Dataset, name: str, columns: tuple[int, ...]) -> None:
    """Refuse what LightGBM takes nowhere, on the worker that holds it."""
    refuse_labels(share, name, whole=True)
    refuse_long_queries(share, name)
    refuse_categories(share, columns, name)


def own_lambdas_remarks(train: Dataset) -> list[str]:
    """What is unusual about data that LightGBM's own lambdas would refuse."""
    highest, longest = float(train.labels.max()), int(train.query_lengths.max())
    remarks = []
    if highest > HIGHEST_LABEL:
        remarks.append(
            f"training labels reach {highest:g}: where the gain is 2^label − 1, the highest "
            "outweigh all others"
        )
    if longest > MOST_DOCUMENTS:
        remarks.append(
            f"a training query has {longest:,} documents: every round looks at all pairs of them, "
            "which takes long"
        )
    return remarks


def label_gains(labels: Floats, tool: str) -> Floats:
    """The gain of each label in the NDCG of `tool`, where it has one."""
    gain = find_tool(tool).conventions.get("NDCG", {}).get("gain")
    return labels if gain == "linear" else 2.0**labels - 1.0


@dataclass(frozen=True)
class Mart(Ranker):
    """F_t = F_{t−1} + η v_t, v_t the regression tree of the residuals y_i − F_{t−1}(x_i).

    F_0 is the mean label; least squares over all documents of all queries, as in the paper's
    LS_Boost. Trees are grown best first to `leaves` leaves on binned features (LightGBM) where the
    paper's are exact. Where documents have weights, squares are weighted; `leaf_documents` counts
    documents all the same. Training that starts from other trees has these as F_0. The round is
    chosen by `measure` on validation. Not `lambdamart`, whose trees follow the order within
    queries.

    `l2`, `feature_fraction`, `monotone`, `categorical` and `device` are LightGBM's; see
    `rankwise.rankers.trees.tree_parameters`. A document goes left at a category split where its
    category is among those of the split; unseen categories, negative values and NULL go right.
    Where training starts from other trees, `monotone` holds of those that are added.

    Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of
    Statistics 29(5).
    """

    name: ClassVar[str] = "mart"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Friedman (2001), Annals of Statistics 29(5)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    random_with: ClassVar[str | None] = "feature_fraction below 1"

    rounds: int = parameter(500, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = learning_rate(0.05)
    leaves: int = parameter(7, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", grid=(20, 100), lowest=1)
    l2: float = l2()
    feature_fraction: float = feature_fraction()
    monotone: str = monotone()
    categorical: str = categorical()
    device: str = device()
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def __post_init__(self) -> None:
        super().__post_init__()
        settle_tree_choices(self)

    def _learn(self, training: Training) -> Learned[Trees]:
        train = training.train
        start = trees_start(training.start, self.name)
        choices = TreeChoices.of(self)
        settings = {
            "objective": "regression",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
        }
        growth = Growth(
            self.name,
            settings | choices.settings(train.n_features, train.feature_names, training.rng),
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            start=start,
            categories=choices.columns(train.n_features, train.feature_names),
        )
        return grow_trees(training, growth)
