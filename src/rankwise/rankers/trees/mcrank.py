"""McRank: labels as classes, boosted trees for their probabilities, the expected label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.trees import ExpectedLabel, expected_labels
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.trees.lightgbm_training import Growth, grow_text
from rankwise.rankers.trees.tree_parameters import learning_rate

_MOST_CLASSES = 64


@dataclass(frozen=True)
class McRank(Ranker):
    """f(x) = Σ_k l_k p_k(x), p(x) the softmax of sums of trees that minimise −Σ_i log p_{y_i}(x_i).

    The labels l_k are classes; each round adds one tree to every class (LightGBM's multi-class
    objective). Documents are ranked by the label to be expected. The paper bounds the loss of DCG
    by the errors of such a classifier. The round is chosen by `measure` on validation.

    Deviations: trees are grown best first on binned features. This is the paper's classification,
    not its ordinal variant, which models P(y ≤ k). Not `mart`, which regresses on the labels.

    Li, Burges, Wu (2007). McRank: learning to rank using multiple classification and gradient
    boosting. NIPS.
    """

    name: ClassVar[str] = "mcrank"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Li, Burges and Wu (2007), NIPS"
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(300, "rounds at most; the best one is chosen on validation", lowest=1)
    patience: int = parameter(50, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = learning_rate(0.05)
    leaves: int = parameter(7, "leaves of a tree at most", grid=(7, 15), lowest=2, highest=131072)
    leaf_documents: int = parameter(20, "documents that a leaf must hold", grid=(20, 100), lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[ExpectedLabel]:
        train = training.train
        labels = _classes(train, self.name)
        known = replace(train, labels=np.searchsorted(labels, train.labels).astype(np.float64))

        def reading(chances: Floats) -> Floats:
            return expected_labels(labels, list(chances.T))

        growth = Growth(
            self.name,
            self._settings(len(labels)),
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            reading=reading,
        )
        text, facts = grow_text(replace(training, train=known), growth)
        classes = tuple(
            trees_of_text(text, train.n_features, slice(number, None, len(labels)))
            for number in range(len(labels))
        )
        return Learned(ExpectedLabel(labels, classes), facts)

    def _settings(self, classes: int) -> dict[str, Any]:
        return {
            "objective": "multiclass",
            "num_class": classes,
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
        }


def _classes(train: Dataset, name: str) -> Floats:
    """The different labels, at least two: LightGBM knows no single class."""
    labels = np.unique(train.labels)
    if len(labels) > _MOST_CLASSES:
        raise RankwiseError(
            f"{name}: labels are classes, of which there may be at most {_MOST_CLASSES}, found "
            f"{len(labels)}; bring the labels to fewer levels first"
        )
    return labels if len(labels) > 1 else np.append(labels, labels[0] + 1.0)
