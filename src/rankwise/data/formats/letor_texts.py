"""The texts of a LETOR file: query ids, comments and document ids, chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.letor_text import ParsedRows
from rankwise.data.text import TextColumn, join


class ChunkTexts(NamedTuple):
    """Texts in a buffer of their own; `document_ids` is None where some row has none."""

    run_starts: NDArray[np.int64]
    run_positions: NDArray[np.int64]
    run_ids: TextColumn
    comments: TextColumn | None
    document_ids: TextColumn | None


def chunk_texts(buffer: NDArray[np.uint8], found: ParsedRows) -> ChunkTexts:
    """What the parser's spans point at: runs of equal query ids, comments, document ids."""
    starts, positions, ends = np.ascontiguousarray(found.runs.T)
    run_ids = TextColumn(buffer, positions, ends).packed()
    comments = document_ids = None
    if found.comments:
        begins, ends, documents, document_ends = np.ascontiguousarray(found.spans.T)
        comments = TextColumn(buffer, begins, ends).packed()
        if found.documents == found.rows:
            shifts = comments.starts - begins
            document_ids = TextColumn(comments.data, documents + shifts, document_ends + shifts)
    return ChunkTexts(starts, positions, run_ids, comments, document_ids)


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
