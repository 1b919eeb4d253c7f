"""Normalize data sets, files and folders of folds: every normalization by name.

The command line and the guide derive from `NORMALIZATIONS`. A file, or every part of the folds of a
folder, is brought to another scale under the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rankwise.arguments import check_choice
from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Advance, find_folds, list_fold_homes, rewrite_parts
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.joining import equally_wide
from rankwise.data.normalization.scales import (
    FillRule,
    count_null,
    fill_null,
    fit_scaling,
    query_level_norm,
    query_level_sum,
    query_level_z_score,
)
from rankwise.data.queries import find_class_column, keep_column, with_query_classes
from rankwise.data.reading import read, write
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_folder


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


def _fit_and_apply(kind: str) -> Callable[[Dataset, Dataset], Dataset]:
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
            _fit_and_apply("min-max"),
            fitted=True,
        ),
        Normalization(
            "dataset-z-score",
            "mean 0 and deviation 1 over the training part",
            "(x − mean) / √(Σ (x − mean)² / n)",
            _fit_and_apply("z-score"),
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
    chosen = NORMALIZATIONS[check_choice("a normalization", to, NORMALIZATIONS, verb="is")]
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
    train = None if fit_on is None or fit_on is dataset else _fill_by_rule(fit_on, fill_rule)
    filled = _fill_by_rule(dataset, fill_rule)
    scaled = chosen.apply(filled, filled if train is None else train)
    if class_column is None:
        return scaled
    return keep_column(scaled, dataset, find_class_column(dataset, class_column))


def _fill_by_rule(dataset: Dataset, rule: FillRule | str | None) -> Dataset:
    return dataset if rule is None else fill_null(dataset, rule)


@dataclass(frozen=True)
class NormalizedPart:
    """A file that was written on another scale: its size, and its NULL before and after."""

    source: str
    output: str
    rows: int
    queries: int
    features: int
    null_before: int
    null_after: int


def normalize_files(
    source: str | Path,
    target: str | Path,
    to: str,
    *,
    fill_rule: FillRule | str | None = "minimum",
    fit_on: str | Path | None = None,
    class_column: int | str | None = None,
    numbers: NumberStyle = "shortest",
    float32: bool = False,
    advance: Advance = lambda done, total: None,
) -> list[NormalizedPart]:
    """Write a file, or the folds of a folder, on the scale `to`.

    Scales that are fitted take their figures from `fit_on`, or else, in a folder, from the training
    part of each fold. Otherwise as `normalize` and `filter_files`.
    """
    given = None if fit_on is None else read(fit_on)
    fitted = to in NORMALIZATIONS and NORMALIZATIONS[to].fitted
    train_of = _list_training_parts(source) if fitted and given is None else {}
    read_last: dict[Path, Dataset] = {}

    def read_training_part(file: Path) -> Dataset | None:
        """The training part of the fold of a file, kept until that of another fold is needed."""
        path = train_of.get(file)
        if path is None:
            return given
        if path not in read_last:
            read_last.clear()
            read_last[path] = read(path)
        return read_last[path]

    def rewrite(file: Path, place: Path, shown: Path) -> NormalizedPart:
        before = read(file)
        after = normalize(
            before, to, fill_rule=fill_rule, fit_on=read_training_part(file),
            class_column=class_column,
        )  # fmt: skip
        write(after, place, numbers=numbers, float32=float32)
        return NormalizedPart(
            str(file), str(shown), after.n_documents, after.n_queries, after.n_features,
            count_null(before), count_null(after),
        )  # fmt: skip

    return rewrite_parts(source, target, rewrite, advance)


def _list_training_parts(source: str | Path) -> dict[Path, Path]:
    """The training part beside each part of the folds of a folder; nothing of a file."""
    root = Path(locate(source))
    homes = list_fold_homes(root) if is_folder(root) else []
    folds = [fold for home in homes for fold in find_folds(home)]
    return {
        part: fold.train
        for fold in folds
        for part in (fold.train, fold.validation, fold.test)
        if part is not None
    }
