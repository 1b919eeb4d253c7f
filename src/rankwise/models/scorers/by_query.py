"""Models that depend on the query: each query is ranked by the model of its class or neighbourhood.

NearestQueries hold a model for every training query, of its neighbourhood; a new query is ranked by
a near one's. ClassModels hold a model for each class of queries, and one of all queries for classes
that they do not know. QueryPoints are queries as points in the space of features: which are near to
each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.models.scorers.scorer import (
    Scorer,
    integers,
    matrix_of,
    nested_json,
    nested_scorer,
    numbers,
    read_nested,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

RULES = ("overlap", "nearest")


@dataclass(frozen=True, eq=False)
class NearestQueries(Scorer):
    """f(x, q) = f_m(x), m the model of one of the training queries, chosen by where q lies.

    `nearest`: of the training query whose point is nearest to that of q. `overlap`: of the one
    whose neighbourhood N_i shares most queries with the k nearest of q, the nearest among equals.

    Attributes:
        where: how a query becomes a point.
        scales: by which features are divided before distances are taken.
        points: (training queries, features), divided by the scales.
        neighbourhoods: (training queries, k): the training queries that each one's model saw.
        models: the models that were trained; neighbourhoods that are the same share one.
        model_of: for each training query the number of its model.
        rule: `nearest` or `overlap`.
    """

    kind: ClassVar[str] = "nearest-queries"
    where: QueryPoints
    scales: Floats
    points: Floats
    neighbourhoods: Integers
    models: tuple[Scorer, ...]
    model_of: Integers
    rule: str

    @property
    def n_features(self) -> int:
        """One scale a feature."""
        return len(self.scales)

    @property
    def row_by_row(self) -> bool:
        """The other documents of the query say which model ranks it."""
        return False

    def score(self, features: Floats) -> Floats:
        """One score per row; the rows are the list of one query."""
        matrix = matrix_of(features, self.n_features)
        return self.models[self.choose(matrix)].score(matrix) if len(matrix) else np.zeros(0)

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row; each model sees its queries with all that the data say of them."""
        chosen = np.array([self.choose(query.features) for query in dataset.queries()], np.int64)
        scores = np.empty(dataset.n_documents)
        for number in np.unique(chosen):
            taken = chosen == number
            part = dataset.select_queries(np.flatnonzero(taken))
            rows = np.repeat(taken, dataset.query_lengths)
            scores[rows] = self.models[number].score_dataset(part)
        return scores

    def choose(self, features: Floats) -> int:
        """The number of the model for the query that has these documents."""
        point = self.where.of(features) / self.scales
        near = nearest(self.points, point, self.neighbourhoods.shape[1])
        if self.rule == "nearest":
            return int(self.model_of[near[0]])
        shared = np.isin(self.neighbourhoods, near).sum(axis=1)
        best = np.flatnonzero(shared == shared.max())
        return int(self.model_of[best[nearest(self.points[best], point, 1)[0]]])

    def importance(self) -> Floats:
        """The mean over the training queries of what a feature counts in their models."""
        counts = np.bincount(self.model_of, minlength=len(self.models))
        parts = [n * one.importance() for n, one in zip(counts, self.models, strict=True)]
        return np.asarray(sum(parts) / counts.sum(), dtype=np.float64)

    def as_json(self) -> dict[str, Any]:
        """The points, the neighbourhoods and the models, each with its kind."""
        return {
            "reference": self.where.reference,
            "depth": self.where.depth,
            "rule": self.rule,
            "scales": self.scales.tolist(),
            "points": self.points.ravel().tolist(),
            "neighbourhoods": self.neighbourhoods.ravel().tolist(),
            "model_of": self.model_of.tolist(),
            "models": [nested_json(model) for model in self.models],
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> NearestQueries:
        """From the values of `as_json`."""
        scales, points = numbers(values, "scales"), numbers(values, "points")
        model_of, around = integers(values, "model_of"), integers(values, "neighbourhoods")
        models = values.get("models")
        queries = len(model_of)
        if not isinstance(models, list) or not models or not queries:
            raise RankwiseError("a model of nearest queries must hold models of training queries")
        scorers = tuple(read_nested(model, "under 'models'") for model in models)
        reference, depth = integers(_pair(values), "pair")
        sizes = len(points) == queries * len(scales) and len(around) % queries == 0
        within = (
            0 <= reference < len(scales)
            and depth >= 1
            and len(around) >= queries
            and _lies_within(model_of, len(scorers))
            and _lies_within(around, queries)
            and all(one.n_features == len(scales) for one in scorers)
            and bool((scales > 0.0).all())
        )
        if not sizes or not within or values.get("rule") not in RULES:
            raise RankwiseError(
                "a model of nearest queries must have a point, a neighbourhood and a model for "
                f"each of its {queries} training queries, found values that do not fit together"
            )
        return cls(
            QueryPoints(int(reference), int(depth)),
            scales,
            points.reshape(queries, len(scales)),
            around.reshape(queries, -1),
            scorers,
            model_of,
            values["rule"],
        )


def _pair(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"pair": [values.get("reference"), values.get("depth")]}


def _lies_within(found: Integers, count: int) -> bool:
    return bool((found >= 0).all() and (found < count).all())


_LONGEST_NAME = 1000


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which cluster a query belongs to: the one whose centre is nearest.

    Attributes:
        centres: (clusters, columns), divided by the scales.
        scales: by which columns are divided.
        where: how the documents of a query become its point; None: the data's features of queries.
    """

    centres: Floats
    scales: Floats
    where: QueryPoints | None

    def of_dataset(self, dataset: Dataset) -> list[str]:
        """The cluster of every query, by its number."""
        points = find_points(dataset, self.where)
        if points.shape[1] != len(self.scales):
            raise RankwiseError(
                f"the queries must have {len(self.scales)} features of their own, as in training, "
                f"found {points.shape[1]}"
            )
        return [str(self.nearest(point)) for point in points]

    def nearest(self, point: Floats) -> int:
        """The number of the cluster of a point."""
        return int(nearest(self.centres, point / self.scales, 1)[0])

    def as_json(self) -> dict[str, Any]:
        """The centres, and how queries become points."""
        where = None if self.where is None else [self.where.reference, self.where.depth]
        return {
            "centres": self.centres.ravel().tolist(),
            "scales": self.scales.tolist(),
            "where": where,
        }

    @classmethod
    def from_json(cls, values: object, width: int) -> Clusters | None:
        """From the values of `as_json`; None where there were no clusters."""
        if values is None:
            return None
        if not isinstance(values, dict):
            raise RankwiseError("clusters of queries in a model file must be an object")
        centres, scales = numbers(values, "centres"), numbers(values, "scales")
        where = None if values.get("where") is None else integers(values, "where")
        fits = len(scales) > 0 and len(centres) > 0 and len(centres) % len(scales) == 0
        if where is not None:
            fits = fits and len(where) == 2 and len(scales) == width
            fits = fits and bool(0 <= where[0] < width and where[1] >= 1)
        if not fits or not (scales > 0.0).all():
            raise RankwiseError(
                "clusters of queries in a model file must have centres of one width and scales "
                "above 0, found others"
            )
        point = None if where is None else QueryPoints(int(where[0]), int(where[1]))
        return cls(centres.reshape(-1, len(scales)), scales, point)


def find_points(dataset: Dataset, where: QueryPoints | None) -> Floats:
    """(queries, columns): the points of queries, or the features that the data have of them."""
    if where is not None:
        return where.of_queries(dataset)
    if dataset.query_features is None:
        raise RankwiseError(
            "the model finds classes by features of queries, found data that have none"
        )
    return np.where(np.isnan(dataset.query_features), 0.0, dataset.query_features)


@dataclass(frozen=True, eq=False)
class ClassModels(Scorer):
    """f(x, q) = f_c(q)(x), c(q) the class of query q; f_all(x) for a class that is not known.

    Attributes:
        all_queries: the model of all training queries.
        classes: the names of the classes that have a model of their own.
        models: one for each class.
        clusters: how a query finds its class; None: by the classes of the data.
    """

    kind: ClassVar[str] = "class-models"
    all_queries: Scorer
    classes: tuple[str, ...]
    models: tuple[Scorer, ...]
    clusters: Clusters | None

    @property
    def n_features(self) -> int:
        """As its models have."""
        return self.all_queries.n_features

    @property
    def row_by_row(self) -> bool:
        """The class of the query says which model ranks it."""
        return False

    def score(self, features: Floats) -> Floats:
        """One score per row; the rows are the list of one query, of a class that is not told."""
        matrix = matrix_of(features, self.n_features)
        if self.clusters is None or self.clusters.where is None or not len(matrix):
            return self.all_queries.score(matrix)
        return self._model(str(self.clusters.nearest(self.clusters.where.of(matrix)))).score(matrix)

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row; each model sees the queries of its class."""
        found = np.array(self._classes_of(dataset), dtype=object)
        scores = np.empty(dataset.n_documents)
        for name in sorted(set(found.tolist())):
            taken = found == name
            part = dataset.select_queries(np.flatnonzero(taken))
            scores[np.repeat(taken, dataset.query_lengths)] = self._model(name).score_dataset(part)
        return scores

    def importance(self) -> Floats:
        """The mean over the models of the classes, and of all queries where there is none."""
        parts = [one.importance() for one in self.models or (self.all_queries,)]
        return np.asarray(np.mean(parts, axis=0), dtype=np.float64)

    def as_json(self) -> dict[str, Any]:
        """The models, each with its kind, and how queries find their class."""
        return {
            "all_queries": nested_json(self.all_queries),
            "classes": list(self.classes),
            "models": [nested_json(model) for model in self.models],
            "clusters": None if self.clusters is None else self.clusters.as_json(),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ClassModels:
        """From the values of `as_json`."""
        classes, models = values.get("classes"), values.get("models")
        if (
            not isinstance(classes, list)
            or not isinstance(models, list)
            or len(classes) != len(models)
            or not all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in classes)
            or len(set(classes)) != len(classes)
        ):
            raise RankwiseError("a model of query classes must have one model for each class")
        whole = nested_scorer(values, "all_queries")
        scorers = tuple(read_nested(model, "under 'models'") for model in models)
        if any(one.n_features != whole.n_features for one in scorers):
            raise RankwiseError("the models of query classes must have equally many features")
        clusters = Clusters.from_json(values.get("clusters"), whole.n_features)
        return cls(whole, tuple(classes), scorers, clusters)

    def _model(self, name: str) -> Scorer:
        known = name in self.classes
        return self.models[self.classes.index(name)] if known else self.all_queries

    def _classes_of(self, dataset: Dataset) -> list[str]:
        if self.clusters is not None:
            return self.clusters.of_dataset(dataset)
        if dataset.query_classes is None:
            raise RankwiseError(
                "the model was trained for classes of queries, found data that have none",
                Advice("say which column holds them: {}", "class_column"),
            )
        return list(dataset.query_classes)


@dataclass(frozen=True)
class QueryPoints:
    """The point of a query: the mean of its top `depth` documents by one feature.

        p(q) = 1/|T_q| Σ_{i ∈ T_q} x_i,   T_q = {i : x_i,r ≥ the depth-th highest x_r of q}

    Documents that tie for the last place all count, and sums run over sorted values, so that no
    order of the documents changes a bit. A NULL counts as 0, and among x_r as the lowest.

    Attributes:
        reference: r, the number of the feature from 0, BM25 in the paper.
        depth: how many documents the top has.
    """

    reference: int
    depth: int

    def of(self, features: Floats) -> Floats:
        """The point of the query that has these documents."""
        ranked = features[:, self.reference]
        ranked = np.where(np.isnan(ranked), -np.inf, ranked)
        last = np.sort(ranked)[::-1][min(self.depth, len(ranked)) - 1]
        top = features[ranked >= last]
        with np.errstate(over="ignore", invalid="ignore"):
            means: Floats = np.sort(np.where(np.isnan(top), 0.0, top), axis=0).mean(axis=0)
        return means

    def of_queries(self, dataset: Dataset) -> Floats:
        """(queries, features): the point of every query."""
        points = [self.of(query.features) for query in dataset.queries()]
        return np.array(points).reshape(dataset.n_queries, dataset.n_features)


def find_scales(points: Floats) -> Floats:
    """How far the points deviate in every feature; 1 where they do not."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = points.std(axis=0)
        constant = ~np.isfinite(found) | (found <= 1e-12 * np.abs(points).max(axis=0))
    return np.where(constant, 1.0, found)


def nearest(points: Floats, point: Floats, count: int) -> Integers:
    """The numbers of the `count` points at the least Euclidean distance, the nearest first."""
    # Of points that are too far for a distance, the first are the nearest.
    with np.errstate(over="ignore", invalid="ignore"):
        distances = np.square(points - point).sum(axis=1)
    return np.argsort(distances, kind="stable")[:count]
