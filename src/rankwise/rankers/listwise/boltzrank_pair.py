"""BoltzRank with potentials of pairs: a document is scored beside the others of its query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.pair_potentials_training import PairPotentialsTraining
from rankwise.rankers.losses.discounted_gains import find_gain_measure
from rankwise.rankers.losses.sampled_rankings import RankingDistribution
from rankwise.rankers.optimizers.quasi_newton import quasi_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch, never_stop
from rankwise.rankers.scorers.pair_potentials import PairPotentials
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.rounds import Judge, best_round

# The start needs no more than to be good.
_GAP = 1e-6
_STEPS = 200


@dataclass(frozen=True)
class BoltzRankPair(Ranker):
    """Maximise 1/|Q| Σ_q [μ Σ_R p(R) NDCG(R) − (1 − μ) Σ_R t(R) log(t(R) / p(R))] − λ/2 ‖weights‖².

    Rankings R, their chances p and the target t are those of `boltzrank-single`, but a score also
    depends on the other documents of the query, in training and afterwards:

        s_i = w · x_i + 1/(n − 1) Σ_{k ≠ i} ψ(x_i, x_k),    ψ(x, y) = Σ_h a_h tanh(v_h · (x − y)),

    for the n documents of a query; ψ(x, y) = −ψ(y, x). Features are standardised. Training begins
    at the minimum of BoltzRank-Single's objective with a = 0; Adam follows the slopes, and the best
    round is chosen on validation.

    The form is the paper's. Guesses beyond those of `boltzrank-single`: the network of ψ, the mean
    over the other documents in place of the sum, which gives lists of all lengths one scale, and
    the start.

    Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
    """

    name: ClassVar[str] = "boltzrank-pair"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs and Zemel (2009), ICML"
    follows_tool: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "how rankings are drawn",
        "the sharpness of the target",
        "the network of the pairs",
        "the mean over pairs in place of the sum",
        "the start at BoltzRank-Single",
    )

    hidden: int = parameter(5, "hidden units of ψ", lowest=1, highest=4096)
    regularization: float = parameter(
        1e-3, "λ, the weight of ‖weights‖²/2 beside the mean over queries", lowest=0.0
    )
    share: float = parameter(0.5, "μ, what the expected NDCG counts", lowest=0.0, highest=1.0)
    sharpness: float = parameter(
        1.0, "τ, how sharply the target prefers the order of the labels", lowest=0.0
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)
    learning_rate: float = parameter(0.005, "length of Adam's steps", lowest=1e-9, highest=10.0)
    rounds: int = parameter(100, "steps at most", lowest=1)
    patience: int = parameter(20, "rounds without a better one after which training ends", lowest=1)
    start_regularization: float = parameter(
        1e-2, "λ of the objective whose minimum is the start", grid=(1e-2, 1e-1), lowest=1e-9
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[PairPotentials, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        find_tool(self.tool).measure(self.measure)
        measure = find_gain_measure(self.tool)
        loss = RankingDistribution.towards_labels(
            train, measure, self.samples, self.sharpness, self.share, rng
        )
        features = RelativeFeatures.of(train, scale_large=True)
        start = quasi_newton(
            loss, features, self.start_regularization, gap=_GAP, rounds=_STEPS, watch=never_stop
        )
        training = PairPotentialsTraining(
            train,
            loss,
            features.plain_weights(start.weights),
            self.hidden,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=rng,
        )
        judge = Judge.of(train, validation, self.measure, self.tool)
        return best_round(training, judge, rounds=self.rounds, patience=self.patience, watch=watch)
