"""The texts of a LETOR file: query ids, comments and document ids, chunk by chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.text import TextColumn, join

DOCUMENT_ID = re.compile(rb"\bdocid[ \t]*=[ \t]*([^ \t]+)")


class ChunkTexts(NamedTuple):
    """Texts in a buffer of their own; `document_ids` is None where some row has none."""

    run_starts: NDArray[np.int64]
    run_positions: NDArray[np.int64]
    run_ids: TextColumn
    comments: TextColumn | None
    document_ids: TextColumn | None


def chunk_texts(
    buffer: NDArray[np.uint8], spans: NDArray[np.int64], with_queries: bool
) -> ChunkTexts:
    """What the parser's spans point at: runs of equal query ids, comments, document ids."""
    starts = np.empty(0, np.int64)
    if with_queries and len(spans):
        ids = TextColumn(buffer, spans[:, 0], spans[:, 1])
        starts = np.flatnonzero(np.append(True, ids.changes()))
    run_ids = TextColumn(buffer, spans[starts, 0], spans[starts, 1]).packed()
    comments, document_ids = _comments(buffer, spans)
    return ChunkTexts(starts, spans[starts, 0], run_ids, comments, document_ids)


def _comments(
    buffer: NDArray[np.uint8], spans: NDArray[np.int64]
) -> tuple[TextColumn | None, TextColumn | None]:
    if np.array_equal(spans[:, 2], spans[:, 3]):
        return None, None
    comments = TextColumn(buffer, spans[:, 2], spans[:, 3]).packed()
    found = spans[:, 4:6] + (comments.starts - spans[:, 2])[:, None]
    for row in np.flatnonzero(spans[:, 4] == spans[:, 5]).tolist():
        match = DOCUMENT_ID.search(comments.encoded(row))
        if match is None:
            return comments, None
        found[row] = comments.starts[row] + np.array(match.span(1))
    return comments, TextColumn(comments.data, found[:, 0].copy(), found[:, 1].copy())


def joined_texts(
    chunks: Sequence[tuple[ChunkTexts, int]],
) -> tuple[TextColumn | None, TextColumn | None]:
    """Comments of all rows, where any has one, and document ids, where every row has one."""
    if all(texts.comments is None for texts, _ in chunks):
        return None, None
    comments = join([texts.comments or TextColumn.blank(rows) for texts, rows in chunks])
    ids = [texts.document_ids for texts, rows in chunks if rows]
    present = [column for column in ids if column is not None]
    return comments, join(present) if len(present) == len(ids) else None
