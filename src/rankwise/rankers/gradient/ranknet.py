"""RankNet and LambdaRank follow the logistic loss of pairs, by a network or a linear function.

LambdaRank weights pairs by what swapping them would change in the measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network
from rankwise.rankers.gradient.gradient_ranker import BestStepRanker, GradientRanker, hidden_layers
from rankwise.rankers.losses.lambdas import LogisticPairs, lambdas
from rankwise.rankers.losses.listwise import Loss, refuse_short_queries
from rankwise.rankers.optimizers.first_order import LinearTraining
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family, Learned, Training
from rankwise.rankers.training.model_selection import Judge, batches, best_round
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True)
class RankNet(BestStepRanker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} log(1 + exp(s_j − s_i)) with early stopping on validation.

    P holds all pairs of documents of one query with y_i > y_j, for which the paper's target
    probability is 1; pairs of equal labels, whose target would be 1/2, are left out, as in the
    paper's experiments. s is a network of one to three hidden layers, or w · x.

    Deviations: Adam over whole batches of queries in place of steps pair by pair, which gives the
    same slopes at less cost; a linear function is trained by L-BFGS, and its best step chosen on
    validation just as a network's best round. λ/2 ‖w‖² is added to the loss.

    Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton, Hullender (2005). Learning to rank using
    gradient descent. ICML.
    """

    name: ClassVar[str] = "ranknet"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Burges et al. (2005), ICML"
    takes_start: ClassVar[bool] = True

    regularization: float = regularization(
        1e-3, "the mean over pairs", grid=(1e-3, 1e-2), highest=None
    )
    hidden_layers: str = hidden_layers(grid=("none", "10"))
    rounds: int = parameter(300, "rounds (steps, or passes over the data) at most", lowest=1)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> LogisticPairs:
        return LogisticPairs.of(dataset)


@dataclass(frozen=True)
class LambdaRank(GradientRanker):
    """Follow λ_i = Σ_{j: y_i > y_j} |ΔM_ij| σ(s_j − s_i) − Σ_{j: y_j > y_i} |ΔM_ij| σ(s_i − s_j).

    ΔM_ij is what the measure M would change by if i and j swapped their ranks, σ(x) = 1 / (1 +
    exp(−x)). The λ are not the slopes of any one function, so that both kinds of function (w · x,
    or a network) follow them by Adam, and the best round is chosen on validation. M is NDCG with
    any cut-off, as in the paper, or MAP after Donmez, Svore and Burges (2009).

    Deviations: Adam and a small λ ‖w‖² in place of plain stochastic steps. A `selection` other than
    M may choose the round. Not `lambdamart`, whose function is a sum of trees.

    Burges, Ragno, Le (2006). Learning to rank with nonsmooth cost functions. NIPS.
    """

    name: ClassVar[str] = "lambdarank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Burges, Ragno and Le (2006), NIPS"
    follows_tool: ClassVar[bool] = True

    regularization: float = parameter(
        1e-3, "λ, the weight of ‖w‖²/2", grid=(1e-3, 1e-1), lowest=0.0
    )
    learning_rate: float = parameter(
        0.05, "length of Adam's steps", grid=(0.01, 0.03, 0.1), lowest=1e-9, highest=10.0
    )
    rounds: int = parameter(200, "passes over the data at most", lowest=1)
    patience: int = parameter(50, "rounds without a better one after which training ends", lowest=1)
    measure: str = parameter("NDCG", "the measure M whose changes weight the pairs: NDCG or MAP")
    selection: str = parameter("MAP", "the measure that chooses the round")

    def _learn(self, training: Training) -> Learned[Linear | Network]:
        refuse_short_queries(training.train, find_tool(self.tool).measure(self.measure), self.name)
        return super()._learn(training)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> Loss:
        return lambdas(dataset, self.measure, self.tool)

    def _learn_linear(self, training: Training) -> Learned[Linear]:
        steps = LinearTraining(
            batches(training.train, self.queries_per_batch, training.rng),
            lambda part: self._loss(part, training.rng),
            RelativeFeatures.of(training.train, self.scale_large),
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=training.rng,
        )
        judge = self._judge(training)
        return best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )

    def _judge(self, training: Training) -> Judge:
        return Judge.of(training, self.selection, self.tool)
