"""A model for each class of queries, and one of all queries for classes that it does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.rankers.scorers.json_values import integers, numbers
from rankwise.rankers.scorers.nested import nested_json, nested_scorer, read_nested
from rankwise.rankers.scorers.query_points import QueryPoints, nearest
from rankwise.rankers.scorers.scorer import Scorer, matrix_of

Floats = NDArray[np.float64]
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
