"""Data sets from and to frames of pandas and polars, and from arrays.

Frames have the columns `label`, `qid`, where known `document` and `comment`, and one per feature.
Arrays are those that other libraries hold: `X, y` and `qid` or `group`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.sparse_features import WIDE, SparseFeatures
from rankwise.data.table_columns import (
    COMMENT,
    DOCUMENT,
    LABEL,
    QUERY,
    quote_few,
    refuse_second_roles,
)
from rankwise.data.text import TextColumn, classes_of_comments, comments_with_classes
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
            raise RankwiseError(
                f"the frame must have a column {needed!r}, found {quote_few(names)}"
            )
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


def split_arrays(
    X: ArrayLike,
    y: ArrayLike,
    qid: ArrayLike | None,
    group: ArrayLike | None,
    document_ids: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The fields of a data set of features, labels, and query ids per row or rows per query."""
    X, y, qid, document_ids = align_rows(
        {"features": X, "labels": y, "qid": qid, "document_ids": document_ids}
    )
    features: Any = (
        SparseFeatures.from_scipy(X) if hasattr(X, "tocsr") else as_numbers(X, "features")
    )
    labels = as_numbers(y, "labels")
    if (qid is None) == (group is None):
        raise RankwiseError("give either qid (a query id per row) or group (row counts), not both")
    if group is not None:
        starts, query_ids = grouped(group, len(labels))
    else:
        starts, query_ids = runs(qid, len(labels))
    return {
        "features": features,
        "labels": labels,
        "query_offsets": np.append(starts, len(labels)),
        "query_ids": query_ids,
        "document_ids": None if document_ids is None else TextColumn.from_texts(document_ids),
        "feature_names": None if feature_names is None else tuple(feature_names),
    }


def align_rows(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values by name, those with an index (of pandas) in the order of the first that has one.

    Values without an index go by their place. An index of other rows is refused.
    """
    indexed = {name: values.index for name, values in given.items() if has_index(values)}
    first = next(iter(indexed), "")
    return tuple(
        _align(values, name, indexed[first], first) if name in indexed else values
        for name, values in given.items()
    )


def _align(values: Any, name: str, order: Any, first: str) -> Any:
    # Another number of rows is refused with the counts, where these are known.
    if values.index.equals(order) or len(values.index) != len(order):
        return values
    if order.is_unique and values.index.is_unique and bool(order.isin(values.index).all()):
        return values.reindex(order)
    raise RankwiseError(
        f"{name} must have the index of {first}, in whatever order, found an index of other or "
        "repeated rows; give arrays, as to_numpy() makes them, where the order is the same"
    )


def refuse_other_order(values: Any, what: str) -> None:
    """Refuse a Series beside rows that have no index, unless its own counts them in order."""
    if has_index(values) and not np.array_equal(
        np.asarray(values.index), np.arange(len(values.index))
    ):
        raise RankwiseError(
            f"{what} must be in the order of the rows, found a Series with an index of its own, "
            "where the rows have none to compare it with; give an array, as to_numpy() makes it"
        )


def has_index(values: Any) -> bool:
    """Whether this is a frame or a Series of pandas, whose rows have names."""
    return hasattr(values, "iloc") and hasattr(values, "index")


def as_numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Doubles; dates, times and texts are refused, though numpy would make numbers of them."""
    try:
        values = without_mask(values)
        given: Any = values if hasattr(values, "dtype") else np.asarray(values)
        wrong = _find_wrong(given)
        if wrong is None:
            return np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RankwiseError(f"{what} must be numbers ({error})") from error
    raise RankwiseError(f"{what} must be numbers, found {wrong}")


def without_mask(values: Any) -> Any:
    """What the mask of a masked array covers is missing: NaN. Others stay as they are."""
    masked = isinstance(values, np.ma.MaskedArray)
    return values.astype(np.float64).filled(np.nan) if masked else values


def refuse_labels(labels: NDArray[np.float64], where: str = "row") -> None:
    """Refuse labels that are missing or infinite: no measure and no ranker knows what they mean."""
    wrong = np.flatnonzero(~np.isfinite(labels))
    if len(wrong):
        found = labels[wrong[0]]
        raise RankwiseError(
            f"labels must be finite numbers, found {len(wrong)} of {len(labels)} that are not, the "
            f"first ({found:g}) in {where} {wrong[0] + 1}; leave documents without a judgement out"
        )


def runs(given: Any, n_documents: int) -> tuple[NDArray[np.int64], TextColumn]:
    """First rows and ids of the queries; a query whose rows do not stand together is an error."""
    qid = np.asarray(given)
    if isinstance(given, np.ma.MaskedArray):
        qid = qid.astype(object)
        qid[np.ma.getmaskarray(given)] = None
    if qid.shape != (n_documents,):
        raise RankwiseError(
            f"qid must hold one query id per row ({n_documents}), found shape {qid.shape}"
        )
    changes = np.asarray(qid[1:] != qid[:-1], dtype=bool)
    starts = np.flatnonzero(np.append(np.ones(min(1, n_documents), bool), changes))
    ids = qid[starts].tolist()
    for start, value in zip(starts.tolist(), ids, strict=True):
        if is_missing(value):
            raise RankwiseError(f"every row must have a query id, found none in row {start + 1}")
    texts = [as_text(value) for value in ids]
    first: dict[str, int] = {}
    for start, text in zip(starts.tolist(), texts, strict=True):
        if text in first:
            raise RankwiseError(
                f"the rows of a query must stand together, found query {text!r} in row {start} "
                f"again, first seen in row {first[text]}; sort the rows by query"
            )
        first[text] = start
    return starts, TextColumn.from_texts(texts)


def grouped(group: ArrayLike, n_documents: int) -> tuple[NDArray[np.int64], TextColumn]:
    """First rows and ids, 1, 2, 3 …, of queries of so many rows each."""
    given = as_numbers(group, "the counts in group")
    with np.errstate(invalid="ignore"):
        lengths = given.astype(np.int64)
    if lengths.ndim != 1 or np.any(lengths != given) or np.any(lengths < 1):
        raise RankwiseError("group must be a list of whole numbers above 0, one per query")
    if lengths.sum() != n_documents:
        raise RankwiseError(
            f"the counts in group must add up to the {n_documents} rows, found {lengths.sum()}"
        )
    starts = np.cumsum(np.append(0, lengths))[:-1].astype(np.int64)
    return starts, TextColumn.from_texts(str(number + 1) for number in range(len(lengths)))


def as_text(value: object) -> str:
    """An id as it stands in files: whole numbers without a point, bytes as the text they are."""
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        raise RankwiseError(f"an id must be a text or a number, found a {type(value).__name__}")
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return str(value)


def is_missing(value: object) -> bool:
    """None, and what is not equal to itself: NaN, NaT, and pandas' NA, which says neither."""
    if value is None or type(value).__name__ == "NAType":
        return True
    unequal = value != value
    # Of an array and the like it is another array.
    return isinstance(unequal, bool | np.bool_) and bool(unequal)


def _is_number(value: object) -> bool:
    return isinstance(value, Real | Decimal | np.bool_) or is_missing(value)


def _find_wrong(given: Any) -> str | None:
    """What is no number: the type of all of them, or the first one; None where all are numbers."""
    kind = getattr(given.dtype, "kind", "O")
    if kind in "biuf":
        return None
    if kind not in "OUS":
        return str(given.dtype)
    listed = np.ravel(given).tolist()
    return next((f"{value!r:.80}" for value in listed if not _is_number(value)), None)
