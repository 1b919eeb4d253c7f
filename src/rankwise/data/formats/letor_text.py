"""LETOR rows from bytes: the functions of letor_text.c, and what their arrays hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ROOM_AFTER
from rankwise.native import DOUBLES_OUT, INT64, INT64S_OUT, UINT8S, function

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
    *(INT64S_OUT, INT64S_OUT, INT64S_OUT, INT64S_OUT),  # spans, runs, stamps, found
    returns=INT64,
)
_largest_index = function(
    "rankwise_largest_index", UINT8S, INT64, INT64, INT64, INT64S_OUT, returns=INT64
)


class ParsedRows(NamedTuple):
    """What a chunk's text held, and where it went wrong if it did.

    Attributes:
        outcome: `FINE`, or what is wrong at byte `position`.
        rows: how many rows were parsed.
        runs: per run of rows with one query id: its first row, begin and end of the id.
        spans: per row: begin and end of its comment, begin and end of its document id.
        comments: rows with a comment; documents: rows with a document id.
    """

    outcome: int
    position: int
    rows: int
    runs: NDArray[np.int64]
    spans: NDArray[np.int64]
    comments: int
    documents: int


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
    rows, width = features.shape
    spans, runs = np.empty((rows, 4), np.int64), np.empty((rows, 3), np.int64)
    stamps, found = np.zeros(width, np.int64), np.zeros(5, np.int64)
    outcome = _parse_letor(
        *(buffer, len(buffer), begin, len(buffer) - ROOM_AFTER),
        *(first_index, LARGEST_INDEX, with_queries),
        *(rows, width, features, labels),
        *(spans, runs, stamps, found),
    )
    parsed, position, n_runs, comments, documents = found.tolist()
    return ParsedRows(outcome, position, parsed, runs[:n_runs], spans[:parsed], comments, documents)


def largest_index(buffer: NDArray[np.uint8]) -> tuple[int, int]:
    """The largest feature index of a text (-1: none), and where it first stands.

    One beyond `LARGEST_INDEX` stands for all that are larger.
    """
    position = np.empty(1, np.int64)
    end = len(buffer) - ROOM_AFTER
    largest = _largest_index(buffer, len(buffer), end, LARGEST_INDEX, position)
    return largest, int(position[0])
