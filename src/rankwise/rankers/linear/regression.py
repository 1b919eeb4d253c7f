"""Linear functions by least squares: Linear Regression, Ridge Regression, ListReg and RankRLS.

Linear Regression fits the labels, Ridge Regression with a penalty on the weights; in ListReg every
query counts the same; RankRLS fits the differences between documents of one query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.optimizers.least_squares import regress
from rankwise.rankers.parameters import convention, parameter, regularization, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.preferences import (
    refuse_equal_labels,
    weigh_by_pairs,
    weigh_queries_equally,
)
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.training.warm_start import add_weights, linear_start

# b of g(y) = (b^y − 1) / (b − 1): how much a step of the label is worth beside the one before.
STEPS = {"plain": 1.0, "gain": 2.0, "binary": 0.0, "flat": 0.5, "steep": 4.0}


@dataclass(frozen=True)
class LinearRegression(Ranker):
    """Minimise Σ_i (w · x_i + c − g(y_i))² over all documents of all queries.

    Where documents have weights v, each square counts v_i times.

    With `label_mapping` plain, g(y) = y, this is LETOR's baseline. The others of the family
    g(y) = (b^y − 1) / (b − 1) are gain, b = 2, which is 2^y − 1; binary, b = 0, which is [y > 0]
    on whole labels; flat, b = 1/2; steep, b = 4. `chosen` takes the one whose function has the
    best `measure` on validation (on training data where there is none), plain first among equals.

    The minimiser is not unique where features are constant or depend on one another; the w of
    least norm is taken. `centre_in_query` subtracts the query's mean from features and labels,
    which no ranking can use; it ranks better and is no longer the published method. Features
    whose standard deviation exceeds 1 are divided by it while solving, and the weights scaled
    back: only which of several minimisers is taken can depend on it.

    Qin, Liu, Xu, Li (2010). LETOR: A benchmark collection for research on learning to rank for
    information retrieval. Information Retrieval 13.
    """

    name: ClassVar[str] = "linear-regression"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Qin, Liu, Xu and Li (2010), Information Retrieval 13(4)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    label_mapping: str = parameter(
        "plain",
        "what the labels are mapped to, or chosen: the best of these on validation",
        choices=(*STEPS, "chosen"),
    )
    centre_in_query: bool = parameter(False, "subtract the query's mean from features and labels")
    measure: str = parameter("MAP", "the measure that chooses the label mapping")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        # A misspelt name is told even where the mapping is given.
        find_tool(self.tool).measure(self.measure)
        if self.label_mapping != "chosen":
            return self._fitted(training.train, self.label_mapping)
        judged = training.judged
        measure = TrainingMeasure.of(judged, self.measure, self.tool)
        fitted = {mapping: self._fitted(training.train, mapping) for mapping in STEPS}
        values = {
            name: measure.mean(found[0].score_dataset(judged)) for name, found in fitted.items()
        }
        best = max(values, key=values.__getitem__)
        scorer, facts = fitted[best]
        return Learned(scorer, {**facts, "label_mapping": best, "selection": values[best]})

    def _fitted(self, train: Dataset, mapping: str) -> Learned[Linear]:
        targets = mapped_labels(train.labels, STEPS[mapping])
        return regress(
            train,
            targets,
            centre_in_query=self.centre_in_query,
            scale_large=True,
            weights=train.weights,
        )


def mapped_labels(labels: Floats, step: float) -> Floats:
    """g(y) = (b^y − 1) / (b − 1), and its limit y for b = 1."""
    if step == 1.0:
        return labels
    return np.asarray((np.power(step, labels) - 1.0) / (step - 1.0), dtype=np.float64)


@dataclass(frozen=True)
class RidgeRegression(Ranker):
    """Minimise 1/n Σ_i (w · x_i + c − y_i)² + λ ‖w‖² over all n documents of all queries.

    Where documents have weights v the mean is Σ_i v_i (w · x_i + c − y_i)² / Σ_i v_i.
    The intercept c is not penalised. `centre_in_query` subtracts the query's mean from features
    and labels first, so that nothing is spent on what no ranking can use. The penalty sees
    features as they are, but for those whose standard deviation (after centring) exceeds 1: they
    count in units of it (`scale_large`), without which λ would not count for a feature of 1e9.
    Training that starts from weights w₀ has the penalty λ ‖w − w₀‖².

    Hoerl and Kennard (1970). Ridge regression: biased estimation for nonorthogonal problems.
    Technometrics 12.
    """

    name: ClassVar[str] = "ridge-regression"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Hoerl and Kennard (1970), Technometrics 12(1)"
    takes_sparse: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True
    weighs_as_copies: ClassVar[bool] = True
    takes_start: ClassVar[bool] = True

    regularization: float = regularization(
        0.1, "the mean squared error", norm="‖w‖²", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    centre_in_query: bool = parameter(False, "subtract the query's mean from features and labels")
    scale_large: bool = parameter(
        True, "divide features by their standard deviation where it is above 1"
    )

    def _learn(self, training: Training) -> Learned[Linear]:
        train, start = training.train, training.start
        if start is None:
            return self._regress(train, train.labels)
        begin = linear_start(start, self.name)
        change, facts = self._regress(train, train.labels - begin.score_dataset(train))
        return Learned(add_weights(begin, change.weights, change.intercept), facts)

    def _regress(self, train: Dataset, targets: Floats) -> Learned[Linear]:
        return regress(
            train,
            targets,
            self.regularization,
            centre_in_query=self.centre_in_query,
            scale_large=self.scale_large,
            weights=train.weights,
        )


@dataclass(frozen=True)
class ListReg(Ranker):
    """Minimise 1/|Q| Σ_q 1/n_q Σ_{i ∈ q} (w · x_i − y_i)² + λ ‖w‖².

    n_q is the number of documents of q. Features and labels are counted from their means in the
    query; without `centre_in_query` there is an intercept instead, which is not penalised.

    A regression loss taken query by query is the paper's, a poster of two pages. That a query is
    normalised by its length, the means in the query, and a linear function in closed form, where
    the paper descends on a small network, are guesses. Not `ridge-regression`, in which every
    document counts the same, and not `rankrls`, in which every pair does.

    Wu, Yang, Lin, Lin, Ye, Xu (2011). Learning to rank using query-level regression. SIGIR.
    """

    name: ClassVar[str] = "listreg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wu, Yang, Lin, Lin, Ye and Xu (2011), SIGIR"
    takes_sparse: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "queries are normalised by their length",
        "labels and features are counted from their means in the query",
        "a linear function in closed form",
    )

    regularization: float = regularization(
        0.1, "the mean over queries", norm="‖w‖²", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    centre_in_query: bool = parameter(True, "subtract the query's mean from features and labels")
    scale_large: bool = parameter(
        True, "divide features by their standard deviation where it is above 1"
    )

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        return regress(
            train,
            train.labels,
            self.regularization,
            centre_in_query=self.centre_in_query,
            scale_large=self.scale_large,
            weights=weigh_queries_equally(train),
        )


@dataclass(frozen=True)
class RankRLS(Ranker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − w · (x_i − x_j))² + λ ‖w‖².

    P holds all pairs of documents of one query, those of equal labels too. In a query of n_q
    documents the sum over pairs is n_q Σ_i (w · (x_i − x̄) − (y_i − ȳ))², so that the minimum is
    that of least squares on what is left of features and labels without their means in the query:
    (Σ_q n_q X_q' X_q + λ |P| I) w = Σ_q n_q X_q' y_q. No pair is listed.

    Deviation: the paper's sum over pairs is divided by |P|, so that λ means the same on data of
    any size. Only the linear kernel is here. Not `ridge-regression`, whose errors are those of
    documents, and not `listreg`, in which every query counts the same.

    Pahikkala, Tsivtsivadze, Airola, Järvinen, Boberg (2009). An efficient algorithm for learning
    to rank from preference graphs. Machine Learning 75.
    """

    name: ClassVar[str] = "rankrls"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Pahikkala et al. (2009), Machine Learning 75(1)"
    takes_sparse: ClassVar[bool] = True

    regularization: float = regularization(
        0.1, "the mean over pairs", norm="‖w‖²", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    scale_large: bool = scale_large()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        return regress(
            train,
            train.labels,
            self.regularization,
            centre_in_query=True,
            scale_large=self.scale_large,
            weights=weigh_by_pairs(train),
        )
