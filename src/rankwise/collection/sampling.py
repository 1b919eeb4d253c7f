"""Which documents of a corpus a query gets, and BM25 over the whole corpus to choose them.

LETOR has two ways (Qin, Liu, Xu and Li 2010, section 3.2): for Gov the 1,000 best by BM25, where
those that nobody judged count as irrelevant; for OHSUMED only what was judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.bm25 import round_average_length, score_words
from rankwise.collection.features.definition import Parameters
from rankwise.collection.features.term_weights import compute_robertson_idf
from rankwise.collection.index.index import WHOLE, Index
from rankwise.errors import RankwiseError

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
        if self.method not in SAMPLINGS:
            raise RankwiseError(
                f"a sampling is one of {', '.join(SAMPLINGS)}, found {self.method!r}"
            )
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
