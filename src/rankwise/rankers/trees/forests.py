"""Averages of trees that are grown on random samples: Random Forest, BagBoo and BL-MART.

Random Forest averages regression trees on the labels, each of a random sample; BagBoo short
boosting and BL-MART LambdaMART on samples of the queries. Bagging over queries grows trees on
samples of whole queries and averages their scores: Breiman (1996). Bagging predictors. Machine
Learning 24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.trees import Trees, average_trees
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.training.preferences import refuse_equal_labels, weights_of_queries
from rankwise.rankers.trees.lambdamart import LambdaMART, label_gains, refuse_labels
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees
from rankwise.rankers.trees.tree_parameters import learning_rate


@dataclass(frozen=True)
class RandomForest(Ranker):
    """F(x) = Σ_t v_t(x) / T, v_t a least squares regression tree of a sample of the documents.

    Every split chooses among a random share of the features. Deviations, LightGBM's: a sample is
    drawn without replacement (63.2 % of the documents, as many as a bootstrap sample has distinct
    ones); trees are grown best first up to `leaves` leaves rather than fully; features are binned.
    Where documents have weights, squares are weighted, not the chances to be drawn. More trees
    never overfit, so validation chooses nothing here.

    Breiman (2001). Random forests. Machine Learning 45.
    """

    name: ClassVar[str] = "random-forest"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Breiman (2001), Machine Learning 45"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    handles_null: ClassVar[bool] = True
    random: ClassVar[bool] = True

    trees: int = parameter(300, "T, how many trees are averaged", lowest=1)
    leaves: int = parameter(
        255, "leaves of a tree at most", grid=(31, 255), lowest=2, highest=131072
    )
    leaf_documents: int = parameter(5, "documents that a leaf must hold", grid=(5, 20), lowest=1)
    document_share: float = parameter(
        0.632, "share of the documents that a tree sees", lowest=0.001, highest=0.999
    )
    feature_share: float = parameter(
        0.33, "share of the features that a split chooses among", lowest=0.001, highest=1.0
    )

    def _learn(self, training: Training) -> Learned[Trees]:
        settings = {
            "objective": "regression",
            "boosting": "rf",
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
            "bagging_freq": 1,
            "bagging_fraction": self.document_share,
            "feature_fraction_bynode": self.feature_share,
            "seed": int(training.rng.integers(2**31)),
        }
        return grow_trees(
            Training(training.train, watch=training.watch), Growth(self.name, settings, self.trees)
        )


@dataclass(frozen=True)
class BagBoo(Ranker):
    """f(x) = 1/B Σ_b F_b(x), F_b a few boosted regression trees of queries drawn with replacement.

    F_b starts at the mean label of its sample and adds `boosts` trees of the residuals, least
    squares, each seeing a share of the features. Bagging brings stability where boosting brings
    fit; nothing is stopped early, and validation chooses nothing here. Where documents have
    weights, squares are weighted, not the chances of queries to be drawn.

    The frame is the paper's; sizes, and that features are sampled for each tree, are guesses. Not
    `random-forest`, whose bags are single trees, and not `bl-mart`, whose trees follow lambdas.

    Pavlov, Gorodilov, Brunk (2010). BagBoo: a scalable hybrid bagging-the-boosting model. CIKM.
    """

    name: ClassVar[str] = "bagboo"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Pavlov, Gorodilov and Brunk (2010), CIKM"
    handles_null: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the sizes of bags and trees",)

    bags: int = parameter(50, "B, how many models are averaged", lowest=1, highest=10000)
    boosts: int = parameter(20, "trees of a model", grid=(10, 30), lowest=1)
    learning_rate: float = learning_rate(0.1)
    leaves: int = parameter(15, "leaves of a tree at most", grid=(7, 31), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", lowest=1)
    feature_share: float = parameter(
        0.5, "share of the features that a tree sees", lowest=0.001, highest=1.0
    )

    def _learn(self, training: Training) -> Learned[Trees]:
        def grow(sample: Dataset, left: Dataset | None, seed: int) -> Trees:
            settings = {
                "objective": "regression",
                "learning_rate": self.learning_rate,
                "num_leaves": self.leaves,
                "min_data_in_leaf": self.leaf_documents,
                "feature_fraction": self.feature_share,
                "seed": seed,
            }
            return grow_trees(Training(sample), Growth(self.name, settings, self.boosts)).scorer

        return grow_bags(training, self.bags, grow)


@dataclass(frozen=True)
class BLMart(Ranker):
    """f(x) = 1/B Σ_b F_b(x), F_b a LambdaMART model of queries drawn with replacement.

    Each F_b is trained as `lambdamart` trains, every tree seeing a share of the features and of
    the documents; its round is the one with the best `measure` on the queries that its sample
    left out, all rounds where it left none out. Weights of queries count as there.

    The paper tunes thousands of settings, whose outcome is not known: sizes and shares here are
    guesses within its ranges, and so is that the left-out queries choose the rounds. Not
    `random-forest` nor `bagboo`, whose trees follow labels rather than the order within queries.

    Ganjisaffar, Caruana, Lopes (2011). Bagging gradient-boosted trees for high precision, low
    variance ranking models. SIGIR.
    """

    name: ClassVar[str] = "bl-mart"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Ganjisaffar, Caruana and Lopes (2011), SIGIR"
    handles_null: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "sizes and shares, which the paper tunes",
        "left-out queries choose the rounds",
    )

    bags: int = parameter(30, "B, how many models are averaged", lowest=1, highest=10000)
    rounds: int = parameter(200, "trees of a model at most", lowest=1)
    patience: int = parameter(30, "rounds without a better one before a model ends", lowest=1)
    learning_rate: float = learning_rate(0.1)
    leaves: int = parameter(7, "leaves of a tree at most", grid=(7, 15), lowest=2, highest=131072)
    leaf_documents: int = parameter(50, "documents that a leaf must hold", lowest=1)
    document_share: float = parameter(
        0.5, "share of the sample's documents that a tree sees", lowest=0.001, highest=0.999
    )
    feature_share: float = parameter(
        0.5, "share of the features that a tree sees", lowest=0.001, highest=1.0
    )
    truncation: int = parameter(30, "k: pairs below this rank do not count", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the rounds")
    tool: str = convention("measure, and gain,")

    def _learn(self, training: Training) -> Learned[Trees]:
        train = training.train
        refuse_equal_labels(train, self.name)
        refuse_labels(train, self.name)
        weights_of_queries(train, self.name)

        def grow(sample: Dataset, left: Dataset | None, seed: int) -> Trees:
            return grow_trees(Training(sample, left), self._growth(seed)).scorer

        return grow_bags(training, self.bags, grow)

    def _growth(self, seed: int) -> Growth:
        shared = LambdaMART(
            learning_rate=self.learning_rate,
            leaves=self.leaves,
            leaf_documents=self.leaf_documents,
            truncation=self.truncation,
            tool=self.tool,
        )
        settings = {
            **shared.settings(),
            "bagging_freq": 1,
            "bagging_fraction": self.document_share,
            "feature_fraction": self.feature_share,
            "seed": seed,
        }
        return Growth(
            self.name, settings, self.rounds, self.patience, self.measure, self.tool,
            gain=partial(label_gains, tool=self.tool),
        )  # fmt: skip


GrowBag = Callable[[Dataset, Dataset | None, int], Trees]
"""Grows the trees of one bag: its sample, the queries left out of it if any, a seed of its own."""


def grow_bags(training: Training, bags: int, grow: GrowBag) -> Learned[Trees]:
    """f(x) = 1/B Σ_b f_b(x), f_b grown on as many queries as there are, drawn with replacement."""
    train, rng = training.train, training.rng
    grown: list[Trees] = []
    for number in range(1, bags + 1):
        drawn = np.sort(rng.integers(train.n_queries, size=train.n_queries))
        left = np.setdiff1d(np.arange(train.n_queries), drawn)
        out = train.select_queries(left) if len(left) else None
        grown.append(grow(train.select_queries(drawn), out, int(rng.integers(2**31))))
        if training.watch(Round(number, bags)):
            break
    joined = average_trees(grown)
    return Learned(joined, {"bags": len(grown), "trees": joined.n_trees})
