"""What sparse linear rankers share that minimise the squared hinge on pairs with prices on weights.

These are SparseRank, FSMRank and MCP.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.pair_objective import PairObjective
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.remarks import kept_facts
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class ProximalRanker(Ranker):
    """A linear function, most of whose weights may be exactly 0."""

    gap: float = parameter(
        1e-7, "training ends this near to the minimum of the objective", lowest=1e-14
    )
    rounds: int = parameter(200, "Newton steps at most", lowest=1)
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        pairs = PreferencePairs.of(train, self.name)
        features = RelativeFeatures.of(train, self.scale_large)
        found = self._minimise(train, PairObjective(features, pairs), watch)
        facts = {**found.facts(), "pairs": pairs.total, **kept_facts(found.weights)}
        return Linear(features.plain_weights(found.weights)), facts

    @abstractmethod
    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        """The weights for features as the objective has them."""
