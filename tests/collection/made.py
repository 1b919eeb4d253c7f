"""Small collections and queries made at random, with counts that a corpus could have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from rankwise.collection.index.index import Index
from rankwise.collection.metadata import (
    COLLECTION_FILE,
    format_collection,
    format_query,
    make_query_file_name,
)
from rankwise.collection.statistics import (
    CollectionStatistics,
    QueryStatistics,
    QueryTerm,
    StreamStatistics,
)

GOV_STREAMS = ("body", "anchor", "title", "URL", "whole document", "extracted title")


def made_collection(streams: tuple[str, ...] = ("title", "body")) -> CollectionStatistics:
    described = tuple(
        StreamStatistics(number, name, 900 * number, 12_345 * number)
        for number, name in enumerate(streams, 1)
    )
    return CollectionStatistics("made", 1000, described)


def made_query(
    seed: int, collection: CollectionStatistics, n_documents: int = 7, query_id: str = "1"
) -> QueryStatistics:
    """Words `b` stands twice, `unknown` nowhere; some streams of documents are empty."""
    rng = np.random.default_rng(seed)
    n_streams = len(collection.streams)
    words = ("a", "b", "unknown", "b", "c")
    frequencies = {word: _frequencies(rng, word, n_streams) for word in words}
    counts = {
        word: rng.integers(0, 4, (n_documents, n_streams)) * (word != "unknown") for word in words
    }
    term_frequencies = np.stack([counts[word] for word in words], axis=2).astype(np.int64)
    empty = rng.random((n_documents, n_streams)) < 0.2
    term_frequencies[empty] = 0
    distinct = counts["a"] + counts["b"] + counts["c"]
    lengths = np.where(empty, 0, distinct + rng.integers(1, 30, empty.shape)).astype(np.int64)
    unique_lengths = np.minimum(lengths, 3 + lengths // 2)
    return QueryStatistics(
        query_id,
        tuple([4] * n_streams),
        tuple(QueryTerm(word, *frequencies[word]) for word in words),
        tuple(f"d{number}" for number in range(n_documents)),
        rng.integers(0, 3, n_documents),
        lengths,
        unique_lengths,
        term_frequencies,
    )


def _frequencies(
    rng: np.random.Generator, word: str, n_streams: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if word == "unknown":
        return (0,) * n_streams, (0,) * n_streams
    df = rng.integers(5, 900, n_streams)
    cf = df + rng.integers(0, 500, n_streams)
    return tuple(df.tolist()), tuple(cf.tolist())


def write_metadata(
    directory: Path, collection: CollectionStatistics, queries: Iterable[QueryStatistics]
) -> None:
    """The collection file and one file per query in a folder, made where it is missing."""
    directory.mkdir(exist_ok=True)
    (directory / COLLECTION_FILE).write_text(format_collection(collection), "utf-8")
    for query in queries:
        path = directory / make_query_file_name(query.query_id)
        path.write_text(format_query(query), "utf-8")


def words_in(index: Index, document: int, stream: str) -> list[str]:
    """The words of one stream of one document, in the order of the text."""
    begins, ends = index.stretches(np.array([document]), index.place(stream))
    return [index.terms[int(term)] for term in index.tokens[begins[0] : ends[0]]]
