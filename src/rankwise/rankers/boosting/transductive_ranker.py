"""RankBoost with features of the query at hand: what Kernel-PCA and SVD have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.exponential_loss import ExponentialLoss
from rankwise.rankers.boosting.projected_boosting import ProjectedBoosting, bare_dataset
from rankwise.rankers.boosting.stump_boosting import StumpRules, boost_stumps
from rankwise.rankers.boosting.thresholds import MOST_THRESHOLDS
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Round, Watch, never_stop
from rankwise.rankers.training.label_levels import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class TransductiveBoostingRanker(Ranker):
    """A ranker that differs from others of its kind only in the projection."""

    uses_measure: ClassVar[bool] = True

    components: int = parameter(5, "projections of a query's documents at most", lowest=1)
    rounds: int = parameter(150, "rounds at most; how many is chosen on validation", lowest=1)
    thresholds: int = parameter(
        MOST_THRESHOLDS, "equally spaced thresholds a feature", lowest=1, highest=MOST_THRESHOLDS
    )
    measure: str = parameter("MAP", "the measure that chooses the number of rounds")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    @abstractmethod
    def _projection(self) -> str:
        """What makes the new features."""

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[ProjectedBoosting, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        rules = StumpRules(self.rounds, self.thresholds, self.measure, self.tool)
        loss = ExponentialLoss(LabelLevels.of(train))
        plain, _ = boost_stumps(train, None, loss, rules, never_stop)
        scorer = ProjectedBoosting(
            bare_dataset(train.features, train.labels, train.query_lengths),
            plain,
            self._projection(),
            self.components,
            self.rounds,
            self.thresholds,
        )
        if validation is None:
            watch(Round(1, 1))
            return scorer, {"round": self.rounds, "rounds": self.rounds}
        return self._chosen(scorer, validation, watch)

    def _chosen(
        self, scorer: ProjectedBoosting, validation: Dataset, watch: Watch
    ) -> tuple[ProjectedBoosting, dict[str, Any]]:
        """With the number of rounds that is best on validation, the first among equals.

        Each validation query has a training of its own; a watch that stops leaves those before it.
        """
        found = []
        for number, query in enumerate(validation.queries(), 1):
            found.append(scorer.by_round(query.features))
            if watch(Round(number, validation.n_queries)):
                break
        seen = validation.select_queries(slice(0, len(found)))
        measure = TrainingMeasure.of(seen, self.measure, self.tool, ties="expected")
        figures = measure.figures(measure.values(np.hstack(found)))
        best = int(np.argmax(figures))
        facts = {"round": best + 1, "rounds": self.rounds, "selection": float(figures[best])}
        return replace(scorer, rounds=best + 1), facts
