"""LETOR / SVMlight text: `label qid:ID index:value … #comment`, read by a compiled parser.

An absent index is 0 and the word NULL is NULL. Blank lines, comment lines, carriage returns and
trailing blanks are tolerated; everything else that is not the layout is an error with its place.
Reading ends at the first such line; `find_faults` finds all of them.

A file may be cut into shares at query boundaries, each read without reading the rest. Cutting looks
only around as many places as there are shares, so it costs the same for a file of any size; several
machines can then read one file, each its own part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.formats import letor_parser
from rankwise.data.formats.compression import (
    BYTE_ORDER_MARK,
    ROOM_AFTER,
    ByteSource,
    is_compressed,
    open_source,
)
from rankwise.data.formats.letor_chunks import LetorFile, ParsedChunk, RowSink
from rankwise.data.formats.letor_parser import (
    LOOK_BYTES,
    Place,
    explain,
    first_words,
    joined_texts,
    repeated_query,
)
from rankwise.data.formats.packed import is_packed
from rankwise.data.formats.side_files import read_query_lengths
from rankwise.data.joining import merge_repeated_queries
from rankwise.data.table_columns import is_table
from rankwise.data.text import TextColumn, classes_of_comments, join
from rankwise.errors import FormatError, RankwiseError

RepeatedQueries = Literal["error", "merge", "separate"]


def read_letor(
    path: str | Path,
    *,
    zero_based: bool = False,
    repeated_queries: RepeatedQueries = "error",
    n_features: int | None = None,
    threads: int | None = None,
) -> Dataset:
    """Read a LETOR file, plain or compressed.

    Args:
        path: the file; rows without `qid:` take their queries from `PATH.query` or `PATH.group`.
        zero_based: indices begin at 0 rather than 1.
        repeated_queries: what a query id that comes back later in the file means: an `error`
            (the default), rows to `merge` with the earlier ones, or a `separate` query.
        n_features: at least so many columns, for files that leave the last features out.
        threads: how many threads parse; by default as many as there are cores.
    """
    with open_source(path) as source:
        return read_source(
            source,
            zero_based=zero_based,
            repeated_queries=repeated_queries,
            n_features=n_features,
            threads=threads,
        )


def read_source(
    source: ByteSource,
    *,
    zero_based: bool = False,
    repeated_queries: RepeatedQueries = "error",
    n_features: int | None = None,
    threads: int | None = None,
    sink: RowSink | None = None,
) -> Dataset:
    """Read the rows of a file that is open; see `read_letor`. Features go to the `sink`, if any."""
    rows = LetorFile(source, 0 if zero_based else 1, n_features or 0, threads).parse(sink)
    if len(rows.labels) == 0:
        raise FormatError("the file must hold at least one row, found none", source.path)
    if rows.with_queries:
        starts, query_ids = _query_runs(rows.chunks)
        if repeated_queries == "error" and _may_repeat(query_ids):
            _refuse_repeated(source, rows.chunks)
    else:
        starts, query_ids = read_query_lengths(source.path, len(rows.labels))
    comments, document_ids = joined_texts(
        [(chunk.texts, len(chunk.rows.labels)) for chunk in rows.chunks]
    )
    dataset = Dataset(
        features=as_features(rows.features),
        labels=rows.labels,
        query_offsets=np.append(starts, len(rows.labels)),
        query_ids=query_ids,
        document_ids=document_ids,
        comments=comments,
    )
    if repeated_queries == "merge":
        dataset = merge_repeated_queries(dataset)
    return _with_classes(dataset, source.path)


def _with_classes(dataset: Dataset, path: str | Path) -> Dataset:
    """With the classes of queries that comments name."""
    try:
        classes = classes_of_comments(dataset.comments, dataset.query_offsets, dataset.query_ids)
    except RankwiseError as error:
        raise FormatError(str(error), path) from error
    if classes is None:
        return dataset
    return replace(dataset, features=as_features(dataset.stored), query_classes=classes)


def _query_runs(chunks: list[ParsedChunk]) -> tuple[NDArray[np.int64], TextColumn]:
    """First rows and ids of the queries; a run that goes on in the next chunk is one query."""
    ids = join([chunk.texts.run_ids for chunk in chunks])
    rows_before = np.cumsum([0, *(len(chunk.rows.labels) for chunk in chunks)])
    starts = np.concatenate(
        [chunk.texts.run_starts + rows_before[n] for n, chunk in enumerate(chunks)]
    )
    kept = np.flatnonzero(np.append(True, ids.changes()))
    return starts[kept], ids.take(kept)


def _may_repeat(query_ids: TextColumn) -> bool:
    """Whether two queries may have the same id: their hashes alone are held to tell."""
    hashes = np.fromiter(map(hash, query_ids.encoded_texts()), np.int64, len(query_ids))
    return len(np.unique(hashes)) < len(hashes)


def _refuse_repeated(source: ByteSource, chunks: list[ParsedChunk]) -> None:
    """A query id that comes back later is an error that names both lines."""
    first: dict[str, tuple[ParsedChunk, int]] = {}
    previous = None
    for chunk in chunks:
        for run, query_id in enumerate(chunk.texts.run_ids):
            if query_id != previous and query_id in first:
                line, _ = _place_of_row(source, *first[query_id]).line_and_column()
                raise repeated_query(_place_of_row(source, chunk, run), query_id, line)
            if query_id != previous:
                first[query_id] = (chunk, run)
            previous = query_id


def _place_of_row(source: ByteSource, chunk: ParsedChunk, run: int) -> Place:
    """Where in the file the query id of a run stands first."""
    buffer = source.read(chunk.begin, chunk.end)
    return Place(source, buffer, chunk.lines_before, int(chunk.texts.run_positions[run]))


_LOOK_BYTES = LOOK_BYTES
_QUERY_WORD = b"qid:"


@dataclass(frozen=True)
class LetorShare:
    """Whole queries of a LETOR file: its bytes `begin` to before `end`."""

    path: Path
    begin: int
    end: int
    zero_based: bool = False

    def read(self, threads: int | None = None) -> Dataset:
        """The queries of this share, as wide as the largest index in it.

        A wrong line is named by its number in the whole file. A query that comes back in another
        share cannot be seen from here: whoever joins shares compares their query ids.
        """
        with open_source(self.path, self.begin, self.end) as source:
            return read_source(source, zero_based=self.zero_based, threads=threads)


def cut_into_shares(
    path: str | Path, count: int, *, zero_based: bool = False
) -> tuple[LetorShare, ...]:
    """At most `count` shares of about equally many bytes that together are the whole file.

    There are fewer where queries are longer than such a share. The file must be plain text whose
    rows name their queries.
    """
    if count < 1:
        raise RankwiseError(f"a file must be cut into at least one share, found {count}")
    file = Path(path).absolute()
    if is_compressed(file):
        raise RankwiseError(
            f"{file}: a compressed file cannot be read in shares, since it can only be read from "
            "its beginning; decompress it first"
        )
    if is_table(file) or is_packed(file):
        raise RankwiseError(
            f"{file}: shares are cut from LETOR text, found "
            f"{'packed data' if is_packed(file) else 'a table'}; write it as text first: "
            "rankwise data convert IN OUT"
        )
    with open_source(file) as source:
        _refuse_without_queries(source)
        length = source.size - 1
        inner = {_next_query(source, length * number // count) for number in range(1, count)}
    cuts = [0, *sorted(inner - {length}), length]
    return tuple(LetorShare(file, *span, zero_based) for span in pairwise(cuts))


def _refuse_without_queries(source: ByteSource) -> None:
    """A file whose first row has features where its query should be has no queries anywhere."""
    second = next((words[1] for _, words in first_words(source, 0, _LOOK_BYTES)), b"")
    if b":" in second and not second.startswith(_QUERY_WORD):
        raise FormatError(
            "a file that is read in shares must name the query of every row by qid:, found a "
            f"first row without; write the queries of {Path(source.path).name}.query into it",
            source.path,
        )


def _next_query(source: ByteSource, position: int) -> int:
    """Where the query begins that follows the one of the first row from `position` on.

    A row whose query cannot be read is passed over here: reading its share tells what is wrong.
    """
    first = None
    for begin, (_, query) in first_words(source, position, _LOOK_BYTES):
        if not query.startswith(_QUERY_WORD):
            continue
        if first is not None and query != first:
            return begin
        first = query
    return source.size - 1


MOST_FAULTS = 20
BLOCK_BYTES = 1 << 20
_MOST_CELLS = 1 << 22
_INDEX_OF_FEATURE = re.compile(rb"[ \t]0*([0-9]{1,7}):")


def find_faults(
    path: str | Path, *, zero_based: bool = False, most: int = MOST_FAULTS + 1
) -> list[FormatError]:
    """What is wrong with each line that is no row of LETOR, the first `most` of them.

    One that says more than it may about the queries of others, a query that comes back, is none.
    """
    with open_source(path) as source:
        first_index = 0 if zero_based else 1
        with_queries = LetorFile(source, first_index, 0, 1).names_queries()
        found: Iterator[FormatError] = (
            fault
            for place in _blocks_of_lines(source)
            for fault in _faults_of_lines(place, first_index, with_queries)
        )
        return list(islice(found, most))


def _blocks_of_lines(source: ByteSource) -> Iterator[Place]:
    """Whole lines, about `BLOCK_BYTES` at a time."""
    begin = lines = 0
    block = BLOCK_BYTES
    while begin < source.size - 1:
        end = min(begin + block, source.size)
        buffer = source.read(begin, end)
        feeds = np.flatnonzero(buffer[:-ROOM_AFTER] == 10)
        if len(feeds) == 0 and end < source.size:
            block *= 2
            continue
        if end < source.size:
            end = begin + int(feeds[-1]) + 1
            buffer = source.read(begin, end)
        yield Place(source, buffer, lines)
        begin, lines, block = end, lines + len(feeds), BLOCK_BYTES


def _faults_of_lines(place: Place, first_index: int, with_queries: bool) -> Iterator[FormatError]:
    """What is wrong within a block: after a fault it is read on from the next line."""
    position = _first_byte(place)
    end = len(place.buffer) - ROOM_AFTER
    width = _width_of(place.buffer[:end])
    while position < end:
        piece = _some_lines(place.buffer[position:end], max(_MOST_CELLS // width, 1))
        rows = np.zeros((int(np.count_nonzero(piece == 10)) + 1 - ROOM_AFTER, width))
        found = letor_parser.parse_rows(
            piece, 0, rows, np.empty(len(rows)), first_index=first_index, with_queries=with_queries
        )
        if found.outcome in (letor_parser.FINE, letor_parser.CHANGED):
            position += len(piece) - ROOM_AFTER
            continue
        wrong = position + found.position
        yield _explain_fault(place.at(wrong), found.outcome)
        position = wrong + int(np.flatnonzero(place.buffer[wrong:] == 10)[0]) + 1


def _explain_fault(place: Place, outcome: int) -> FormatError:
    if outcome == letor_parser.INDEX_BEYOND:
        limit = letor_parser.LARGEST_INDEX
        return place.error(f"feature indices may go up to {limit}, found {place.token()}")
    return explain(place, outcome)


def _some_lines(text: NDArray[np.uint8], lines: int) -> NDArray[np.uint8]:
    """The first lines of a text, and the line feeds that the parser wants behind them."""
    feeds = np.flatnonzero(text == 10)
    if len(feeds) > lines:
        text = text[: feeds[lines - 1] + 1]
    return np.concatenate([text, np.full(ROOM_AFTER, 10, np.uint8)])


def _width_of(text: NDArray[np.uint8]) -> int:
    """As many columns as the largest index needs, those beyond reason left out."""
    found = (int(index) for index in _INDEX_OF_FEATURE.findall(text.tobytes()))
    allowed = (index for index in found if index <= letor_parser.LARGEST_INDEX)
    return max(allowed, default=0) + 1


def _first_byte(place: Place) -> int:
    marked = place.lines_before == 0 and place.buffer[:3].tobytes() == BYTE_ORDER_MARK
    return len(BYTE_ORDER_MARK) if marked else 0
