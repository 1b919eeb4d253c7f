"""CuttingPlaneRanker: what rankers share whose convex objective cutting planes minimise."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.optimizers.cutting_plane import Risk, cutting_plane
from rankwise.rankers.ranker import Learned, Ranker, Training
from rankwise.rankers.training.relative_features import RelativeFeatures


class CuttingPlaneRanker(Ranker):
    """w · x of least λ/2 ‖w‖² + R(w), for a convex R of scores, to a proven gap.

    `search` says that cuts are made near the best point, as `cutting_plane` describes.
    """

    search: ClassVar[bool] = False

    # No fields here, which would come first: subclasses list these where their pages show them.
    gap: float
    rounds: int
    scale_large: bool

    @abstractmethod
    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        """λ, R, and facts about them."""

    def _learn(self, training: Training) -> Learned[Linear]:
        regularization, risk, facts = self._problem(training.train)
        features = RelativeFeatures.of(training.train, self.scale_large)
        found = cutting_plane(
            features,
            risk,
            regularization,
            gap=self.gap,
            rounds=self.rounds,
            search=self.search,
            watch=training.watch,
        )
        return Learned(Linear(features.plain_weights(found.weights)), {**found.facts(), **facts})
