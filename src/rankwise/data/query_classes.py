"""Classes of queries from a feature that is the same for all documents of a query."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.text import TextColumn
from rankwise.errors import Advice, RankwiseError


def find_class_column(dataset: Dataset, column: int | str) -> int:
    """The place, from 0, of a feature by its number from 1 or by its name."""
    names = dataset.feature_names or ()
    if str(column) in names:
        return names.index(str(column))
    text = str(column)
    if text.isdecimal() and len(text) <= 18 and 1 <= int(text) <= dataset.n_features:
        return int(text) - 1
    known = f" or one of {', '.join(names[:6])}" if names else ""
    raise RankwiseError(
        f"the column of query classes must be a feature from 1 to {dataset.n_features}{known}, "
        f"found {text!r}",
        Advice("name it by {}", "class_column", "N"),
    )


def with_query_classes(dataset: Dataset, column: int | str) -> Dataset:
    """The same data whose queries have the classes that a feature numbers.

    The feature stays where it is. It must be known and the same in all documents of a query; the
    class is its number as text, `2` or `1.5`.
    """
    place = find_class_column(dataset, column)
    values = dataset.column(place)
    starts = dataset.query_offsets[:-1]
    least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    # NULL is unequal to itself.
    wrong = np.flatnonzero(~(least == greatest))
    if len(wrong):
        raise RankwiseError(
            f"feature {place + 1} must be the same in all documents of a query to be its class, "
            f"found {least[wrong[0]]:g} and {greatest[wrong[0]]:g} for query "
            f"{dataset.query_ids[int(wrong[0])]!r}"
        )
    classes = TextColumn.from_texts(_as_text(value) for value in least.tolist())
    return replace(dataset, features=as_features(dataset.stored), query_classes=classes)


def keep_column(scaled: Dataset, original: Dataset, place: int) -> Dataset:
    """Scaled data with one feature as it was before."""
    if scaled.in_file is not None:
        return scaled.with_features(scaled.in_file.replace_column(place, original.column(place)))
    features = scaled.features.copy()
    features[:, place] = original.column(place)
    return scaled.with_features(features)


def _as_text(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
