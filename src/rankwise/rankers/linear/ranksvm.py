"""Ranking SVMs minimise a hinge on pairs of documents: RankSVM, RankSVM-Struct, RankSVM-Primal.

RankSVM minimises the hinge, to the optimum; RankSVM-Struct the hinge with one slack for all pairs,
as in SVM-rank; RankSVM-Primal the squared hinge, by truncated Newton.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.linear.cutting_plane_ranker import CuttingPlaneRanker
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHingePoint
from rankwise.rankers.optimizers.cutting_plane import Risk
from rankwise.rankers.optimizers.newton import truncated_newton
from rankwise.rankers.parameters import parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import Family, Learned, Ranker, Training, Watch
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.warm_start import add_weights, linear_start


@dataclass(frozen=True)
class RankSVM(CuttingPlaneRanker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j)).

    P holds all pairs of documents of one query with y_i > y_j. This is optimisation problem 1 of
    the paper with a linear kernel, divided by C|P|: λ = 1 / (C |P|) means the same on data of any
    size. LETOR's baseline was SVM-light with a limit on its iterations (-# 5000), so it stands
    where that gave up; here the minimum is reached to a proven gap, by optimised cutting planes
    over the sum of all pairs. Where queries have weights v, a pair weighs v_q / Σ_q v_q |P_q|
    instead of 1/|P|. The same objective as `ranksvm-struct` with equal weights, solved
    closer; `ranksvm-primal` squares the hinge.

    Joachims (2002). Optimizing search engines using clickthrough data. KDD 2002.
    """

    name: ClassVar[str] = "ranksvm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Joachims (2002), KDD"
    takes_sparse: ClassVar[bool] = True
    search: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True

    regularization: float = regularization(
        0.01, "the mean over pairs", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    )
    gap: float = tol(1e-5, lowest=1e-10)
    rounds: int = parameter(1000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        pairs = PreferencePairs.of(train, self.name)
        return self.regularization, pairs.hinge, {"pairs": pairs.total}


@dataclass(frozen=True)
class RankSVMStruct(CuttingPlaneRanker):
    """Minimise λ/2 ‖w‖² + ξ over w and ξ ≥ 0, with one constraint for each c ∈ {0, 1}^P:

        Σ_{(i,j) ∈ P} v_ij c_ij w · (x_i − x_j) ≥ Σ_{(i,j) ∈ P} v_ij c_ij − ξ.

    P holds all pairs of documents of one query with y_i > y_j. This is the paper's structural
    formulation of ordinal regression, with pairs within queries only, solved by its cutting plane
    algorithm: the most violated c takes all pairs with w · (x_i − x_j) < 1. Pairs weigh
    v_ij = 1/|P| (`weighting` "pairs", SVM-rank's -l 1), or 1/(|Q| |P_q|) ("queries", its -l 2)
    where Q are the queries with pairs; where queries have weights, these are multiplied by them and
    made to sum to 1 again. SVM-rank's C for |Q| queries is |Q| / (λ |P|) with equal
    weights; its ε is `gap`. The minimum is then that of `ranksvm`, which is solved closer to it.

    Joachims (2006). Training linear SVMs in linear time. KDD 2006.
    """

    name: ClassVar[str] = "ranksvm-struct"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Joachims (2006), KDD"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True

    regularization: float = regularization(0.01, "the slack", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0))
    weighting: str = parameter(
        "pairs",
        "what weighs the same: all pairs, or all queries",
        grid=("pairs",),
        choices=("pairs", "queries"),
    )
    gap: float = tol(1e-3, lowest=1e-10)
    rounds: int = parameter(2000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        pairs = PreferencePairs.of(train, self.name, self.weighting)
        return self.regularization, pairs.hinge, {"pairs": pairs.total}


@dataclass(frozen=True)
class RankSVMPrimal(Ranker):
    """Minimise λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    P holds all pairs of documents of one query with y_i > y_j. This is equation (1) of the paper
    with the squared hinge, divided by C|P|: λ = 1 / (C |P|) means the same on data of any size.
    Value, gradient and Hessian products come from sorted sums over documents, so that no pair is
    ever listed. Where queries have weights v, a pair weighs v_q / Σ_q v_q |P_q| instead of 1/|P|.
    Training that starts from weights w₀ has the penalty λ/2 ‖w − w₀‖². The minimum is unique; how
    near to it training ends is proven. Not `ranksvm`, whose hinge is not squared.

    Chapelle, Keerthi (2010). Efficient algorithms for ranking with SVMs. Information Retrieval 13.
    """

    name: ClassVar[str] = "ranksvm-primal"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Chapelle and Keerthi (2010), Information Retrieval 13(3)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True

    regularization: float = regularization(
        0.1, "the mean over pairs", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    gap: float = tol(1e-7)
    rounds: int = parameter(100, "Newton steps at most", lowest=1)
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Linear]:
        train, start = training.train, training.start
        if start is None:
            weights, facts = self._minimise(train, None, training.watch)
            return Learned(Linear(weights), facts)
        begin = linear_start(start, self.name)
        change, facts = self._minimise(train, begin.score_dataset(train), training.watch)
        return Learned(add_weights(begin, change), facts)

    def _minimise(
        self, train: Dataset, reached: Floats | None, watch: Watch
    ) -> tuple[Floats, dict[str, Any]]:
        """The weights to add to a function with the scores `reached`, none being 0."""
        pairs = PreferencePairs.of(train, self.name)
        features = RelativeFeatures.of(train, self.scale_large)

        def objective(weights: Floats) -> SquaredHingePoint:
            return SquaredHingePoint.at(weights, features, pairs, self.regularization, reached)

        found = truncated_newton(
            objective,
            np.zeros(train.n_features),
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
        )
        facts = {**found.facts(), "pairs": pairs.total}
        return features.plain_weights(found.weights), facts
