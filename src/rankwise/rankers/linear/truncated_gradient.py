"""TGRank and RSRank follow a loss of pairs by truncated gradient steps.

TGRank's loss is the squared hinge on pairs; RSRank's pairs are weighted by what they matter to
NDCG.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.losses.lambdas import lambdas
from rankwise.rankers.losses.listwise import Loss, refuse_short_queries
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.first_order import TruncatedGradient, TruncationRules
from rankwise.rankers.parameters import convention, parameter, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Training, kept_facts
from rankwise.rankers.training.model_selection import Judge, batches, best_round
from rankwise.rankers.training.preferences import has_preference, refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures


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
    scale_large: bool = scale_large()
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    @abstractmethod
    def _loss(self, dataset: Dataset) -> Loss:
        """The loss of scores of these documents, some of which have different labels."""

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        steps = TruncatedGradient(
            [
                part
                for part in batches(train, self.queries_per_batch, training.rng)
                if has_preference(part)
            ],
            self._loss,
            RelativeFeatures.of(train, self.scale_large),
            TruncationRules(self.learning_rate, self.gravity, self.threshold, self.every),
            training.rng,
        )
        judge = Judge.of(training, self.measure, self.tool)
        found, facts = best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )
        return Learned(found, {**facts, **kept_facts(found.weights)})


@dataclass(frozen=True)
class TGRank(TruncatedGradientRanker):
    """w ← T(w − η ∇L, η g, θ), L = 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    P holds the pairs with y_i > y_j of the queries of a batch. T draws weights of at most θ
    towards 0, by K η g after every K steps, so that some are exactly 0. The round is chosen on
    validation.

    TGRank is known only as a method that FenchelRank's paper compares with; that it is the
    truncated gradient of Langford, Li and Zhang on the loss of that paper is a guess from its
    name, and so are batches and schedule. Not `ranksvm-primal`, which minimises the same loss with
    ‖w‖² and keeps all features, and not `rsrank`, whose pairs are weighted by NDCG.

    Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via an efficient primal-dual algorithm.
    IEEE Transactions on Computers 62. Langford, Li, Zhang (2009). Sparse online learning via
    truncated gradient. JMLR 10.
    """

    name: ClassVar[str] = "tgrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Liu, Lin and Wu (2013), IEEE Transactions on Computers 62(6)"
    guesses: ClassVar[tuple[str, ...]] = (
        "the name stands for the truncated gradient",
        "the squared hinge",
        "batches and schedule",
    )

    def _loss(self, dataset: Dataset) -> _MeanSquaredHinge:
        return _MeanSquaredHinge(PreferencePairs.of(dataset, self.name))


@dataclass(frozen=True, eq=False)
class _MeanSquaredHinge:
    pairs: PreferencePairs

    def at(self, scores: Floats) -> tuple[float, Floats]:
        found = self.pairs.squared_hinge(scores)
        return found.value, found.slopes


@dataclass(frozen=True)
class RSRank(TruncatedGradientRanker):
    """w ← T(w − η ∇L, η g, θ), L = 1/|Q| Σ_q Σ_{(i,j)} |ΔNDCG_ij| log(1 + exp(s_j − s_i)).

    (i, j) are the pairs of a query with y_i > y_j, s_i = w · x_i, and ΔNDCG_ij is what swapping
    the two in the ranking of the present w would change, held fixed in the gradient: the measure
    is reduced to a classification of pairs, each of its own importance. T draws weights of at most
    θ towards 0, by K η g after every K steps. The round is chosen on validation.

    The reduction and the sparse truncated steps are the paper's; the logistic loss and the
    schedule are guesses. Not `lambdarank`, whose weights are the same and whose model keeps every
    feature, and not `tgrank`, whose pairs all weigh the same.

    Sun, Qin, Tao, Wang (2009). Robust sparse rank learning for non-smooth ranking measures. SIGIR.
    """

    name: ClassVar[str] = "rsrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Sun, Qin, Tao and Wang (2009), SIGIR"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the logistic loss", "batches and schedule")

    learning_rate: float = parameter(
        0.3, "η, the length of the steps", grid=(0.3, 1.0), lowest=1e-9, highest=1e3
    )
    weighting: str = parameter("NDCG", "the measure whose changes weight the pairs: NDCG or MAP")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_short_queries(
            training.train, find_tool(self.tool).measure(self.weighting), self.name
        )
        return super()._learn(training)

    def _loss(self, dataset: Dataset) -> Loss:
        return lambdas(dataset, self.weighting, self.tool)
