"""PermuRank: perfect rankings before the others, by a margin, in a growing set of rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.ranking_hinge import RankingHinge
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Round, Watch, never_stop
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.followed_measure import FollowedMeasure
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.rounds import Judge
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class PermuRank(Ranker):
    """Minimise ‖w‖² / (2C) + 1/|Q| Σ_q mean (E(π*) − E(π)) [1 − (S(π*) − S(π))]₊ over π*, π.

    π* runs over perfect rankings of query q, π over others, both out of sets that grow. E is the
    measure, and S(π) = 1/(n (n − 1)) Σ w · (x_i − x_j) over the pairs with i above j in π: higher
    where higher scores come first. Each round finds w for the sets as they are, by cutting planes,
    and adds for each query the rankings that violate most: the one by falling scores, which has
    the highest S, and the perfect one with the lowest S. Training ends where none of
    them is new, and the round is chosen on validation.

    The sets begin with one ranking of each kind, drawn at random. `combination` takes the worst
    pair of rankings instead of the mean: with it, labels as noisy as OHSUMED's make w = 0 the best
    answer once the sets are large. Deviation: the paper ends with the last round, but what the
    most violated rankings teach swings from round to round. Not `svm-map`, which bounds AP by
    rescaled margins over all rankings at once.

    Xu, Liu, Lu, Li, Ma (2008). Directly optimizing evaluation measures in learning to rank. SIGIR.
    """

    name: ClassVar[str] = "permurank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Xu, Liu, Lu, Li and Ma (2008), SIGIR"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "which rankings the sets begin with",
        "the mean over the rankings of a query",
    )

    C: float = parameter(
        100.0,
        "what the mean hinge weighs beside ‖w‖²/2",
        grid=(10.0, 100.0, 1000.0),
        lowest=1e-9,
        highest=1e9,
    )
    combination: str = parameter(
        "mean", "over the rankings of a query: mean or worst", choices=("mean", "worst")
    )
    rounds: int = parameter(20, "how often rankings are added at most", lowest=1)
    gap: float = parameter(
        1e-3, "a round ends this near to the minimum of its objective", lowest=1e-10
    )
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )
    measure: str = parameter("MAP", "the measure E, which also chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        measure = TrainingMeasure.of(train, self.measure, self.tool)
        judge = self._judge(train, validation)
        features = RelativeFeatures.of(train, self.scale_large)
        hinge = RankingHinge.begin(train, measure, self.combination == "worst", rng)
        best, chosen, figure, number = Linear(np.zeros(train.n_features)), 0, -np.inf, 0
        while number < self.rounds:
            number += 1
            weights = self._minimum(features, hinge)
            scorer = Linear(features.plain_weights(weights))
            value = judge.value(scorer)
            if value > figure:
                best, chosen, figure = scorer, number, value
            scores = features.scores(weights)
            if watch(Round(number, self.rounds, hinge.at(scores)[0], value)):
                break
            before, hinge = hinge, hinge.grown(scores)
            if hinge is before:
                break
        return best, {"round": chosen, "rounds": number, "selection": float(figure)}

    def _judge(self, train: Dataset, validation: Dataset | None) -> Judge:
        """Equal scores count as what their order is expected to give: w = 0 earns nothing."""
        judged = train if validation is None else validation
        measure = TrainingMeasure.of(judged, self.measure, self.tool, ties="expected")
        return Judge(judged, FollowedMeasure(measure))

    def _minimum(self, features: RelativeFeatures, hinge: RankingHinge) -> NDArray[np.float64]:
        found = cutting_plane(
            features,
            hinge.at,
            1.0 / self.C,
            gap=self.gap,
            rounds=2000,
            search=True,
            watch=never_stop,
        )
        return found.weights
