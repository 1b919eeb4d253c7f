"""SmoothRank: NDCG made smooth, climbed while it becomes ever less smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.native.sums import dot
from rankwise.rankers.gradient.gradient_ranker import scaled_minimum, start_losses, starts
from rankwise.rankers.losses.listwise import DiscountedGains, refuse_short_queries
from rankwise.rankers.optimizers.lbfgs import minimise
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures

_smoothed_gains = function(
    "rankwise_smoothed_gains", DOUBLES, INT64S, INT64, DOUBLES, DOUBLES, INT64, DOUBLE,
    DOUBLES_OUT, INT64S_OUT, DOUBLES_OUT, INT64, DOUBLES_OUT, returns=DOUBLE,
)  # fmt: skip

_WIDEST = 2.0**4


@dataclass(frozen=True)
class SmoothRank(Ranker):
    """Maximise 1/|Q| Σ_q Σ_{j ≤ k} d(j) Σ_i g(y_i) h_ij(σ) / ideal_q − λ ‖w − w_0‖² as σ falls.

    s_i = w · x_i, t_j is the j-th largest score of the query, and h_ij(σ) = exp(−(s_i − t_j)²/σ) /
    Σ_l exp(−(s_l − t_j)²/σ) is how much document i holds rank j; as σ → 0 the sum becomes NDCG@k.
    Gains g, discounts d and the ideal are the tool's. Starting at w_0, σ falls from 2^4 by halves;
    for each σ some steps of L-BFGS start where those for the σ before ended. Slopes treat the
    order of the documents as fixed, as in the paper.

    Deviations: the paper starts from least squares on the gains; here two more starts (the minima
    of ListNet's and of RankNet's losses) are tried, each scaled so that scores deviate by 1 within
    queries, which gives σ one meaning for all of them. L-BFGS replaces conjugate gradients. Start
    and σ (or no σ: the start itself) are those with the best `measure` on validation, on training
    data where there is none.

    Chapelle, Wu (2010). Gradient descent optimization of smoothed information retrieval metrics.
    Information Retrieval 13.
    """

    name: ClassVar[str] = "smoothrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Chapelle and Wu (2010), Information Retrieval 13(3)"
    takes_sparse: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True

    regularization: float = parameter(
        1e-2,
        "λ, the weight of the squared distance from the start",
        grid=(1e-3, 1e-2, 1e-1, 1.0),
        lowest=0.0,
    )
    cutoff: int = parameter(10, "k: how many ranks of NDCG are smoothed", lowest=1)
    starts: int = starts(3)
    start_regularization: float = parameter(
        1e-2, "the weight of ‖w‖²/2 in the objectives of the starts", lowest=1e-9
    )
    halvings: int = parameter(10, "how often σ is halved, from 2^4", lowest=0, highest=40)
    steps: int = parameter(15, "steps of L-BFGS for each σ", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses start and σ")
    tool: str = parameter("definition", "whose gains, discounts and measure are followed")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        judge = Judge.of(training, self.measure, self.tool)
        total = self.starts * (self.halvings + 2)
        judged: list[tuple[float, _Stage]] = []
        for stage in self._stages(training.train):
            figure = judge.value(stage.scorer)
            judged.append((figure, stage))
            if training.watch(Round(len(judged), total, stage.smoothed, figure)):
                break
        best, chosen = max(judged, key=lambda pair: pair[0])
        return Learned(chosen.scorer, {**chosen.facts(), "rounds": len(judged), "selection": best})

    def _stages(self, train: Dataset) -> Iterator[_Stage]:
        """Every start, and after it the weights that each σ leads to."""
        measure = find_tool(self.tool).measure(f"NDCG@{self.cutoff}")
        refuse_short_queries(train, measure, self.name)
        features = RelativeFeatures.of(train, scale_large=True)
        gains = DiscountedGains.of(train, measure)
        for name, loss in start_losses(train, measure)[: self.starts]:
            start = scaled_minimum(loss, features, self.start_regularization)
            climb = _Climb(features, gains, start, self.regularization)
            weights = start
            yield climb.stage(weights, name, None)
            for halving in range(self.halvings + 1):
                width = _WIDEST / 2.0**halving
                weights = minimise(climb.objective(width), weights, rounds=self.steps)
                yield climb.stage(weights, name, width)


@dataclass(frozen=True, eq=False)
class _Stage:
    """Weights on the way: where they started, the σ they are for, what smoothed NDCG they have."""

    scorer: Linear
    start: str
    width: float | None
    smoothed: float

    def facts(self) -> dict[str, Any]:
        return {"start": self.start, "sigma": self.width, "smoothed": self.smoothed}


@dataclass(frozen=True, eq=False)
class _Climb:
    """The way up from one start."""

    features: RelativeFeatures
    gains: DiscountedGains
    start: Floats
    regularization: float

    def objective(self, width: float) -> Callable[[Floats], tuple[float, Floats]]:
        """What L-BFGS makes small for one σ: λ ‖w − w_0‖² less the smoothed NDCG."""

        def at(weights: Floats) -> tuple[float, Floats]:
            value, slopes = self._smoothed(weights, width)
            away = weights - self.start
            gradient = 2.0 * self.regularization * away - self.features.combine(slopes)
            return self.regularization * dot(away, away) - value, gradient

        return at

    def stage(self, weights: Floats, start: str, width: float | None) -> _Stage:
        scorer = Linear(self.features.plain_weights(weights))
        smoothed, _ = self._smoothed(weights, _WIDEST if width is None else width)
        return _Stage(scorer, start, width, smoothed)

    def _smoothed(self, weights: Floats, width: float) -> tuple[float, Floats]:
        offsets = self.features.query_offsets
        total, slopes = smoothed_gains(self.features.scores(weights), offsets, self.gains, width)
        return total / (len(offsets) - 1), slopes / (len(offsets) - 1)


def smoothed_gains(
    scores: Floats, query_offsets: Integers, gains: DiscountedGains, width: float
) -> tuple[float, Floats]:
    """Σ_q Σ_j d(j) Σ_i g_i h_ij, and its slopes in the scores.

    h_ij = exp(−(s_i − t_j)² / σ) / Σ_k exp(−(s_k − t_j)² / σ), t_j the j-th largest score of the
    query, for the first ranks j; σ is `width`.
    """
    queries, longest = len(query_offsets) - 1, int(np.diff(query_offsets).max(initial=0))
    slopes = np.zeros(len(scores))
    keys, rows = np.empty(2 * longest), np.empty(2 * longest, dtype=np.int64)
    total = _smoothed_gains(
        scores, query_offsets, queries, gains.gains, gains.discounts, gains.cutoff, width,
        keys, rows, np.empty(longest), longest, slopes,
    )  # fmt: skip
    return total, slopes
