"""Partial dependence: how the score changes with one feature, all others as they are.

    PD(v) = mean over documents of f(x with x_j = v) − mean over documents and grid values of it

The curve of each document is centred by its own mean over the grid before anything else: a constant
added to all documents of a query moves none of them. Friedman (2001), Greedy function approximation:
a gradient boosting machine, Annals of Statistics 29; the curves of single documents are those of
Goldstein, Kapelner, Bleich and Pitkin (2015), Peeking inside the black box, Journal of Computational
and Graphical Statistics 24.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.scoring import give, refuse_whole_lists
from rankwise.tables.notebook import Rows, Tabular, shortened

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DependencePoint:
    """The score at one value of the feature; `value` None is NULL.

    `low` and `high` hold the curves of 80 % of the documents.
    """

    value: float | None
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PartialDependence(Tabular):
    """The points of one feature, its values ascending, NULL last where the data have it."""

    feature: str
    documents: int
    points: tuple[DependencePoint, ...]

    def __repr__(self) -> str:
        means = [point.mean for point in self.points]
        span = max(means) - min(means)
        return shortened(f"{self.feature}: the mean score changes by {span:.4g}")

    def _table(self) -> Rows:
        rows = [(one.value, one.mean, one.low, one.high) for one in self.points]
        return ("value", "mean", "low", "high"), rows


def measure_dependence(
    model: Model | str | Path,
    data: Dataset | str | Path,
    feature: str | int,
    *,
    points: int = 20,
    documents: int = 2000,
    seed: int = 0,
) -> PartialDependence:
    """The partial dependence of a model's score on one feature.

    Args:
        model: a model or its file.
        data: documents, whose other features stay as they are.
        feature: its name, or its number from 1.
        points: values of the feature at most, which lie at quantiles of the data.
        documents: how many at most; more are sampled.
        seed: of that sample.
    """
    if points < 2:
        raise RankwiseError(f"at least 2 points are needed for a curve, found {points}")
    given = give(model, data)
    refuse_whole_lists(given.model.scorer, "partial dependences")
    column = given.find_feature(feature)
    rows = given.data.features
    if len(rows) > documents:
        chosen = np.random.default_rng(seed).choice(len(rows), documents, replace=False)
        rows = rows[np.sort(chosen)]
    grid = _grid(given.data.features[:, column], points)
    curves = np.column_stack([_scores(given.model, rows, column, value) for value in grid])
    curves -= curves.mean(axis=1, keepdims=True)
    low, high = np.quantile(curves, (0.1, 0.9), axis=0)
    found = zip(grid.tolist(), curves.mean(axis=0).tolist(), low.tolist(), high.tolist(),
                strict=True)  # fmt: skip
    return PartialDependence(
        given.names[column],
        len(rows),
        tuple(
            DependencePoint(None if value != value else value, *figures)
            for value, *figures in found
        ),
    )


def _grid(values: Floats, points: int) -> Floats:
    """Values that occur, at equal shares of the data; NULL last where some are missing."""
    known = values[~np.isnan(values)]
    shares = np.linspace(0.0, 1.0, points)
    grid = np.unique(np.quantile(known, shares, method="nearest")) if len(known) else known
    return np.append(grid, np.nan) if len(known) < len(values) else grid


def _scores(model: Model, rows: Floats, column: int, value: float) -> Floats:
    changed = rows.copy()
    changed[:, column] = value
    return model.scorer.score(changed)
