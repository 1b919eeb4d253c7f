"""RankCosine: the cosine between scores and labels of every query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.cosine_boosting import boost_cosine
from rankwise.rankers.losses.discounted_gains import find_gain_measure, gains_of
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.followed_measure import FollowedMeasure
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankCosine(Ranker):
    """Minimise 1/|Q| Σ_q ½ (1 − g_q · H_q / (‖g_q‖ ‖H_q‖)), feature by feature.

    H_q are the scores w · x of the documents of query q, g_q what they should point to: the labels
    or their gains 2^y − 1. Each round adds the feature that lowers the loss most, by the length α
    that the paper derives (`cosine_boosting`). Q holds the queries with a relevant document. The
    round is chosen on validation, where equal scores count as what their order is expected to give.

    The paper leaves the weak rankers and g open: features as they are, and g chosen by validation,
    are guesses. Not `consistent-rankcosine`, whose g is divided by the ideal DCG.

    Qin, Zhang, Tsai, Wang, Liu, Li (2008). Query-level loss functions for information retrieval.
    Information Processing and Management 44.
    """

    name: ClassVar[str] = "rankcosine"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin et al. (2008), Information Processing and Management 44(2)"
    uses_measure: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("features are the weak rankers",)

    goal: str = parameter(
        "labels",
        "what scores should point to",
        grid=("labels", "gains"),
        choices=("labels", "gains"),
    )
    rounds: int = parameter(500, "features added at most", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        judged = train if validation is None else validation
        measure = TrainingMeasure.of(judged, self.measure, self.tool, ties="expected")
        judge = Judge(judged, FollowedMeasure(measure))
        goals = self._goals(train)
        return boost_cosine(
            train, goals, judge, rounds=self.rounds, patience=self.patience, watch=watch
        )

    def _goals(self, train: Dataset) -> Floats:
        """g_q / ‖g_q‖ of every query, 0 where g_q is."""
        goals = train.labels
        if self.goal == "gains":
            goals = gains_of(train, find_gain_measure("definition"))
        squares = np.add.reduceat(goals * goals, train.query_offsets[:-1])
        norms = np.sqrt(np.repeat(squares, train.query_lengths))
        return goals / np.where(norms > 0.0, norms, 1.0)
