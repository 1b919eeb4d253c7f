"""Write LETOR text: every number in the fewest digits that read back to the same bits.

Other ways to print numbers, for files that must equal LETOR's own: see `NUMBER_STYLES`. Digits are
found on whole arrays: number = ±digits / 10^places.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import compressed_writer, in_order
from rankwise.data.formats.side_files import write_query_lengths
from rankwise.data.sparse_features import SparseFeatures
from rankwise.data.text import TextColumn, comments_with_classes
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES, INT32S, INT64, INT64S, INT64S_OUT, UINT8S, UINT8S_OUT, function

NumberStyle = Literal["shortest", "fixed6", "letor3-normalized"]
NUMBER_STYLES: dict[NumberStyle, str] = {
    "shortest": "the fewest decimals that read back to the same value (the default)",
    "fixed6": "six decimals, as LETOR's NULL and MIN files",
    "letor3-normalized": "six decimals, and a bare 0 for a feature that is 0 in a whole query, "
    "as LETOR 3.0's QueryLevelNorm files",
}
CELLS_AT_ONCE = 1 << 18
ROOM = 1 << 22
PREFIX_ROOM = 16
FORBIDDEN_IN_ID = frozenset(b" \t\r\n#")

_TEXTS = (UINT8S, INT64, INT64S, INT64S)
_write_letor = function(
    "rankwise_write_letor",
    *(DOUBLES, DOUBLES, INT64, INT64, INT64),  # labels, features, rows, width, style
    *(UINT8S, INT64, UINT8S, INT64S),  # bare columns and how many, indices and their lengths
    *(
        INT64,
        INT32S,
        INT64S,
        INT64,
        INT64,
    ),  # whether sparse: columns, offsets, entries, first index
    *(INT64S, INT64, *_TEXTS),  # query of every row, queries and their texts
    *_TEXTS,  # comments
    *(UINT8S_OUT, INT64, INT64S_OUT),  # text, its room, rows done
    returns=INT64,
)


def write_letor(
    dataset: Dataset,
    path: str | Path,
    *,
    numbers: NumberStyle = "shortest",
    zero_based: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
) -> None:
    """Write `label qid:ID index:value … #comment`, compressed as the name ends, all or nothing.

    With `side_file` rows name no query; the query lengths go to `PATH.query` or `PATH.group`.
    Rows without a comment but with a document id get `#docid = ID`. Of sparse data only the values
    other than 0 are written, and the last feature at least once, which tells how many there are.
    """
    _refuse_unwritable(dataset)
    first_index = 0 if zero_based else 1
    dataset = _with_last_feature(dataset, side_file is not None)
    prefixes = _prefixes(dataset.n_features if dataset.sparse is None else 0, first_index)
    comments = _comments(dataset)

    def text(queries: tuple[int, int]) -> list[bytes]:
        first, last = queries
        block = dataset.select_queries(slice(first, last))
        rows = slice(dataset.query_offsets[first], dataset.query_offsets[last])
        style = _Style(numbers, prefixes, first_index, side_file is None)
        return list(_pieces(block, comments[rows], style))

    with compressed_writer(path) as stream:
        for pieces in in_order(text, _blocks(dataset)):
            for piece in pieces:
                stream.write(piece)
    if side_file is not None:
        write_query_lengths(f"{path}{side_file}", dataset.query_lengths)


class _Style(NamedTuple):
    """How rows are written: numbers, every index with its blank and colon, the first index."""

    numbers: NumberStyle
    prefixes: tuple[NDArray[np.uint8], NDArray[np.int64]]
    first_index: int
    with_queries: bool


def _pieces(block: Dataset, comments: TextColumn, style: _Style) -> Iterator[bytes]:
    """The text of a block of queries, as much at a time as there is room for."""
    queries = TextColumn.from_texts(
        f" qid:{text}" if style.with_queries else "" for text in block.query_ids
    )
    bare = np.empty((0, 0), np.uint8)
    if style.numbers == "letor3-normalized" and block.sparse is None:
        bare = _bare_columns(block)
    row, room, done = 0, ROOM, np.zeros(1, np.int64)
    while row < block.n_documents:
        out = np.empty(room, np.uint8)
        values, entries = _values(block, row)
        length = _write_letor(
            *(np.ascontiguousarray(block.labels[row:]), values),
            *(block.n_documents - row, block.n_features, int(style.numbers != "shortest")),
            *(bare, bare.size, *style.prefixes, *entries, style.first_index),
            *(block.query_of_rows[row:], block.n_queries, *_flat(queries)),
            *_flat(comments[row:]),
            *(out, room, done),
        )
        row += int(done[0])
        room *= 1 if done[0] else 2
        yield out[:length].tobytes()


def _values(block: Dataset, row: int) -> tuple[NDArray[np.float64], tuple[Any, ...]]:
    """The features from a row on, and where those of sparse rows stand."""
    if block.sparse is None:
        none = np.empty(0, np.int32), np.empty(0, np.int64)
        return np.ascontiguousarray(block.features[row:]), (0, *none, 0)
    rows = block.sparse[row:]
    return rows.values, (1, rows.columns, rows.row_offsets, len(rows.values))


def _with_last_feature(dataset: Dataset, bare_rows: bool) -> Dataset:
    """Sparse data with an entry, if only a 0, of their last feature in some row.

    Where rows name no query, the first one has an entry in any case: readers tell by it.
    """
    sparse = dataset.sparse
    if sparse is None or sparse.width == 0:
        return dataset
    told = not bare_rows or sparse.row_offsets[1] > 0
    if told and np.any(sparse.columns == sparse.width - 1):
        return dataset
    place = sparse.row_offsets[1]
    return dataset.with_features(
        SparseFeatures(
            np.insert(sparse.values, place, 0.0),
            np.insert(sparse.columns, place, sparse.width - 1),
            sparse.row_offsets + (np.arange(len(sparse) + 1) > 0),
            sparse.width,
        )
    )


def _prefixes(width: int, first_index: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Every index with its blank and colon, in slots of equal size, and their lengths."""
    texts = [f" {column + first_index}:".encode() for column in range(width)]
    slots = b"".join(text.ljust(PREFIX_ROOM) for text in texts)
    return np.frombuffer(slots, np.uint8), np.array([len(text) for text in texts], np.int64)


