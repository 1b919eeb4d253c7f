"""Sample the documents of each query, and write their metadata and feature rows query by query.

LETOR samples in two ways (Qin, Liu, Xu and Li 2010, section 3.2): for Gov the 1,000 best by BM25
over the whole corpus, where those that nobody judged count as irrelevant; for OHSUMED only what
was judged. LETOR's similarity relation says how alike the documents of a query are, as cosines
(section 3.4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.collection.corpora.document import Findings
from rankwise.collection.corpora.text_files import format_query_table
from rankwise.collection.features.definition import Evidence, Parameters
from rankwise.collection.features.feature_files import QUERY_CLASS
from rankwise.collection.features.feature_sets import (
    DOCUMENT_FEATURES,
    GOV_FEATURES,
    OHSUMED_FEATURES,
    FeatureSet,
    compute_features,
    join_queries,
)
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.text_features import (
    compute_robertson_idf,
    round_average_length,
    score_words,
)
from rankwise.collection.features.web_features import WEB_FEATURES
from rankwise.collection.index.index import WHOLE, Index
from rankwise.collection.judged_queries import FEWEST_QUERIES, JudgedQuery, refuse_few_queries
from rankwise.collection.link_evidence import Web, gather_evidence
from rankwise.collection.metadata import (
    COLLECTION_FILE,
    format_collection,
    format_query,
    make_query_file_name,
)
from rankwise.collection.related_documents import write_neighbours, write_similarity
from rankwise.collection.statistics import QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text

SAMPLINGS = {
    "top": "the best by BM25; those that are not judged are irrelevant (LETOR's Gov)",
    "judged": "judged documents only (LETOR's OHSUMED)",
    "pool": "the best by BM25 and all judged documents",
}
Idf = Literal["robertson", "lucene"]


@dataclass(frozen=True)
class Sampling:
    """How documents are chosen.

    Attributes:
        method: a key of `SAMPLINGS`.
        depth: how many of the best by BM25.
        stream: whose BM25.
        parameters: BM25's k1, b and k3.
    """

    method: str = "top"
    depth: int = 1000
    stream: str = WHOLE
    parameters: Parameters = field(default_factory=Parameters)

    def __post_init__(self) -> None:
        check_choice("a sampling", self.method, SAMPLINGS, verb="is")
        if self.depth < 1:
            raise RankwiseError(f"the depth must be at least 1, found {self.depth}")

    def place(self, index: Index) -> int:
        """The stream's place; an index of a single stream has no other whole."""
        single = self.stream == WHOLE and WHOLE not in index.view_names
        return 0 if single else index.place(self.stream)


class Sample(NamedTuple):
    """Documents in the order of falling BM25, then of the corpus, with their labels."""

    documents: NDArray[np.int64]
    labels: NDArray[np.float64]


def sample(
    index: Index, words: Sequence[str], judged: Mapping[int, float], sampling: Sampling
) -> Sample:
    """The documents of a query; `judged` are labels by document number."""
    place = sampling.place(index)
    found, scores = compute_bm25(index, words, place, sampling.parameters)
    order = np.lexsort((found, -scores))
    ranked = found[order]
    if sampling.method == "top":
        ranked = ranked[: sampling.depth]
    else:
        known = np.array(sorted(judged), np.int64)
        best = ranked[: sampling.depth] if sampling.method == "pool" else ranked[:0]
        kept = np.isin(ranked, np.concatenate([best, known]))
        ranked = np.concatenate([ranked[kept], known[~np.isin(known, found)]])
    labels = np.array([judged.get(document, 0) for document in ranked.tolist()], np.float64)
    return Sample(ranked, labels)


def compute_bm25(
    index: Index,
    words: Sequence[str],
    place: int,
    parameters: Parameters,
    *,
    idf: Idf = "robertson",
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Documents (ascending) with any of the words in a stream, and their BM25.

    Equation 2 of Qin, Liu, Xu and Li (2010), Σ over distinct words of

        idf · c (k1 + 1) / (c + k1 (1 − b + b |d| / avgdl)) · (k3 + 1) qtf / (k3 + qtf)

    with idf = ln((N − df + 0.5) / (df + 0.5)), or as Lucene has it, ln(1 + the same quotient).
    """
    total_terms = index.manifest.views[place].total_terms
    average = round_average_length(total_terms, index.n_documents, parameters)
    lengths = index.lengths(place)
    scores = np.zeros(index.n_documents)
    having = np.zeros(index.n_documents, bool)
    repeats: dict[str, int] = {}
    for word in words:
        repeats[word] = repeats.get(word, 0) + 1
    for word, in_query in repeats.items():
        documents, frequencies = index.postings(place, index.find_term_number(word))
        if not len(documents):
            continue
        weight = _IDF[idf](index.n_documents, len(documents))
        counts, relative = frequencies.astype(np.float64), lengths[documents] / average
        scores[documents] += score_words(counts, relative, weight, in_query, parameters)
        having[documents] = True
    found = np.flatnonzero(having)
    return found, scores[found]


def _compute_lucene_idf(n_documents: int, document_frequency: int) -> float:
    odds = (n_documents - document_frequency + 0.5) / (document_frequency + 0.5)
    return float(np.log(1.0 + odds))


_IDF = {"robertson": compute_robertson_idf, "lucene": _compute_lucene_idf}


# Features that need nothing from the index but counts; others may look at everything.
_FEATURES_OF_COUNTS = frozenset((*OHSUMED_FEATURES, *GOV_FEATURES, *DOCUMENT_FEATURES, QUERY_CLASS))


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
        names = {column.feature.name for column in self.features.columns} - _FEATURES_OF_COUNTS
        web = self.web if names - set(PROXIMITY_FEATURES) else None
        places = bool(names - set(WEB_FEATURES))
        return gather_evidence(self.index, words, chosen.documents, web, places=places)

    def _write_similarity(self, query: QueryStatistics, chosen: Sample) -> None:
        folder = make_folder(self.folder / "Relations" / "similarity")
        place = self.sampling.place(self.index)
        matrix = compute_similarity(self.index, chosen.documents, place)
        name = make_query_file_name(query.query_id).removesuffix(".xml")
        write_similarity(folder / f"{name}.npz", query.document_ids, matrix)


def compute_similarity(
    index: Index, documents: NDArray[np.int64], place: int
) -> NDArray[np.float32]:
    """(documents, documents) cosine of c · ln(N / df) over the words of one stream.

    The paper does not say how LETOR's similarities were computed. A document without words is
    like nothing, not even itself.
    """
    from scipy.sparse import csr_array

    begins, ends = index.stretches(documents, place)
    words = [
        np.unique(index.tokens[b:e], return_counts=True) for b, e in zip(begins, ends, strict=True)
    ]
    offsets = np.cumsum([0, *(len(terms) for terms, _ in words)])
    terms, columns = np.unique(
        np.concatenate([np.zeros(0, np.int32), *(terms for terms, _ in words)]), return_inverse=True
    )
    counts = np.concatenate([np.zeros(0, np.int64), *(counts for _, counts in words)])
    df = index.document_frequencies(place, terms.astype(np.int64))
    weights = counts * np.log(index.n_documents / df)[columns]
    vectors = csr_array((weights, columns, offsets), shape=(len(documents), len(terms)))
    norms = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    scale = np.where(norms > 0, 1.0 / np.where(norms > 0, norms, 1.0), 0.0)
    products = (vectors @ vectors.T).toarray()
    return np.asarray(products * scale[:, None] * scale[None, :], np.float32)
