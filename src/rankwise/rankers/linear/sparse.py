"""Sparse linear functions on few of the features: SparseRank, MCP, FSMRank, FSM-SVM and GAS-E.

SparseRank, MCP and FSMRank minimise the squared hinge on pairs with prices on weights: the ℓ1 norm
(SparseRank), the minimax concave penalty (MCP), or what features tell alone and their likeness
(FSMRank). FSM-SVM and GAS-E select features first and rank by RankSVM on these: those that FSMRank
keeps (FSM-SVM), or those chosen greedily by importance and unlikeness (GAS-E).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.feature_selection.selection import choose_features
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.losses.pairs import PairObjective, PreferencePairs
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.optimizers.proximal import Prices, proximal_gradient, proximal_newton
from rankwise.rankers.parameters import convention, parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import (
    Family,
    Learned,
    Ranker,
    Round,
    Training,
    Watch,
    kept_facts,
    never_stop,
)
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class ProximalRanker(Ranker):
    """A linear function, most of whose weights may be exactly 0."""

    gap: float = tol(1e-7)
    rounds: int = parameter(200, "Newton steps at most", lowest=1)
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Linear]:
        pairs = PreferencePairs.of(training.train, self.name)
        features = RelativeFeatures.of(training.train, self.scale_large)
        found = self._minimise(training.train, PairObjective(features, pairs), training.watch)
        facts = {**found.facts(), "pairs": pairs.total, **kept_facts(found.weights)}
        return Learned(Linear(features.plain_weights(found.weights)), facts)

    @abstractmethod
    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        """The weights for features as the objective has them."""


@dataclass(frozen=True)
class SparseRank(ProximalRanker):
    """Minimise λ ‖w‖₁ + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    P holds all pairs of documents of one query with y_i > y_j. The larger λ, the fewer features
    have a weight. How near to the minimum training ends is proven.

    Deviation: the paper goes by gradient steps of its own, here proximal Newton steps find the
    minimum of the same problem. Not `fenchelrank`, which bounds ‖w‖₁ instead of pricing it and
    stops early, and not `ranksvm-primal`, whose ‖w‖² keeps every feature.

    Lai, Pan, Tang, Liu (2013). Efficient gradient descent algorithm for sparse models with
    application in learning-to-rank. Knowledge-Based Systems 49.
    """

    name: ClassVar[str] = "sparserank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Tang and Liu (2013), Knowledge-Based Systems 49"
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "regularization"

    regularization: float = regularization(
        1e-3,
        "the mean over pairs",
        norm="‖w‖₁",
        grid=(3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1),
    )

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        prices = Prices.equal(np.full(train.n_features, self.regularization))
        start = np.zeros(train.n_features)
        return proximal_newton(
            objective, prices, start, gap=self.gap, rounds=self.rounds, watch=watch
        )


@dataclass(frozen=True)
class MCP(ProximalRanker):
    """Minimise Σ_k p(|w_k|) + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    p(u) = λu − u² / (2γ) for u ≤ γλ and γλ² / 2 beyond: a large weight costs no more than one of
    size γλ, so that fewer features do the work than under `sparserank`, whose price grows for
    ever. The problem is not convex. As in the paper, a row of convex ones is solved, in each of
    which weight k costs p'(|w_k|) = max(0, λ − |w_k| / γ) times its size, w being the solution
    before; the first is that of `sparserank`. The objective falls from one to the next; where it
    ends is a local minimum, of which no gap is proven.

    Laporte, Flamary, Canu, Déjean, Mothe (2014). Nonconvex regularizations for feature selection
    in ranking with sparse SVM. IEEE Transactions on Neural Networks and Learning Systems 25.
    """

    name: ClassVar[str] = "mcp"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = (
        "Laporte, Flamary, Canu, Déjean and Mothe (2014), IEEE Transactions on Neural Networks and "
        "Learning Systems 25(6)"
    )
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "regularization"

    regularization: float = parameter(
        1e-2,
        "λ, the price of a small weight beside the mean over pairs",
        grid=(3e-3, 1e-2, 3e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )
    concavity: float = parameter(
        30.0,
        "γ, weights above γλ cost no more than one of γλ",
        grid=(1.0, 3.0, 30.0, 300.0),
        lowest=1e-6,
        highest=1e9,
    )
    reweightings: int = parameter(10, "convex problems at most", lowest=1)
    slope: float = parameter(
        1e-7,
        "a convex problem also ends where the conditions of a minimum are missed by no more",
        lowest=1e-12,
    )

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        weights = np.zeros(train.n_features)
        value, steps = np.inf, 0
        for number in range(1, self.reweightings + 1):
            found = proximal_newton(
                objective,
                Prices.equal(self._prices(weights)),
                weights,
                gap=self.gap,
                rounds=self.rounds,
                watch=never_stop,
                slope=self.slope,
            )
            steps += found.rounds
            reached = objective(found.weights).value + self.penalty(found.weights)
            if reached >= value:
                break
            weights, before, value = found.weights, value, reached
            if (
                watch(Round(number, self.reweightings, training=value))
                or before - value <= self.gap
            ):
                break
        return Optimum(weights, float(value), np.inf, steps)

    def penalty(self, weights: Floats) -> float:
        """Σ_k p(|w_k|)."""
        sizes = np.minimum(np.abs(weights), self.concavity * self.regularization)
        return float((self.regularization * sizes - sizes**2 / (2.0 * self.concavity)).sum())

    def _prices(self, weights: Floats) -> Floats:
        """p'(|w_k|)."""
        return np.maximum(0.0, self.regularization - np.abs(weights) / self.concavity)


