"""Write LETOR text: every number in the fewest digits that read back to the same bits.

Other ways to print numbers, for files that must equal LETOR's own: see `NUMBER_STYLES`.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import compressed_writer
from rankwise.data.formats.decimals import Decimals, fixed, shortest
from rankwise.data.formats.side_files import write_query_lengths
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

NumberStyle = Literal["shortest", "fixed6", "letor3-normalized"]
NUMBER_STYLES: dict[NumberStyle, str] = {
    "shortest": "the fewest decimals that read back to the same value (the default)",
    "fixed6": "six decimals, as LETOR's NULL and MIN files",
    "letor3-normalized": "six decimals, and a bare 0 for a feature that is 0 in a whole query, "
    "as LETOR 3.0's QueryLevelNorm files",
}
CELLS_AT_ONCE = 1 << 18
FORBIDDEN_IN_ID = frozenset(b" \t\r\n#")


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
    Rows without a comment but with a document id get `#docid = ID`.
    """
    _refuse_unwritable(dataset)
    first = 0 if zero_based else 1
    prefixes = TextColumn.from_texts(f" {c + first}:" for c in range(dataset.n_features))
    comments = _comments(dataset)
    with compressed_writer(path) as stream:
        for begin, end in _blocks(dataset):
            block = dataset.select_queries(slice(begin, end))
            rows = slice(dataset.query_offsets[begin], dataset.query_offsets[end])
            stream.write(_text(block, comments[rows], prefixes, numbers, side_file is None))
    if side_file is not None:
        write_query_lengths(f"{path}{side_file}", dataset.query_lengths)


def _text(
    block: Dataset,
    comments: TextColumn,
    prefixes: TextColumn,
    numbers: NumberStyle,
    with_queries: bool,
) -> bytes:
    from rankwise.data.formats.letor_writer_kernel import write_rows

    values = _print(block, numbers)
    labels = shortest(block.labels)
    queries = TextColumn.from_texts(
        f" qid:{text}" if with_queries else "" for text in block.query_ids
    )
    comments = comments.packed()
    cells = block.n_documents * (21 * block.n_features + len(prefixes.data) + 24)
    text_room = int((block.query_lengths * (queries.ends - queries.starts)).sum())
    room = cells + text_room + sum(len(c.data) for c in (values.texts, labels.texts, comments))
    out = np.empty(room + 2 * block.n_documents, np.uint8)
    length = write_rows(
        labels.digits,
        labels.places,
        values.digits.reshape(block.features.shape),
        values.places.reshape(block.features.shape),
        block.query_of_rows,
        *_flat(queries),
        *_flat(prefixes),
        *_flat(comments),
        *_flat(labels.texts),
        *_flat(values.texts),
        out,
    )
    return out[:length].tobytes()


def _print(block: Dataset, numbers: NumberStyle) -> Decimals:
    if numbers == "shortest":
        return shortest(block.features.ravel())
    printed = fixed(block.features.ravel(), 6)
    if numbers == "fixed6":
        return printed
    largest = np.maximum.reduceat(np.abs(block.features), block.query_offsets[:-1], axis=0)
    bare = (largest == 0)[block.query_of_rows].ravel()
    places = np.where(bare, 0, printed.places)
    return Decimals(printed.digits, places.astype(np.int64), printed.texts)


def _blocks(dataset: Dataset) -> list[tuple[int, int]]:
    """Runs of queries of a bounded number of cells, or of one query where that is larger."""
    rows_at_once = max(1, CELLS_AT_ONCE // max(1, dataset.n_features))
    bounds = [0]
    while bounds[-1] < dataset.n_queries:
        limit = dataset.query_offsets[bounds[-1]] + rows_at_once
        end = int(np.searchsorted(dataset.query_offsets, limit, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return list(pairwise(bounds))


def _comments(dataset: Dataset) -> TextColumn:
    if dataset.comments is not None:
        return dataset.comments
    if dataset.document_ids is not None:
        return TextColumn.from_texts(f"docid = {text}" for text in dataset.document_ids)
    return TextColumn.blank(dataset.n_documents)


def _flat(column: TextColumn) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    return (
        np.ascontiguousarray(column.data),
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
