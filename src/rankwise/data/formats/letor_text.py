"""LETOR rows from bytes: the functions of letor_text.c, and what their arrays hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ROOM_AFTER
from rankwise.data.sparse_features import SparseFeatures
from rankwise.native import DOUBLES_OUT, INT32S_OUT, INT64, INT64S_OUT, UINT8S, function

LARGEST_INDEX = 1 << 20

# What parsing can end in; the same numbers stand in letor_text.c.
(
    FINE,
    BAD_LABEL,
    NO_QUERY,
    EMPTY_QUERY,
    UNEXPECTED_QUERY,
    BAD_FEATURE,
    INDEX_ZERO,
    BAD_VALUE,
    REPEATED_INDEX,
    INDEX_BEYOND,
    CHANGED,
) = range(11)

_parse_letor = function(
    "rankwise_parse_letor",
    *(UINT8S, INT64, INT64, INT64),  # text, its bytes, where to begin and to end
    *(INT64, INT64, INT64),  # first and largest index, whether rows name their queries
    *(INT64, INT64, DOUBLES_OUT, DOUBLES_OUT),  # rows, width, features, labels
    *(INT64S_OUT, INT64S_OUT, INT64S_OUT),  # spans, runs, stamps
    *(INT64, INT32S_OUT, INT64S_OUT, INT64),  # whether sparse: columns, row offsets, room
    INT64S_OUT,  # what was found
    returns=INT64,
)
_largest_index = function(
    "rankwise_largest_index", UINT8S, INT64, INT64, INT64, INT64S_OUT, returns=INT64
)


# An index, a colon and a value, each of a character at least, and the blank before.
_BYTES_OF_AN_ENTRY = 4
_FOUND = 9


class ParsedRows(NamedTuple):
    """What a chunk's text held, and where it went wrong if it did.

    Attributes:
        outcome: `FINE`, or what is wrong at byte `position`.
        rows: how many rows were parsed.
        runs: per run of rows with one query id: its first row, begin and end of the id.
        spans: per row: begin and end of its comment, begin and end of its document id.
        comments: rows with a comment; documents: rows with a document id.
        entries: how many features were written, zeros too.
    """

    outcome: int
    position: int
    rows: int
    runs: NDArray[np.int64]
    spans: NDArray[np.int64]
    comments: int
    documents: int
    entries: int


def parse_rows(
    buffer: NDArray[np.uint8],
    begin: int,
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
    *,
    first_index: int,
    with_queries: bool,
) -> ParsedRows:
    """Parse whole lines, which `ROOM_AFTER` line feeds follow, into arrays of as many rows.

    With `first_index` 1 the first column is feature 1, with 0 it is feature 0.
    """
    none = np.empty(0, np.int32), np.empty(0, np.int64)
    _, rows = _parse(
        *(buffer, begin, labels, first_index, with_queries),
        *(features.shape[1], features, (0, *none, 0)),
    )
    return rows


def parse_sparse_rows(
    buffer: NDArray[np.uint8],
    begin: int,
    labels: NDArray[np.float64],
    *,
    first_index: int,
    with_queries: bool,
) -> tuple[ParsedRows, SparseFeatures]:
    """As `parse_rows`, for rows that hold few of their features; any index fits."""
    room = len(buffer) // _BYTES_OF_AN_ENTRY + 1
    values, columns = np.empty(room), np.empty(room, np.int32)
    offsets = np.zeros(len(labels) + 1, np.int64)
    found, rows = _parse(
        *(buffer, begin, labels, first_index, with_queries),
        *(LARGEST_INDEX + 1 - first_index, values, (1, columns, offsets, room)),
    )
    kept, width, unsorted = found[6:]
    # What was made in vain is given back, without a copy. Nobody else has seen the arrays.
    for array, length in ((values, kept), (columns, kept), (offsets, rows.rows + 1)):
        array.resize(length, refcheck=False)
    features = SparseFeatures(values, columns, offsets, width)
    return rows, _sorted(features) if unsorted and rows.outcome == FINE else features


def _parse(
    buffer: NDArray[np.uint8],
    begin: int,
    labels: NDArray[np.float64],
    first_index: int,
    with_queries: bool,
    width: int,
    values: NDArray[np.float64],
    sparse: tuple[Any, ...],
) -> tuple[list[int], ParsedRows]:
    rows = len(labels)
    spans, runs = np.empty((rows, 4), np.int64), np.empty((rows, 3), np.int64)
    stamps, found = np.zeros(width, np.int64), np.zeros(_FOUND, np.int64)
    outcome = _parse_letor(
        *(buffer, len(buffer), begin, len(buffer) - ROOM_AFTER),
        *(first_index, LARGEST_INDEX, with_queries),
        *(rows, width, values, labels),
        *(spans, runs, stamps, *sparse, found),
    )
    parsed, position, n_runs, *counts = numbers = found.tolist()
    texts = runs[:n_runs], spans[:parsed]
    return numbers, ParsedRows(outcome, position, parsed, *texts, *counts[:3])


def _sorted(features: SparseFeatures) -> SparseFeatures:
    """The same entries with rising columns in every row."""
    order = np.lexsort((features.columns, features.row_of_entries))
    columns, values = features.columns[order], features.values[order]
    return SparseFeatures(values, columns, features.row_offsets, features.width)


def count_indices(buffer: NDArray[np.uint8]) -> tuple[int, int]:
    """The largest feature index of a text (-1: none), and how many there are.

    One beyond `LARGEST_INDEX` stands for all that are larger.
    """
    entries = np.empty(1, np.int64)
    end = len(buffer) - ROOM_AFTER
    largest = _largest_index(buffer, len(buffer), end, LARGEST_INDEX, entries)
    return largest, int(entries[0])