# A feature that is worth less costs as if it were worth this much.
_LEAST_IMPORTANCE = 1e-3


@dataclass(frozen=True)
class FSMRank(ProximalRanker):
    """Minimise λ₁/2 w·Aw + λ₂ Σ_k w_k / s_k + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    Every feature x stands beside its negative −x, and w ≥ 0. P holds all pairs of documents of one
    query with y_i > y_j. A_kl is the correlation of features k and l over the training documents,
    which makes it expensive to keep like features; s_k is the mean `measure` of ranking the
    training queries by feature k alone, ties counted as in the mean of their orders. As A of x and
    −x has the opposite sign, and no minimum keeps both, this is solved with one weight of either
    sign for the two, by the paper's accelerated proximal steps. As in the paper these end where
    the objective changes little, before all weights that a minimum has not are 0: how far from the
    minimum that can be is told as the gap, and `tolerance` 0 goes on to the minimum.

    The paper's framework takes any measures of importance and similarity; those of its experiments
    are not known to us, nor is its tolerance. Not `sparserank`, in which all features cost the
    same.

    Lai, Pan, Tang, Yu (2013). FSMRank: feature selection algorithm for learning to rank. IEEE
    Transactions on Neural Networks and Learning Systems 24.
    """

    name: ClassVar[str] = "fsmrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = (
        "Lai, Pan, Tang and Yu (2013), IEEE Transactions on Neural Networks and Learning Systems "
        "24(6)"
    )
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "importance is a feature's measure alone",
        "similarity is the correlation with its sign",
        "the tolerance",
    )
    sparsity: ClassVar[str | None] = "regularization"

    rounds: int = parameter(1000, "T, proximal steps at most", lowest=1)
    similarity: float = parameter(
        1e-2,
        "λ₁, the weight of likeness",
        grid=(1e-4, 1e-3, 1e-2, 1e-1),
        lowest=0.0,
        highest=1e9,
    )
    regularization: float = parameter(
        1e-3,
        "λ₂, the weight of what features cost by their importance",
        grid=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2),
        lowest=1e-9,
        highest=1e9,
    )
    tolerance: float = parameter(
        1e-5,
        "training also ends where a step lowers the objective by no more than this part of it",
        lowest=0.0,
        highest=1.0,
    )
    measure: str = parameter("MAP", "the measure that tells the importance of a feature")
    tool: str = convention()

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        alike = correlations(train.features)
        rising, falling = self._importance(train)
        return proximal_gradient(
            replace(objective, quadratic=self.similarity * alike),
            Prices(self.regularization / rising, self.regularization / falling),
            np.zeros(train.n_features),
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
            tolerance=self.tolerance,
        )

    def _importance(self, train: Dataset) -> tuple[Floats, Floats]:
        """The measure of ranking by each feature, and by its negative."""
        measure = TrainingMeasure.of(train, self.measure, self.tool, ties="expected")
        columns = np.ascontiguousarray(train.features.T)
        above, below = (measure.figures(measure.values(scores)) for scores in (columns, -columns))
        return np.maximum(above, _LEAST_IMPORTANCE), np.maximum(below, _LEAST_IMPORTANCE)


