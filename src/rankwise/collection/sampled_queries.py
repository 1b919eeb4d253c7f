"""Queries sampled and featured one at a time: their metadata written, their rows collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora import Findings
from rankwise.collection.features import (
    Evidence,
    FeatureSet,
    compute_features,
    join_queries,
)
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.query_classes import QUERY_CLASS
from rankwise.collection.features.sets import (
    DOCUMENT_FEATURES,
    GOV_FEATURES,
    OHSUMED_FEATURES,
)
from rankwise.collection.features.web import WEB_FEATURES
from rankwise.collection.index import Index
from rankwise.collection.index.evidence import Web, gather_evidence
from rankwise.collection.index.similarity import compute_similarity
from rankwise.collection.judged_queries import FEWEST_QUERIES, JudgedQuery, refuse_few_queries
from rankwise.collection.metadata import (
    COLLECTION_FILE,
    format_collection,
    format_query,
    make_query_file_name,
)
from rankwise.collection.neighbours import write_neighbours
from rankwise.collection.query_table import format_query_table
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


@dataclass(frozen=True, eq=False)
class SampledQueries:
    """All rows with NULL, and the queries they are of with what became of each."""

    dataset: Dataset
    queries: tuple[JudgedQuery, ...]
    facts: tuple[QueryFacts, ...]

    @property
    def classes(self) -> dict[str, str] | None:
        """The class of each query, where the file of queries gives them."""
        classes = {one.query.id: " ".join(one.query.query_class.split()) for one in self.queries}
        return classes if any(classes.values()) else None

    def format_table(self) -> str:
        """`queries.tsv`: what became of each query that is in the data set."""
        classes = self.classes or {}
        return format_query_table(
            (
                one.query.id,
                classes.get(one.query.id, ""),
                " ".join(one.words),
                facts.documents,
                facts.relevant_sampled,
                facts.relevant_judged,
                " ".join(one.query.text.split()),
            )
            for one, facts in zip(self.queries, self.facts, strict=True)
        )


@dataclass(frozen=True, eq=False)
class QuerySampler:
    """Chooses documents for queries and computes their features.

    Attributes:
        index: of the corpus.
        sampling: how documents are chosen.
        features: what is computed of them.
        web: links and URLs, where the corpus has them.
        folder: where metadata and similarities of the samples are written.
        similarity: whether similarities are.
        findings: what is told of queries with few documents.
    """

    index: Index
    sampling: Sampling
    features: FeatureSet
    web: Web | None
    folder: Path
    similarity: bool
    findings: Findings

    def sample(self, queries: Sequence[JudgedQuery], tell: Callable[[int], None]) -> SampledQueries:
        """Go through the queries once: features, metadata and relations are of the same samples.

        `tell` is called with how many queries are done.
        """
        meta = make_folder(self.folder / "Meta")
        write_text(meta / COLLECTION_FILE, format_collection(self.index.statistics))
        kept: list[JudgedQuery] = []
        facts: list[QueryFacts] = []

        def compute() -> Iterator[tuple[QueryStatistics, NDArray[np.float64]]]:
            for done, one in enumerate(queries, 1):
                chosen = sample(self.index, one.words, one.judged, self.sampling)
                if not len(chosen.documents):
                    self.findings.add("query without documents, left out", f"query {one.query.id}")
                    continue
                kept.append(one)
                facts.append(self._count(one, chosen))
                yield self._compute_query(one, chosen, meta)
                tell(done)
            if len(kept) < FEWEST_QUERIES:
                raise refuse_few_queries("documents", len(kept), self.findings)

        dataset = join_queries(compute(), self.features)
        return SampledQueries(dataset, tuple(kept), tuple(facts))

    def _count(self, one: JudgedQuery, chosen: Sample) -> QueryFacts:
        found = int(np.count_nonzero(chosen.labels > 0))
        if not found:
            self.findings.add(
                "query without a relevant document in its sample", f"query {one.query.id}"
            )
        return QueryFacts(one.query.id, len(chosen.documents), found, one.relevant)

    def _compute_query(
        self, one: JudgedQuery, chosen: Sample, meta: Path
    ) -> tuple[QueryStatistics, NDArray[np.float64]]:
        statistics = self.index.query_statistics(
            one.query.id, one.words, chosen.documents, chosen.labels
        )
        write_text(meta / make_query_file_name(one.query.id), format_query(statistics))
        if self.similarity:
            self._write_similarity(statistics, chosen)
        evidence = self._find_evidence(statistics, chosen)
        if evidence.neighbours is not None:
            write_neighbours(meta, one.query.id, evidence.neighbours)
        collection = self.index.statistics
        return statistics, compute_features(collection, statistics, self.features, evidence)

    def _find_evidence(self, query: QueryStatistics, chosen: Sample) -> Evidence:
        """What a feature of the set may look at beyond the counts of the query."""
        words = [term.word for term in query.terms]
        names = {column.feature.name for column in self.features.columns} - _OF_COUNTS
        web = self.web if names - set(PROXIMITY_FEATURES) else None
        places = bool(names - set(WEB_FEATURES))
        return gather_evidence(self.index, words, chosen.documents, web, places=places)

    def _write_similarity(self, query: QueryStatistics, chosen: Sample) -> None:
        folder = make_folder(self.folder / "Relations" / "similarity")
        place = self.sampling.place(self.index)
        matrix = compute_similarity(self.index, chosen.documents, place)
        name = make_query_file_name(query.query_id).removesuffix(".xml")
        write_similarity(folder / f"{name}.npz", query.document_ids, matrix)
