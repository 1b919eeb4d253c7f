"""Clusters of queries by k-means, the same for every seed and order of summation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.scorers.class_models import Clusters, find_points
from rankwise.rankers.scorers.query_points import QueryPoints, find_scales
from rankwise.rankers.training.neighbourhoods import find_reference

Floats = NDArray[np.float64]

_MOST_STEPS = 100


def cluster_queries(train: Dataset, count: int, reference: int, depth: int) -> Clusters:
    """`count` clusters of training queries, or as many as there are different queries.

    By the features that the data have of queries, else by points that their top documents make.
    """
    given = train.query_features is not None
    where = None if given else QueryPoints(find_reference(train, reference), depth)
    points = find_points(train, where)
    scales = find_scales(points)
    return Clusters(k_means(points / scales, count), scales, where)


def k_means(points: Floats, count: int) -> Floats:
    """The centres of `count` clusters that Lloyd's steps find, or of fewer where points coincide.

    Minimises Σ_i min_c ‖p_i − m_c‖² step by step: each m_c becomes the mean of the points that are
    nearest to it. The first centre is the point nearest to the mean of all, each further one the
    point farthest from those before it: nothing is left to chance. A centre that no point is
    nearest to stays where it is.
    """
    centres = points[[int(np.argmin(_squares(points, points.mean(axis=0))))]]
    while len(centres) < count:
        distances = np.min([_squares(points, centre) for centre in centres], axis=0)
        if not distances.max() > 0.0:
            break
        centres = np.vstack([centres, points[int(np.argmax(distances))]])
    for _ in range(_MOST_STEPS):
        nearest = np.argmin([_squares(points, centre) for centre in centres], axis=0)
        moved = np.array(
            [
                points[nearest == number].mean(axis=0) if (nearest == number).any() else centre
                for number, centre in enumerate(centres)
            ]
        )
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _squares(points: Floats, centre: Floats) -> Floats:
    squares: Floats = np.square(points - centre).sum(axis=1)
    return squares
