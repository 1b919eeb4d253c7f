"""Models of the neighbourhoods of training queries: what Q.D.KNN and its wrapper share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.round_measures import map_or_other
from rankwise.rankers.scorers.nearest_queries import NearestQueries
from rankwise.rankers.scorers.query_points import QueryPoints, find_scales, nearest
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.label_levels import has_preference
from rankwise.rankers.training.training_measure import TrainingMeasure

BEST = 0
"""As a reference feature: the one that alone ranks the training data best."""

TrainOn = Callable[[Dataset], Scorer]


@dataclass(frozen=True)
class NeighbourhoodRules:
    """How many neighbours, what makes a query a point, and which model ranks a new query.

    Attributes:
        neighbours: k, the training queries that a model sees.
        reference: the feature that orders documents, from 1; 0 for the best on training data.
        depth: how many documents at the top make the point of a query.
        rule: of `NearestQueries`.
    """

    neighbours: int
    reference: int
    depth: int
    rule: str


def train_neighbourhoods(
    train: Dataset, rules: NeighbourhoodRules, train_on: TrainOn, watch: Watch
) -> NearestQueries:
    """One model for each training query, learned from the k nearest ones, itself among them.

    A neighbourhood in which no query prefers a document teaches nothing: its query has the model
    of all training queries. So have those that were not reached when the watch said stop.
    """
    where = QueryPoints(find_reference(train, rules.reference), rules.depth)
    points = where.of_queries(train)
    scales = find_scales(points)
    points = points / scales
    count = min(rules.neighbours, train.n_queries)
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
        if watch(Round(query + 1, train.n_queries)):
            break
    return NearestQueries(where, scales, points, around, tuple(models), model_of, rules.rule)


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
    found = [_figure(measure, np.ascontiguousarray(column)) for column in columns]
    return int(np.argmax(found))


def _figure(measure: TrainingMeasure, column: NDArray[np.float64]) -> float:
    return max(measure.mean(column), measure.mean(-column))
