"""What rankers share that follow a loss of pairs by truncated gradient steps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.optimizers.truncated_gradient import TruncatedGradient, TruncationRules
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.remarks import kept_facts
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import has_preference, refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.rounds import Judge, batches, best_round


@dataclass(frozen=True)
class TruncatedGradientRanker(Ranker):
    """A sparse linear function; the round is the one with the best `measure` on validation."""

    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "gravity"

    learning_rate: float = parameter(
        0.1, "η, the length of the steps", grid=(0.03, 0.1), lowest=1e-9, highest=1e3
    )
    gravity: float = parameter(
        1e-2,
        "g, how much a step draws weights to 0",
        grid=(1e-3, 1e-2, 3e-2),
        lowest=0.0,
        highest=1e3,
    )
    threshold: float = parameter(1e9, "θ, the size above which weights are left alone", lowest=0.0)
    every: int = parameter(1, "K, after how many steps weights are drawn to 0", lowest=1)
    queries_per_batch: int = parameter(10, "queries to a step; 0: all of them", lowest=0)
    rounds: int = parameter(200, "passes over the data at most", lowest=1)
    patience: int = parameter(30, "rounds without a better one after which training ends", lowest=1)
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    @abstractmethod
    def _loss(self, dataset: Dataset) -> Loss:
        """The loss of scores of these documents, some of which have different labels."""

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        training = TruncatedGradient(
            [part for part in batches(train, self.queries_per_batch, rng) if has_preference(part)],
            self._loss,
            RelativeFeatures.of(train, self.scale_large),
            TruncationRules(self.learning_rate, self.gravity, self.threshold, self.every),
            rng,
        )
        judge = Judge.of(train, validation, self.measure, self.tool)
        found, facts = best_round(
            training, judge, rounds=self.rounds, patience=self.patience, watch=watch
        )
        return found, {**facts, **kept_facts(found.weights)}
