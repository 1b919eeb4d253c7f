"""Judged documents with scores, flat, in the order of the file: what every tool is given.

Runs are joined with judgements, which says what documents were retrieved and which only judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.formats.score_files import find_large_integers
from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """Labels and scores of the documents of queries.

    Rows `query_offsets[q]` … `query_offsets[q + 1] - 1` are one unbroken run of rows with the same
    query id. An id may come back in a later run: what that means is up to the tool.

    Attributes:
        labels: relevance judgements; NaN for a retrieved document that was never judged.
        scores: one per row; what stands in rows that were not retrieved is not read.
        query_offsets: (runs + 1,) from 0 to the number of rows.
        query_ids: one text per run.
        document_ids: one text per row, where known.
        retrieved: how many rows of each run were retrieved (None: all); the rest, at the end of
            the run, are judged documents that the ranking does not have.
        ideal_labels: the labels that make the ideal lists, where they are not `labels`.
        large_integers: rows whose score was written as a whole number that a double cannot hold.
        surplus_scores: how many scores followed those of the last row.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]
    query_offsets: NDArray[np.int64]
    query_ids: Sequence[str]
    document_ids: Sequence[str] | None = None
    retrieved: NDArray[np.int64] | None = None
    ideal_labels: NDArray[np.float64] | None = None
    large_integers: Mapping[int, int] = field(default_factory=dict)
    surplus_scores: int = 0

    def __post_init__(self) -> None:
        for name in ("labels", "scores"):
            array = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, array)
        offsets = np.ascontiguousarray(self.query_offsets, dtype=np.int64)
        object.__setattr__(self, "query_offsets", offsets)
        _check_lengths(self)

    @property
    def n_queries(self) -> int:
        """Number of runs of rows."""
        return len(self.query_offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Rows per query."""
        return np.diff(self.query_offsets)

    @property
    def retrieved_lengths(self) -> NDArray[np.int64]:
        """Retrieved documents per query."""
        return self.lengths if self.retrieved is None else self.retrieved

    def take(self, rows: NDArray[np.int64], lengths: ArrayLike, ids: Sequence[str]) -> JudgedScores:
        """Other rows in another order, as queries of these lengths; all rows are retrieved ones."""
        documents = self.document_ids
        places = {int(row): place for place, row in enumerate(rows)} if self.large_integers else {}
        return replace(
            self,
            labels=self.labels[rows],
            scores=self.scores[rows],
            query_offsets=offsets_of(lengths),
            query_ids=ids,
            document_ids=None if documents is None else [documents[row] for row in rows.tolist()],
            large_integers={
                places[row]: number for row, number in self.large_integers.items() if row in places
            },
        )


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Where queries of these lengths begin and end."""
    sizes = np.asarray(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _check_lengths(judged: JudgedScores) -> None:
    rows = len(judged.labels)
    if len(judged.scores) != rows:
        raise RankwiseError(
            f"there must be one score per document, found {len(judged.scores)} scores "
            f"for {rows} documents"
        )
    offsets = judged.query_offsets
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != rows or np.any(np.diff(offsets) < 0):
        raise RankwiseError(f"query offsets must rise from 0 to the number of documents ({rows})")
    if len(judged.query_ids) != judged.n_queries:
        raise RankwiseError(
            f"there must be one id per query, found {len(judged.query_ids)} ids "
            f"for {judged.n_queries} queries"
        )
    if judged.document_ids is not None and len(judged.document_ids) != rows:
        raise RankwiseError(
            f"there must be one id per document, found {len(judged.document_ids)} for {rows}"
        )
    if judged.retrieved is not None:
        _check_retrieved(judged)
    if rows and np.isnan(np.min(judged.scores)):
        _check_scores(judged)


def _check_scores(judged: JudgedScores) -> None:
    within = np.arange(len(judged.scores)) - np.repeat(judged.query_offsets[:-1], judged.lengths)
    read = within < np.repeat(judged.retrieved_lengths, judged.lengths)
    missing = np.flatnonzero(np.isnan(judged.scores) & read)
    if len(missing):
        raise RankwiseError(
            f"scores must be numbers: {len(missing)} of {len(judged.scores)} are NaN, the first "
            f"in row {missing[0] + 1}; correct the scores"
        )


def _check_retrieved(judged: JudgedScores) -> None:
    retrieved = judged.retrieved_lengths
    if len(retrieved) != judged.n_queries or np.any((retrieved < 0) | (retrieved > judged.lengths)):
        raise RankwiseError("of every query 0 to all of its documents must be retrieved")


QueryDocuments = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Joined:
    """A run joined with judgements, and the queries that only one of the two has."""

    judged: JudgedScores
    only_judged: tuple[str, ...]
    only_retrieved: tuple[str, ...]


def join_run(judgements: QueryDocuments, run: QueryDocuments, *, complete: bool = False) -> Joined:
    """Judged documents with the scores of a run, query by query in the order of the judgements.

    Retrieved documents without a judgement have label NaN; judged ones that were not retrieved
    follow at the end of their query. With `complete`, queries that the run lacks are lists without
    documents; otherwise they are left out.
    """
    only_judged = tuple(query for query in judgements if query not in run)
    only_retrieved = tuple(query for query in run if query not in judgements)
    chosen = [query for query in judgements if complete or query in run]
    labels: list[float] = []
    scores: list[float] = []
    documents: list[str] = []
    lengths = []
    retrieved = []
    for query in chosen:
        found, known = run.get(query, {}), judgements[query]
        rest = [document for document in known if document not in found]
        labels += [known.get(document, np.nan) for document in found]
        labels += [known[document] for document in rest]
        scores += [*found.values(), *([0.0] * len(rest))]
        documents += [*found, *rest]
        lengths.append(len(found) + len(rest))
        retrieved.append(len(found))
    values = np.array(scores, dtype=np.float64)
    judged = JudgedScores(
        np.array(labels, dtype=np.float64),
        values,
        offsets_of(lengths),
        chosen,
        documents,
        retrieved=np.array(retrieved, dtype=np.int64),
        large_integers=find_large_integers(values, scores),
    )
    return Joined(judged, only_judged, only_retrieved)
