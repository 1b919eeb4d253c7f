"""Features of documents and of how much of the query they cover.

Lengths are in LETOR's Gov tables; the rest is what section 6.2 of Qin, Liu, Xu and Li (2010) found
missing from OHSUMED, or is listed for Microsoft's later web data sets (coverage and the spread of
term frequencies).
"""

from __future__ import annotations

import numpy as np

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature


@feature("length", "|d|", "D")
def length(view: StreamView, parameters: Parameters) -> Column:
    """Words of the stream."""
    return view.lengths


@feature("unique-length", "u(d)", "D")
def unique_length(view: StreamView, parameters: Parameters) -> Column:
    """Distinct words of the stream."""
    return view.unique_lengths


@feature("log-length", "ln(|d| + 1)", "D")
def log_length(view: StreamView, parameters: Parameters) -> Column:
    """The length on a scale where doubling counts the same everywhere."""
    return np.log(view.lengths + 1.0)


@feature("diversity", "u(d) / |d|", "D")
def diversity(view: StreamView, parameters: Parameters) -> Column:
    """Share of distinct words, 0 for an empty stream."""
    return view.unique_lengths / np.maximum(view.lengths, 1.0)


@feature("query-length", "|q|", "Q")
def query_length(view: StreamView, parameters: Parameters) -> Column:
    """Query positions whose word the stream knows."""
    return np.full(len(view.lengths), float(len(view.words)))


@feature("covered-terms", "Σ 1{c > 0}", "Q-D")
def covered_terms(view: StreamView, parameters: Parameters) -> Column:
    """Query positions whose word occurs."""
    return view.total((view.counts > 0).astype(np.float64))


@feature("coverage", "Σ 1{c > 0} / |q|", "Q-D")
def coverage(view: StreamView, parameters: Parameters) -> Column:
    """Share of the known query positions whose word occurs; 0 where none is known."""
    return covered_terms(view, parameters) / max(len(view.words), 1)


@feature("covered-idf", "Σ 1{c > 0} ln(|C| / df) / Σ ln(|C| / df)", "Q-D")
def covered_idf(view: StreamView, parameters: Parameters) -> Column:
    """Coverage with rare words weighing more; 0 where all words are in every document."""
    idf = np.log(view.n_documents / view.document_frequencies)
    whole = float(view.total(view.of_terms(idf)).max(initial=0.0))
    found = view.total((view.counts > 0) * view.of_terms(idf))
    return found / whole if whole > 0 else found


@feature("least-tf", "min c", "Q-D")
def least_term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences of the rarest query word in the document; 0 where none is known."""
    return view.counts.min(axis=0) if len(view.words) else np.zeros(len(view.lengths))


@feature("greatest-tf", "max c", "Q-D")
def greatest_term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences of the commonest query word in the document."""
    return np.asarray(view.counts.max(axis=0, initial=0.0))


@feature("mean-tf", "Σ c / |q|", "Q-D")
def mean_term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences per known query position."""
    return view.total(view.counts) / max(len(view.words), 1)


@feature("variance-tf", "Σ (c − Σ c / |q|)² / |q|", "Q-D")
def variance_of_term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """How unevenly the query words occur."""
    mean = mean_term_frequency(view, parameters)
    return view.total((view.counts - mean) ** 2) / max(len(view.words), 1)


@feature("cosine", "Σ w · idf / (√Σ w² √Σ idf²), w = c · idf, idf = ln(|C| / df)", "Q-D")
def cosine(view: StreamView, parameters: Parameters) -> Column:
    """Angle of document and query in the space of the query's words, tf·idf against idf."""
    idf = view.of_terms(np.log(view.n_documents / view.document_frequencies))
    weights = view.counts * idf
    norms = np.sqrt(view.total(weights**2) * view.total(idf**2))
    return view.total(weights * idf) / np.where(norms > 0, norms, 1.0)
