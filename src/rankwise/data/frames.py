"""Data sets from and to pandas and polars frames.

Columns: `label`, `qid`, where known `document` and `comment`, and one per feature.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.arrays import as_numbers, is_missing, runs
from rankwise.data.class_comments import classes_of_comments, comments_with_classes
from rankwise.data.sparse_features import WIDE
from rankwise.data.table_columns import COMMENT, DOCUMENT, LABEL, QUERY, refuse_second_roles
from rankwise.data.text import TextColumn
from rankwise.errors import MissingExtra, RankwiseError

if TYPE_CHECKING:
    import pandas
    import polars

    from rankwise.data.dataset import Dataset


def split_frame(
    frame: pandas.DataFrame | polars.DataFrame,
    *,
    label: str = LABEL,
    query: str = QUERY,
    document: str | None = None,
) -> dict[str, Any]:
    """The fields of a data set of a frame; every column that is not named here is a feature."""
    columns = name_columns(frame)
    names = list(columns)
    for needed in (label, query, *([document] if document else [])):
        if needed not in names:
            raise RankwiseError(f"the frame must have a column {needed!r}, found {_few(names)}")
    document = document or (DOCUMENT if DOCUMENT in names else None)
    comment = COMMENT if COMMENT in names else None
    taken = {label, query, document, comment}
    feature_names = [name for name in names if name not in taken]
    refuse_second_roles(feature_names)
    labels = number_column(columns[label], label)
    features = np.empty((len(labels), len(feature_names)))
    for number, name in enumerate(feature_names):
        features[:, number] = number_column(columns[name], name)
    starts, query_ids = runs(columns[query], len(labels))
    offsets = np.append(starts, len(labels))
    comments = None if comment is None else _texts(columns[comment])
    return {
        "features": features,
        "labels": labels,
        "query_offsets": offsets,
        "query_ids": query_ids,
        "document_ids": None if document is None else _texts(columns[document]),
        "comments": comments,
        "query_classes": classes_of_comments(comments, offsets, query_ids),
        "feature_names": meaningful_names(feature_names),
    }


def to_columns(dataset: Dataset) -> dict[str, Any]:
    """The columns of the frame of a data set, in order."""
    if dataset.sparse is not None and dataset.n_features > WIDE:
        raise RankwiseError(
            "a table has a column for every feature, of which sparse data may have "
            f"{WIDE:,} there, found {dataset.n_features:,}; write LETOR text instead, compressed "
            "by the ending .zst, or keep fewer features"
        )
    columns: dict[str, Any] = {
        LABEL: dataset.labels,
        QUERY: np.repeat(dataset.query_ids.to_numpy(), dataset.query_lengths),
    }
    if dataset.document_ids is not None:
        columns[DOCUMENT] = dataset.document_ids.to_numpy()
    comments = comments_with_classes(
        dataset.comments, dataset.document_ids, dataset.query_classes, dataset.query_lengths
    )
    if comments is not None:
        columns[COMMENT] = comments.to_numpy()
    names = dataset.feature_names or tuple(str(n + 1) for n in range(dataset.n_features))
    if len(set(names)) < len(names) or set(names) & set(columns):
        raise RankwiseError(
            "feature names must differ from each other and from label, qid, document and comment"
        )
    columns |= {name: dataset.features[:, number] for number, name in enumerate(names)}
    return columns


def meaningful_names(names: list[str]) -> tuple[str, ...] | None:
    """None for the names 1, 2, 3 … that features without names get in frames."""
    numbered = names == [str(number + 1) for number in range(len(names))]
    return None if numbered else tuple(names)


def to_pandas(dataset: Dataset) -> pandas.DataFrame:
    """One row per document."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtra("a pandas frame", "frames") from error
    return pandas.DataFrame(to_columns(dataset))


def to_polars(dataset: Dataset) -> polars.DataFrame:
    """One row per document."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtra("a polars frame", "frames") from error
    return polars.DataFrame(
        {
            name: list(values) if values.dtype == object else np.ascontiguousarray(values)
            for name, values in to_columns(dataset).items()
        }
    )


def name_columns(frame: Any) -> dict[str, Any]:
    """The columns of a frame by their names as text; a name that two of them have is refused."""
    names = [str(name) for name in frame.columns]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise RankwiseError(
            f"the columns of a frame must have different names, found {twice!r} twice"
        )
    is_polars = type(frame).__module__.startswith("polars")
    return {
        name: frame.to_series(place) if is_polars else frame.iloc[:, place]
        for place, name in enumerate(names)
    }


def number_column(column: Any, name: str) -> NDArray[np.float64]:
    """A column as doubles; both libraries' missing values become NaN, dates are refused."""
    if type(column).__module__.startswith("polars"):
        if column.dtype.is_nested():
            raise RankwiseError(f"column {name!r} must be numbers, found {column.dtype}")
        column = np.array([np.nan if value is None else value for value in column])
    return as_numbers(column, f"column {name!r}")


def _texts(column: Any) -> TextColumn:
    return TextColumn.from_texts("" if is_missing(value) else str(value) for value in column)


def _few(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:6]))
    return f"{shown}, …" if len(names) > 6 else shown