def _bare_columns(block: Dataset) -> NDArray[np.uint8]:
    """Per query, which features are 0 in all of its rows."""
    largest = np.maximum.reduceat(np.abs(block.features), block.query_offsets[:-1], axis=0)
    return np.asarray(largest == 0).astype(np.uint8)


def _blocks(dataset: Dataset) -> list[tuple[int, int]]:
    """Runs of queries of a bounded number of cells, or of one query where that is larger."""
    cells = _cells_before(dataset)
    bounds = [0]
    while bounds[-1] < dataset.n_queries:
        end = int(np.searchsorted(cells, cells[bounds[-1]] + CELLS_AT_ONCE, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return list(pairwise(bounds))


def _cells_before(dataset: Dataset) -> NDArray[np.int64]:
    """How many cells are written before each query, a row counting for one at least."""
    offsets = dataset.query_offsets
    if dataset.sparse is None:
        return offsets * max(1, dataset.n_features)
    return offsets + dataset.sparse.row_offsets[offsets]


def _comments(dataset: Dataset) -> TextColumn:
    found = comments_with_classes(
        dataset.comments, dataset.document_ids, dataset.query_classes, dataset.query_lengths
    )
    if found is not None:
        return found
    if dataset.document_ids is not None:
        return TextColumn.from_texts(f"docid = {text}" for text in dataset.document_ids)
    return TextColumn.blank(dataset.n_documents)


def _flat(
    column: TextColumn,
) -> tuple[NDArray[np.uint8], int, NDArray[np.int64], NDArray[np.int64]]:
    return (
        np.ascontiguousarray(column.data),
        len(column.data),
        np.ascontiguousarray(column.starts),
        np.ascontiguousarray(column.ends),
    )


def _refuse_unwritable(dataset: Dataset) -> None:
    """Texts that would be read back as something else."""
    for number in range(dataset.n_queries):
        encoded = dataset.query_ids.encoded(number)
        if not encoded or FORBIDDEN_IN_ID & set(encoded):
            raise RankwiseError(
                "a query id in LETOR text must not be empty or hold blanks or '#', "
                f"found {dataset.query_ids[number]!r}"
            )
    for what, column in (("document id", dataset.document_ids), ("comment", dataset.comments)):
        if column is not None and np.any(np.isin(column.packed().data, (10, 13))):
            raise RankwiseError(f"a {what} in LETOR text must not hold a line break, found one")
    if not np.all(np.isfinite(dataset.labels)):
        raise RankwiseError("labels in LETOR text must be finite numbers, found one that is not")


NULL, NO_DECIMAL = -1, -2
MOST_PLACES = 9
_SHORTEST = -1

_find_decimals = function("rankwise_find_decimals", DOUBLES, INT64, INT64, INT64S_OUT, INT64S_OUT)


class Decimals(NamedTuple):
    """`digits / 10^places` per number; places -1 is NULL, -2 a number that has no such form."""

    digits: NDArray[np.int64]
    places: NDArray[np.int64]


def shortest(values: NDArray[np.float64]) -> Decimals:
    """The fewest places that read back to the same bits.

    digits / 10^places is one correctly rounded division of exact numbers, both here and in the
    reader, as long as digits <= 2^53: equality here is equality there. Very small, very large and
    infinite numbers and -0 have no such form.
    """
    return _decimals(values, _SHORTEST)


def fixed(values: NDArray[np.float64], count: int) -> Decimals:
    """Exactly `count` places (up to 9) as LETOR's files were printed.

    The double is written with 17 significant digits and that decimal is rounded, ties away from
    zero, as older Microsoft C libraries did. Numbers past 2^53 such units have no such form.
    """
    if not 0 <= count <= MOST_PLACES:
        raise ValueError(f"places must be 0 to {MOST_PLACES}, found {count}")
    return _decimals(values, count)


def _decimals(values: NDArray[np.float64], count: int) -> Decimals:
    flat = np.ascontiguousarray(values, np.float64)
    digits, places = np.empty(len(flat), np.int64), np.empty(len(flat), np.int64)
    _find_decimals(flat, len(flat), count, digits, places)
    return Decimals(digits, places)
