"""Queries sampled and featured one at a time: their metadata written, their rows collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora import Findings
from rankwise.collection.features import Evidence, FeatureSet, feature_dataset
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.query_classes import QUERY_CLASS
from rankwise.collection.features.sets import (
    DOCUMENT_FEATURES,
    GOV_FEATURES,
    OHSUMED_FEATURES,
)
from rankwise.collection.features.web import WEB_FEATURES
from rankwise.collection.index import Index
from rankwise.collection.index.evidence import Web, query_evidence
from rankwise.collection.index.similarity import similarity_matrix
from rankwise.collection.judged_queries import FEWEST_QUERIES, JudgedQuery, too_few_queries
from rankwise.collection.metadata import (
    COLLECTION_FILE,
    collection_text,
    query_file_name,
    query_text,
)
from rankwise.collection.query_table import query_table_text
from rankwise.collection.relations import write_similarity
from rankwise.collection.sampling import Sample, Sampling, sample
from rankwise.collection.statistics import QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.files import make_folder, write_text

# Features that need nothing from the index but counts; others may look at everything.
_OF_COUNTS = frozenset((*OHSUMED_FEATURES, *GOV_FEATURES, *DOCUMENT_FEATURES, QUERY_CLASS))


@dataclass(frozen=True)
class QueryFacts:
    """How a query came out: its documents, those that are relevant, and all that were judged so."""

    query_id: str
    documents: int
    relevant_sampled: int
    relevant_judged: int


class SampledQueries:
    """Goes through the queries once: features, metadata and relations are of the same samples."""

    def __init__(
        self,
        index: Index,
        queries: Sequence[JudgedQuery],
        sampling: Sampling,
        features: FeatureSet,
        web: Web | None,
        folder: Path,
        *,
        similarity: bool,
        findings: Findings,
        tell: Callable[[int], None],
    ) -> None:
        self._index = index
        self._queries = queries
        self._sampling = sampling
        self._features = features
        self._web = web
        self._folder = folder
        self._similarity = similarity
        self._findings = findings
        self._tell = tell
        self._documents: NDArray[np.int64] = np.zeros(0, np.int64)
        self._kept: list[JudgedQuery] = []
        self.facts: list[QueryFacts] = []

    def dataset(self) -> Dataset:
        """All rows with NULL; metadata and similarities are written on the way."""
        meta = make_folder(self._folder / "Meta")
        write_text(meta / COLLECTION_FILE, collection_text(self._index.statistics))
        return feature_dataset(
            self._index.statistics, self._statistics(meta), self._features, self._evidence
        )

    def table(self) -> str:
        """`queries.tsv`: what became of each query that is in the data set."""
        return query_table_text(
            (
                one.query.id,
                " ".join(one.query.query_class.split()),
                " ".join(one.words),
                facts.documents,
                facts.relevant_sampled,
                facts.relevant_judged,
                " ".join(one.query.text.split()),
            )
            for one, facts in zip(self._kept, self.facts, strict=True)
        )

    def _statistics(self, meta: Path) -> Iterator[QueryStatistics]:
        for done, one in enumerate(self._queries, 1):
            chosen = sample(self._index, one.words, one.judged, self._sampling)
            if not len(chosen.documents):
                self._findings.add("query without documents, left out", f"query {one.query.id}")
                continue
            self._remember(one, chosen)
            statistics = self._index.query_statistics(
                one.query.id, one.words, chosen.documents, chosen.labels
            )
            write_text(meta / query_file_name(one.query.id), query_text(statistics))
            if self._similarity:
                self._write_similarity(one, statistics)
            yield statistics
            self._tell(done)
        if len(self._kept) < FEWEST_QUERIES:
            raise too_few_queries("documents", len(self._kept), self._findings)

    def _remember(self, one: JudgedQuery, chosen: Sample) -> None:
        self._documents = chosen.documents
        self._kept.append(one)
        found = int(np.count_nonzero(chosen.labels > 0))
        if not found:
            self._findings.add(
                "query without a relevant document in its sample", f"query {one.query.id}"
            )
        self.facts.append(QueryFacts(one.query.id, len(chosen.documents), found, one.relevant))

    def _evidence(self, query: QueryStatistics) -> Evidence:
        """For the query whose statistics were given last, as far as a feature may look at it."""
        words = [term.word for term in query.terms]
        names = {column.feature.name for column in self._features.columns} - _OF_COUNTS
        web = self._web if names - set(PROXIMITY_FEATURES) else None
        places = bool(names - set(WEB_FEATURES))
        return query_evidence(self._index, words, self._documents, web, places=places)

    def _write_similarity(self, one: JudgedQuery, statistics: QueryStatistics) -> None:
        folder = make_folder(self._folder / "Relations" / "similarity")
        place = self._sampling.place(self._index)
        matrix = similarity_matrix(self._index, self._documents, place)
        name = query_file_name(one.query.id).removesuffix(".xml")
        write_similarity(folder / f"{name}.npz", statistics.document_ids, matrix)
