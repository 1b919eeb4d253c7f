"""What rankers share whose trees follow a loss of their own, which LightGBM does not have."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.trees.lightgbm_training import Gradients, Growth, grow_trees


@dataclass(frozen=True)
class OwnGradientRanker(Ranker):
    """F_t = F_{t−1} + η v_t, v_t a regression tree of the slopes of a loss at F_{t−1}.

    Trees are grown best first to `leaves` leaves on binned features (LightGBM), each leaf holding
    the Newton step −Σ slopes / Σ second derivatives. F_0 = 0. The round is chosen by `measure` on
    validation.
    """

    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(300, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(50, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = parameter(
        0.1, "η, the share of each tree that is added", lowest=1e-6, highest=1.0
    )
    leaves: int = parameter(7, "leaves of a tree at most", grid=(4, 10), lowest=2, highest=131072)
    leaf_documents: int = parameter(50, "documents that a leaf must hold", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    @abstractmethod
    def _gradients(self, train: Dataset) -> Gradients:
        """Slopes and second derivatives of the loss in the scores of these documents."""

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        settings = {
            "objective": "none",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
        }
        growth = Growth(
            self.name,
            settings,
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            self._gradients(train),
        )
        return grow_trees(train, validation, growth, watch)
