"""Queries as points in the space of features: which are near to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
