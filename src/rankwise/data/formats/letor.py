"""LETOR / SVMlight text: `label qid:ID index:value … #comment`, read by a compiled parser.

An absent index is 0 and the word NULL is NULL. Blank lines, comment lines, carriage returns and
trailing blanks are tolerated; everything else that is not the layout is an error with its place.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.class_comments import classes_of_comments
from rankwise.data.dataset import Dataset, as_features
from rankwise.data.formats.compression import ByteSource, open_source
from rankwise.data.formats.letor_chunks import LetorFile, ParsedChunk, RowSink
from rankwise.data.formats.letor_errors import Place, repeated_query
from rankwise.data.formats.letor_texts import joined_texts
from rankwise.data.formats.side_files import read_query_lengths
from rankwise.data.joining import merge_repeated_queries
from rankwise.data.text import TextColumn, join
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
        starts, query_ids = _runs(rows.chunks)
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


def _runs(chunks: list[ParsedChunk]) -> tuple[NDArray[np.int64], TextColumn]:
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
                line, _ = _place(source, *first[query_id]).line_and_column()
                raise repeated_query(_place(source, chunk, run), query_id, line)
            if query_id != previous:
                first[query_id] = (chunk, run)
            previous = query_id


def _place(source: ByteSource, chunk: ParsedChunk, run: int) -> Place:
    """Where in the file the query id of a run stands first."""
    buffer = source.read(chunk.begin, chunk.end)
    return Place(source, buffer, chunk.lines_before, int(chunk.texts.run_positions[run]))
