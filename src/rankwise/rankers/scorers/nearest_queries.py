"""A model for every training query, of its neighbourhood; a new query is ranked by a near one's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.json_values import integers, numbers
from rankwise.rankers.scorers.nested import nested_json, read_nested
from rankwise.rankers.scorers.query_points import QueryPoints, nearest
from rankwise.rankers.scorers.scorer import Scorer, matrix_of

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
