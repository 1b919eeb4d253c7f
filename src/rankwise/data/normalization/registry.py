"""Every normalization by name; the command line and the guide derive from this list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankwise.data.dataset import Dataset
from rankwise.data.joining import equally_wide
from rankwise.data.normalization.filling import FillRule, fill_null
from rankwise.data.normalization.query_level import (
    query_level_norm,
    query_level_sum,
    query_level_z_score,
)
from rankwise.data.normalization.scaling import fit_scaling
from rankwise.data.query_classes import find_class_column, keep_column, with_query_classes
from rankwise.errors import Advice, RankwiseError


@dataclass(frozen=True)
class Normalization:
    """One way to prepare features.

    Attributes:
        name: as it is asked for.
        summary: what it is, in one line.
        equation: what becomes of a value x.
        apply: the data set transformed; for those that are fitted, given the training part too.
        fitted: whether its figures come from a training part.
    """

    name: str
    summary: str
    equation: str
    apply: Callable[[Dataset, Dataset], Dataset]
    fitted: bool = False


def _fitted(kind: str) -> Callable[[Dataset, Dataset], Dataset]:
    return lambda dataset, train: fit_scaling(train, kind).apply(dataset)


NORMALIZATIONS = {
    normalization.name: normalization
    for normalization in (
        Normalization(
            "min",
            "Feature_MIN: NULL is filled, nothing is scaled",
            "x",
            lambda dataset, _: dataset,
        ),
        Normalization(
            "query-level",
            "QueryLevelNorm: from 0 to 1 within each query",
            "(x − min) / (max − min)",
            lambda dataset, _: query_level_norm(dataset),
        ),
        Normalization(
            "z-score",
            "mean 0 and deviation 1 within each query",
            "(x − mean) / √(Σ (x − mean)² / (n − 1))",
            lambda dataset, _: query_level_z_score(dataset),
        ),
        Normalization(
            "sum",
            "shares of the sum of absolute values within each query",
            "x / Σ |x|",
            lambda dataset, _: query_level_sum(dataset),
        ),
        Normalization(
            "dataset-min-max",
            "from 0 to 1 over the training part",
            "(x − min) / (max − min)",
            _fitted("min-max"),
            fitted=True,
        ),
        Normalization(
            "dataset-z-score",
            "mean 0 and deviation 1 over the training part",
            "(x − mean) / √(Σ (x − mean)² / n)",
            _fitted("z-score"),
            fitted=True,
        ),
    )
}


def normalize(
    dataset: Dataset,
    to: str,
    *,
    fill_rule: FillRule | str | None = "minimum",
    fit_on: Dataset | None = None,
    class_column: int | str | None = None,
) -> Dataset:
    """Fill NULL by `fill_rule` (None keeps it), then bring the features to the scale `to`.

    `fit_on` is the training part for the scales that are fitted; its NULL is filled the same way.
    Where one of the two has fewer features, it gets 0 in the last ones, as sparse files mean.
    `class_column` is the feature, by number from 1 or by name, that holds the class of a query: it
    keeps its values, which become the classes of the queries.
    """
    chosen = _find(to)
    if chosen.fitted != (fit_on is not None):
        raise RankwiseError(
            f"{to} is fitted on a training part, found none"
            if chosen.fitted
            else f"{to} takes its figures from each query and cannot be fitted on a training part",
            Advice("say which: {}" if chosen.fitted else "leave out {}", "fit_on"),
        )
    if fit_on is not None and fit_on is not dataset:
        dataset, fit_on = equally_wide([dataset, fit_on])
    if class_column is not None:
        dataset = with_query_classes(dataset, class_column)
    train = None if fit_on is None or fit_on is dataset else _filled(fit_on, fill_rule)
    filled = _filled(dataset, fill_rule)
    scaled = chosen.apply(filled, filled if train is None else train)
    if class_column is None:
        return scaled
    return keep_column(scaled, dataset, find_class_column(dataset, class_column))


def _find(name: str) -> Normalization:
    if name not in NORMALIZATIONS:
        raise RankwiseError(
            f"a normalization is one of {', '.join(NORMALIZATIONS)}, found {name!r}"
        )
    return NORMALIZATIONS[name]


def _filled(dataset: Dataset, rule: FillRule | str | None) -> Dataset:
    return dataset if rule is None else fill_null(dataset, rule)
