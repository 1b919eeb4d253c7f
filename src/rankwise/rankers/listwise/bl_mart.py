"""BL-MART: LambdaMART on samples of the queries, averaged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.listwise.lambdamart import LambdaMART, label_gains, refuse_labels
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch, never_stop
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.row_weights import weights_of_queries
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees
from rankwise.rankers.trees.query_bagging import grow_bags


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
    learning_rate: float = parameter(
        0.1, "η, the share of each tree that is added", lowest=1e-6, highest=1.0
    )
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
    tool: str = parameter("definition", "whose convention of the measure, and gain, is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        refuse_labels(train, self.name)
        weights_of_queries(train, self.name)

        def grow(sample: Dataset, left: Dataset | None, seed: int) -> Trees:
            return grow_trees(sample, left, self._growth(seed), never_stop)[0]

        return grow_bags(train, self.bags, grow, rng, watch)

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