def correlations(features: Floats) -> Floats:
    """(features, features) Pearson's correlations; those of a constant feature are 0."""
    centred = features - features.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    units = centred / np.where(lengths > 0.0, lengths, 1.0)
    # Not a product of matrices: its order of summation may depend on the number of threads.
    products: Floats = np.einsum("ik,il->kl", units, units)
    return products


@dataclass(frozen=True)
class FSMSVM(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))², w_k = 0 unless kept.

    P holds all pairs of documents of one query with y_i > y_j. Kept are the features to which
    `fsmrank`, with λ₁ and λ₂, gives a weight; the weights themselves are those of RankSVM, without
    a price on their size. That all of FSMRank's features are kept is a guess.

    Lai, Pan, Tang, Yu (2013). FSMRank: feature selection algorithm for learning to rank. IEEE
    Transactions on Neural Networks and Learning Systems 24.
    """

    name: ClassVar[str] = "fsm-svm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = FSMRank.paper
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (*FSMRank.guesses, "all features with a weight are kept")
    sparsity: ClassVar[str | None] = "price"

    similarity: float = parameter(
        1e-2, "λ₁, the weight of likeness in FSMRank", grid=(1e-3, 1e-1), lowest=0.0, highest=1e9
    )
    price: float = parameter(
        1e-3,
        "λ₂, the weight of what features cost in FSMRank",
        grid=(3e-4, 1e-3, 3e-3, 1e-2),
        lowest=1e-9,
        highest=1e9,
    )
    regularization: float = regularization(
        0.1, "the mean over pairs in RankSVM", grid=(1e-3, 1e-2, 1e-1)
    )
    measure: str = parameter("MAP", "the measure that tells the importance of a feature")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        filtering = FSMRank(
            similarity=self.similarity,
            regularization=self.price,
            measure=self.measure,
            tool=self.tool,
        )
        found, facts = filtering._learn(training.on(training.train))
        if training.watch(Round(1, 2)):
            return Learned(found, facts)
        learned = ranksvm_on(training.train, np.flatnonzero(found.weights), self.regularization)
        training.watch(Round(2, 2))
        return learned


@dataclass(frozen=True)
class GASE(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))², w_k = 0 unless chosen.

    P holds all pairs of documents of one query with y_i > y_j. t features are chosen, one after
    the other: always that of greatest worth v_k, whereupon v_l ← v_l − 2c e_kl for all others. At
    first v_k is the `measure` (the E of the name, for evaluation; -L would be a loss) of ranking
    the training queries by feature k alone, in the better direction; e_kl is Kendall's τ between
    the rankings by k and by l, averaged over queries.

    The same choice as `rankwise features select --method gas`, where the ranker is free. e is the
    absolute τ-b, as a feature that ranks in the opposite order says the same. The paper's RankSVM
    is here `ranksvm-primal`.

    Geng, Liu, Qin, Li (2007). Feature selection for ranking. SIGIR.
    """

    name: ClassVar[str] = "gas-e"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Geng, Liu, Qin and Li (2007), SIGIR"
    follows_tool: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "keep"

    keep: int = parameter(
        20, "t, how many features; all where there are fewer", grid=(5, 10, 20, 30), lowest=1
    )
    similarity_weight: float = parameter(
        0.01,
        "c, how much being like a chosen feature counts against one",
        grid=(0.0, 0.01, 0.1),
        lowest=0.0,
        highest=1e9,
    )
    regularization: float = regularization(0.1, "the mean over pairs", grid=(1e-3, 1e-2, 1e-1))
    measure: str = parameter("MAP", "the measure that tells the importance of a feature")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        chosen = choose_features(
            train,
            "gas",
            min(self.keep, train.n_features),
            measure=self.measure,
            tool=self.tool,
            similarity_weight=self.similarity_weight,
        )
        kept = np.sort(np.array(chosen.features, dtype=np.int64))
        learned = ranksvm_on(train, kept, self.regularization)
        training.watch(Round(1, 1))
        return learned


def ranksvm_on(train: Dataset, kept: Integers, regularization: float) -> Learned[Linear]:
    """`ranksvm-primal` on the features of these numbers; all others have weight 0."""
    weights = np.zeros(train.n_features)
    if len(kept) == 0:
        return Learned(Linear(weights), kept_facts(weights))
    part = train.with_features(np.ascontiguousarray(train.features[:, kept]))
    found, facts = RankSVMPrimal(regularization=regularization)._learn(Training(part))
    weights[kept] = found.weights
    return Learned(Linear(weights), {**facts, **kept_facts(weights)})
