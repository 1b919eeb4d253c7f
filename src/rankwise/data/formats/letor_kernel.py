"""LETOR / SVMlight rows from bytes, compiled.

A chunk begins at a line start and ends after a line feed; chunks are parsed side by side into
slices of the same arrays. Only what nearly every row needs is compiled here, because compiling is
most of a first call: numbers that one multiplication or division cannot give exactly (long,
scientific, infinite) are noted and left to `numbers`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

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
    OPEN_NUMBERS_FULL,
) = range(11)

TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, HASH, COLON, EQUALS = 9, 10, 13, 32, 35, 58, 61
TENS = np.array([10.0**power for power in range(23)])
DOCID = np.frombuffer(b"docid", np.uint8)

# Columns of `spans`.
QUERY, QUERY_END, COMMENT, COMMENT_END, DOCUMENT, DOCUMENT_END = range(6)


@compiled
def parse_rows(
    buffer: NDArray[np.uint8],
    begin: int,
    end: int,
    first_row: int,
    span_row: int,
    first_index: int,
    with_queries: bool,
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
    spans: NDArray[np.int64],
    open_numbers: NDArray[np.int64],
) -> tuple[int, int, int, int, bool]:
    """Parse a chunk: (row after the last, open numbers, outcome, byte position, rows in order).

    Row r of the arrays is row r - `span_row` of `spans`, which gets begin and end of its query id,
    its comment and its document id.
    `open_numbers` gets (row, column or -1 for the label, begin, end) of numbers left open; when it
    is full, parsing stops at the beginning of a row and may go on from there. With `first_index` 1
    the first column is feature 1, with 0 it is feature 0. The last value tells whether indices
    rise in every row, which proves that none is repeated.
    """
    width = features.shape[1]
    row = first_row
    opened = 0
    position = begin
    rising = True
    while position < end:
        byte = buffer[position]
        while byte == SPACE or byte == TAB or byte == CARRIAGE_RETURN:
            position += 1
            byte = buffer[position]
        row_begin = position
        if byte == LINE_FEED or byte == HASH:
            while buffer[position] != LINE_FEED:
                position += 1
            position += 1
            continue
        if opened + width + 1 > len(open_numbers):
            return row, opened, OPEN_NUMBERS_FULL, row_begin, rising
        cells = features[row]
        column = -1
        previous = -1
        while True:
            number_begin = position
            value, position, exact = parse_number(buffer, position)
            if not exact:
                while buffer[position] > SPACE and buffer[position] != HASH:
                    position += 1
                if position == number_begin:
                    return row, opened, BAD_VALUE, number_begin, rising
                open_numbers[opened, 0] = row
                open_numbers[opened, 1] = column
                open_numbers[opened, 2] = number_begin
                open_numbers[opened, 3] = position
                opened += 1
            if column >= 0:
                cells[np.uint64(column)] = value
            else:
                if value != value:
                    return row, opened, BAD_LABEL, row_begin, rising
                labels[row] = value
                position = _skip_blanks(buffer, position)
                named = (
                    buffer[position] == 113
                    and buffer[position + 1] == 105
                    and buffer[position + 2] == 100
                    and buffer[position + 3] == COLON
                )
                if named != with_queries:
                    outcome = UNEXPECTED_QUERY if named else NO_QUERY
                    return row, opened, outcome, position, rising
                if named:
                    spans[row - span_row, QUERY] = position + 4
                    while buffer[position] > SPACE and buffer[position] != HASH:
                        position += 1
                    spans[row - span_row, QUERY_END] = position
                    if spans[row - span_row, QUERY] == position:
                        return row, opened, EMPTY_QUERY, position, rising
            byte = buffer[np.uint64(position)]
            while byte == SPACE or byte == TAB or byte == CARRIAGE_RETURN:
                position += 1
                byte = buffer[np.uint64(position)]
            if byte == LINE_FEED or byte == HASH:
                break
            token = position
            index = 0
            while 48 <= byte <= 57:
                index = index * 10 + byte - 48
                position += 1
                byte = buffer[np.uint64(position)]
            if byte != COLON or position == token:
                return row, opened, BAD_FEATURE, token, rising
            if position - token > 12:
                return row, opened, INDEX_BEYOND, token, rising
            position += 1
            column = index - first_index
            if column < 0:
                return row, opened, INDEX_ZERO, token, rising
            if column >= width:
                return row, opened, INDEX_BEYOND, token, rising
            if column <= previous:
                rising = False
            previous = column
        _note_comment(buffer, position, row - span_row, spans)
        while buffer[position] != LINE_FEED:
            position += 1
        position += 1
        row += 1
    return row, opened, FINE, 0, rising


@compiled
def parse_number(buffer: NDArray[np.uint8], position: int) -> tuple[float, int, bool]:
    """A plain decimal number or NULL at `position`: (value, position after it, exact).

    digits / 10^places is the nearest double when digits <= 2^53 and places <= 22, since both are
    then exact and division rounds once (Clinger 1990). Anything else is not decided here.
    """
    begin = position
    negative = buffer[position] == 45
    if negative:
        position += 1
    digits = 0
    first = position
    byte = buffer[np.uint64(position)]
    while 48 <= byte <= 57:
        digits = digits * 10 + byte - 48
        position += 1
        byte = buffer[np.uint64(position)]
    count = position - first
    places = 0
    if byte == 46:
        position += 1
        first = position
        byte = buffer[np.uint64(position)]
        while 48 <= byte <= 57:
            digits = digits * 10 + byte - 48
            position += 1
            byte = buffer[np.uint64(position)]
        places = position - first
        count += places
    if (byte <= SPACE or byte == HASH) and 0 < count <= 18 and digits <= 9007199254740992:
        value = digits / TENS[np.uint64(places)]
        return (-value if negative else value), position, True
    if (
        position == begin
        and byte == 78
        and buffer[begin + 1] == 85
        and buffer[begin + 2] == 76
        and buffer[begin + 3] == 76
        and (buffer[begin + 4] <= SPACE or buffer[begin + 4] == HASH)
    ):
        return math.nan, begin + 4, True
    return 0.0, begin, False


@compiled
def _skip_blanks(buffer: NDArray[np.uint8], position: int) -> int:
    byte = buffer[position]
    while byte == SPACE or byte == TAB or byte == CARRIAGE_RETURN:
        position += 1
        byte = buffer[position]
    return position


@compiled
def _note_comment(
    buffer: NDArray[np.uint8], position: int, row: int, spans: NDArray[np.int64]
) -> None:
    """The comment that begins at `position`, if one does, and X where it begins `docid = X`."""
    if buffer[position] != HASH:
        for column in range(COMMENT, DOCUMENT_END + 1):
            spans[row, column] = position
        return
    begin = position + 1
    end = begin
    position = begin
    while buffer[position] != LINE_FEED:
        if buffer[position] > SPACE:
            end = position + 1
        position += 1
    spans[row, COMMENT] = begin
    spans[row, COMMENT_END] = end
    position = begin
    matched = 0
    while matched < len(DOCID) and buffer[position] == DOCID[matched]:
        matched += 1
        position += 1
    if matched == len(DOCID):
        position = _skip_blanks(buffer, position)
        if buffer[position] == EQUALS:
            position = _skip_blanks(buffer, position + 1)
            matched += 1
    begin = position
    while matched > len(DOCID) and buffer[position] > SPACE:
        position += 1
    spans[row, DOCUMENT] = begin
    spans[row, DOCUMENT_END] = position
