"""The counts that query-document features are computed from, and nothing else of the corpus.

LETOR publishes them as its metadata (Qin, Liu, Xu and Li 2010, section 3.4). An index produces
them for a sampled query, the metadata reader from LETOR's XML; features consume them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class StreamStatistics:
    """One stream (title, body, …) of a whole collection, with its distinct and all words."""

    stream_id: int
    description: str
    unique_terms: int
    total_terms: int


@dataclass(frozen=True)
class CollectionStatistics:
    """A collection and its streams.

    `n_documents` is the same for all streams: documents whose stream is empty count too.
    """

    name: str
    n_documents: int
    streams: tuple[StreamStatistics, ...]

    def __post_init__(self) -> None:
        if self.n_documents < 1 or not self.streams:
            raise RankwiseError(
                "a collection must have at least one document and one stream, found "
                f"{self.n_documents} documents and {len(self.streams)} streams in {self.name!r}"
            )

    @property
    def stream_names(self) -> tuple[str, ...]:
        """The descriptions of the streams, in order."""
        return tuple(stream.description for stream in self.streams)


@dataclass(frozen=True)
class QueryTerm:
    """The word at one position of a query; its frequencies have one entry per stream.

    A word that a stream does not know has 0 in both.

    Attributes:
        word: as it stands in the index, usually a stem.
        document_frequency: documents that have the word in the stream.
        collection_frequency: occurrences of the word in the stream over all documents.
    """

    word: str
    document_frequency: tuple[int, ...]
    collection_frequency: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class QueryStatistics:
    """One query with its documents.

    Attributes:
        query_id: its name.
        stream_query_lengths: per stream, the positions whose word the stream knows.
        terms: one per query position, so that a word that stands twice appears twice.
        document_ids: one per document.
        labels: (documents,) judgements.
        lengths: (documents, streams) words.
        unique_lengths: (documents, streams) distinct words.
        term_frequencies: (documents, streams, positions) occurrences of the query's words.
    """

    query_id: str
    stream_query_lengths: tuple[int, ...]
    terms: tuple[QueryTerm, ...]
    document_ids: tuple[str, ...]
    labels: NDArray[np.float64]
    lengths: Counts
    unique_lengths: Counts
    term_frequencies: Counts

    def __post_init__(self) -> None:
        n, streams = len(self.document_ids), len(self.stream_query_lengths)
        for name, shape in (
            ("lengths", (n, streams)),
            ("unique_lengths", (n, streams)),
            ("term_frequencies", (n, streams, len(self.terms))),
        ):
            self._check_array(name, shape)
        if self.labels.shape != (n,) or self.labels.dtype not in (np.int64, np.float64):
            raise RankwiseError(
                f"query {self.query_id}: labels must be numbers of shape {(n,)}, found "
                f"{self.labels.dtype} of shape {self.labels.shape}"
            )
        for term in self.terms:
            if not streams == len(term.document_frequency) == len(term.collection_frequency):
                raise RankwiseError(
                    f"query {self.query_id}: the word {term.word!r} must have a document and a "
                    f"collection frequency for each of the {streams} streams"
                )

    def _check_array(self, name: str, shape: tuple[int, ...]) -> None:
        array: Counts = getattr(self, name)
        if array.shape != shape or array.dtype != np.int64:
            raise RankwiseError(
                f"query {self.query_id}: {name} must be whole numbers (int64) of shape {shape}, "
                f"found {array.dtype} of shape {array.shape}"
            )

    @property
    def n_documents(self) -> int:
        """How many documents the query has."""
        return len(self.document_ids)

    def document_frequencies(self, stream: int) -> Counts:
        """df of the word at each position, in the stream at this place (from 0)."""
        return np.array([term.document_frequency[stream] for term in self.terms], np.int64)

    def collection_frequencies(self, stream: int) -> Counts:
        """cf of the word at each position, in the stream at this place (from 0)."""
        return np.array([term.collection_frequency[stream] for term in self.terms], np.int64)


def check_query(collection: CollectionStatistics, query: QueryStatistics) -> None:
    """Refuse counts that no corpus can have; the formulas would make nonsense of them."""
    if len(query.stream_query_lengths) != len(collection.streams):
        raise RankwiseError(
            f"query {query.query_id} must have the {len(collection.streams)} streams of "
            f"{collection.name}, found {len(query.stream_query_lengths)}"
        )
    for problem in _find_impossible(collection, query):
        raise RankwiseError(f"query {query.query_id}: {problem}")


def _find_impossible(collection: CollectionStatistics, query: QueryStatistics) -> list[str]:
    found = []
    counts = query.term_frequencies
    if min(int(a.min(initial=0)) for a in (query.lengths, query.unique_lengths, counts)) < 0:
        found.append("counts must not be negative, found one that is")
    if np.any(query.unique_lengths > query.lengths):
        found.append("a stream must not have more distinct words than words, found one that has")
    if np.any(counts > query.lengths[:, :, None]):
        found.append("a word must not occur more often than the stream has words, found one")
    for place, stream in enumerate(collection.streams):
        df, cf = query.document_frequencies(place), query.collection_frequencies(place)
        wrong = (df > collection.n_documents) | (cf > stream.total_terms) | (cf < df) | (df < 0)
        wrong |= (df == 0) != (cf == 0)
        wrong |= (df == 0) & np.any(counts[:, place, :] > 0, axis=0)
        if wrong.any():
            term = query.terms[int(np.flatnonzero(wrong)[0])]
            found.append(
                f"the figures of the word {term.word!r} contradict each other in stream "
                f"{stream.description!r}: it must be in at most {collection.n_documents} documents "
                f"and {stream.total_terms} words, at least once in each of its documents"
            )
    return found
