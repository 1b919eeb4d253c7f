"""A model of the neighbourhood of each training query: nearest-queries and Q.D.KNN.

The wrapper nearest-queries trains any ranker on each neighbourhood, Q.D.KNN a RankSVM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.by_query import (
    RULES,
    NearestQueries,
    QueryPoints,
    find_scales,
    nearest,
)
from rankwise.models.scorers.scorer import Scorer
from rankwise.native.arrays import Floats
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.parameters import parameter, tol
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.round_measures import map_or_other
from rankwise.rankers.training.preferences import has_preference, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.wrapper import Wrapper

BEST = 0
"""As a reference feature: the one that alone ranks the training data best."""

TrainOn = Callable[[Dataset], Scorer]


def train_neighbourhoods(
    ranker: NearestQueriesWrapper | QDKNN, training: Training, train_on: TrainOn
) -> Learned[NearestQueries]:
    """One model for each training query, learned from the k nearest ones, itself among them.

    A neighbourhood in which no query prefers a document teaches nothing: its query has the model
    of all training queries. So have those that were not reached when the watch said stop.
    """
    train = training.train
    refuse_equal_labels(train, ranker.name)
    where = QueryPoints(find_reference(train, ranker.reference), ranker.depth)
    points = where.of_queries(train)
    scales = find_scales(points)
    points = points / scales
    count = min(ranker.neighbours, train.n_queries)
    around = np.array([nearest(points, point, count) for point in points], dtype=np.int64)
    models = [train_on(train)]
    known: dict[tuple[int, ...], int] = {tuple(range(train.n_queries)): 0}
    model_of = np.zeros(train.n_queries, dtype=np.int64)
    for query, chosen in enumerate(np.sort(around, axis=1)):
        members = tuple(chosen.tolist())
        if members not in known:
            part = train.select_queries(chosen)
            known[members] = len(models) if has_preference(part) else 0
            models += [train_on(part)] if known[members] else []
        model_of[query] = known[members]
        if training.watch(Round(query + 1, train.n_queries)):
            break
    scorer = NearestQueries(where, scales, points, around, tuple(models), model_of, ranker.rule)
    return Learned(scorer, {"models": len(models), "reference": where.reference + 1})


def find_reference(train: Dataset, number: int) -> int:
    """The reference feature, from 0: the one of this number, or the best by MAP on training data.

    Where MAP tells no rankings of them apart, NDCG takes its place.

    Both directions are tried, since a feature that falls with relevance orders documents as well;
    which end of it is the top matters less than that queries are cut alike.
    """
    if number > train.n_features:
        raise RankwiseError(
            f"reference must be one of the {train.n_features} features, found {number}"
        )
    if number != BEST:
        return number - 1
    measure = TrainingMeasure.of(train, map_or_other(train), ties="expected")
    columns = np.where(np.isnan(train.features), 0.0, train.features).T
    found = [_reference_figure(measure, np.ascontiguousarray(column)) for column in columns]
    return int(np.argmax(found))


def _reference_figure(measure: TrainingMeasure, column: Floats) -> float:
    return max(measure.mean(column), measure.mean(-column))


def reference() -> Any:
    """The feature that orders the documents of a query before there is a model."""
    return parameter(
        BEST, "the number of the feature that finds the top, such as BM25's; 0: the best", lowest=0
    )


@dataclass(frozen=True)
class NearestQueriesWrapper(Wrapper):
    """f(x, q) = f_i(x): a query is ranked by the model of a neighbourhood of training queries.

    A query is the point p(q) = 1/|T| Σ_{d ∈ T} x_d, T its top documents by a reference feature.
    For each training query i the wrapped ranker learns f_i from N_i, the k nearest training
    queries. `overlap` ranks a new query q by the f_i whose N_i shares most queries with the k
    nearest of q; `nearest` by that of the nearest i. Validation data are handed on whole.

    `qd-knn` is this with a RankSVM, as the paper has it, without its method that trains when a
    query comes.

    Geng, Liu, Qin, Arnold, Li, Shum (2008). Query dependent ranking using K-nearest neighbor.
    SIGIR.
    """

    name: ClassVar[str] = "nearest-queries"
    paper: ClassVar[str] = "Geng, Liu, Qin, Arnold, Li and Shum (2008), SIGIR"

    of: str = parameter(
        "ranksvm-primal", "the ranker that is wrapped: a registered name, or module:Name"
    )
    neighbours: int = parameter(
        20, "k, the training queries that a model sees", grid=(20, 40, 150), lowest=1
    )
    depth: int = parameter(50, "documents at the top that make the point of a query", lowest=1)
    reference: int = reference()
    rule: str = parameter("overlap", "which neighbourhood ranks a new query", choices=RULES)

    def _learn(self, training: Training) -> Learned[NearestQueries]:
        def train_on(part: Dataset) -> Scorer:
            return self.fit_wrapped(training.on(part, training.validation)).scorer

        return train_neighbourhoods(self, training, train_on)


@dataclass(frozen=True)
class QDKNN(Ranker):
    """f(x, q) = w_i · x: a query is ranked by the RankSVM of a neighbourhood of training queries.

    A query is the point p(q) = 1/|T| Σ_{d ∈ T} x_d, T its top documents by a reference feature.
    For each training query i a RankSVM w_i is trained on N_i, its k nearest training queries.
    `overlap` (the paper's offline method 1) ranks a new query q by the w_i whose N_i shares most
    queries with the k nearest of q; `nearest` (its offline method 2) by that of the nearest i.

    Deviations: the paper's online method, which trains when a query comes, is what the two
    approximate and is not here: a model must score without training. Its RankSVM is
    `ranksvm-primal`, whose hinge is squared. The paper ranks T by BM25; where its number is not
    given as `reference`, the feature with the best MAP alone on training data takes its place.
    Features are divided by their deviation over the training points before distances are taken.
    Not `nearest-queries`, which does the same with any ranker.

    Geng, Liu, Qin, Arnold, Li, Shum (2008). Query dependent ranking using K-nearest neighbor.
    SIGIR.
    """

    name: ClassVar[str] = "qd-knn"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Geng, Liu, Qin, Arnold, Li and Shum (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "features are divided by their deviation over queries before distances are taken",
    )

    neighbours: int = parameter(
        20, "k, the training queries that a model sees", grid=(20, 40, 150), lowest=1
    )
    regularization: float = parameter(
        0.1,
        "λ of the RankSVMs, the weight of ‖w‖²/2 beside the mean over pairs",
        grid=(0.01, 0.1, 1.0),
        lowest=1e-9,
        highest=1e9,
    )
    depth: int = parameter(50, "documents at the top that make the point of a query", lowest=1)
    reference: int = reference()
    rule: str = parameter("overlap", "which neighbourhood ranks a new query", choices=RULES)
    gap: float = tol(1e-5)

    def _learn(self, training: Training) -> Learned[NearestQueries]:
        svm = RankSVMPrimal(regularization=self.regularization, gap=self.gap)

        def train_on(part: Dataset) -> Scorer:
            return svm._learn(training.on(part)).scorer

        return train_neighbourhoods(self, training, train_on)
