"""BM25 as LETOR computed it, and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature
from rankwise.collection.features.term_weights import compute_robertson_idf

_FORMULA = (
    "Σ over distinct words idf · c (k1 + 1) / (c + k1 (1 − b + b |d| / avgdl)) "
    "· (k3 + 1) qtf / (k3 + qtf)"
)


@feature("bm25", _FORMULA, "Q-D", null_without_match=True, null_becomes_zero=True)
def bm25(view: StreamView, parameters: Parameters) -> Column:
    """Equation 2 with the idf of equation 1; qtf counts a word's positions in the query.

    A word of more than half of the documents has a negative idf and lowers the score, as the
    equation says; LETOR's OHSUMED has none. Robertson, Walker, Jones, Hancock-Beaulieu and
    Gatford (1995). Okapi at TREC-3.
    """
    return bm25_of_counts(view, parameters, view.counts)


@feature("log-bm25", "ln(BM25)", "Q-D", null_without_match=True, null_becomes_zero=True)
def log_bm25(view: StreamView, parameters: Parameters) -> Column:
    """The logarithm of the unrounded BM25; NULL where BM25 is not above 0."""
    score = bm25(view, parameters)
    return np.log(np.where(score > 0, score, np.nan))


def bm25_of_counts(view: StreamView, parameters: Parameters, counts: Column) -> Column:
    """BM25 of other counts (terms, documents) than the stream's own, as propagation makes them."""
    first, repeats = _find_distinct(view.words)
    average = round_average_length(view.total_terms, view.n_documents, parameters)
    relative = view.lengths / average if average > 0 else np.zeros_like(view.lengths)
    idf = compute_robertson_idf(view.n_documents, view.document_frequencies)
    summands = score_words(
        counts[first], relative, view.of_terms(idf[first]), view.of_terms(repeats), parameters
    )
    return view.total(summands)


def score_words(
    counts: Column,
    relative_lengths: Column,
    idf: Any,
    query_frequencies: Any,
    parameters: Parameters,
) -> Column:
    """What words add to BM25 of documents: the summands of equation 2.

    Of one word with its counts (documents,), idf and frequency in the query, or of several with
    counts (terms, documents) and both others (terms, 1). Relative lengths are |d| / avgdl.
    """
    k1, b, k3 = parameters.k1, parameters.b, parameters.k3
    # c = 0 gives 0 also where k1 = 0 makes the divisor 0.
    divisor = np.where(counts > 0, counts + k1 * (1.0 - b + b * relative_lengths), 1.0)
    in_query = (k3 + 1.0) * query_frequencies / (k3 + query_frequencies)
    summands: Column = idf * counts * (k1 + 1.0) / divisor * in_query
    return summands


def round_average_length(total_terms: float, n_documents: float, parameters: Parameters) -> float:
    """avgdl, words of the stream per document, to the significant digits that are asked for."""
    average = total_terms / n_documents
    digits = parameters.average_length_digits
    return average if digits is None else float(f"{average:.{digits}g}")


def _find_distinct(words: tuple[str, ...]) -> tuple[list[int], Column]:
    """Where each distinct word first stands, and how often it stands in the query."""
    first: dict[str, int] = {}
    repeats: dict[str, float] = {}
    for place, word in enumerate(words):
        first.setdefault(word, place)
        repeats[word] = repeats.get(word, 0.0) + 1.0
    return list(first.values()), np.array(list(repeats.values()))
