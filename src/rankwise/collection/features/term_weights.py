"""Term frequency, inverse document frequency, and their products.

The sums run over query positions, so that a word that stands twice counts twice; c is c(q_i, d) in
the stream, |d| its length, |C| the number of documents of the collection. Qin, Liu, Xu and Li
(2010), tables 2 and 3. Tables 2 and 3 mean different things by idf: `robertson-idf` is equation 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature


@feature("tf", "Σ c", "Q-D")
def term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences of query words."""
    return view.total(view.counts)


@feature("log-tf", "Σ ln(c + 1)", "Q-D")
def log_term_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Logarithms of the occurrences."""
    return view.total(np.log(view.counts + 1.0))


@feature("tf-share", "Σ c / |d|", "Q-D")
def term_share(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences relative to the length; 0 for an empty stream."""
    return view.total(view.shares)


@feature("log-tf-share", "Σ ln(c / |d| + 1)", "Q-D")
def log_term_share(view: StreamView, parameters: Parameters) -> Column:
    """Logarithms of the relative occurrences."""
    return view.total(np.log(view.shares + 1.0))


@feature("idf", "Σ ln(|C| / df)", "Q")
def inverse_document_frequency(view: StreamView, parameters: Parameters) -> Column:
    """How rare the query words are among documents."""
    return view.total(view.of_terms(np.log(view.n_documents / view.document_frequencies)))


@feature("log-idf", "Σ ln(ln(|C| / df))", "Q")
def log_inverse_document_frequency(view: StreamView, parameters: Parameters) -> Column:
    """Logarithms of idf; a word of every document, where idf = 0, is left out.

    The equation is not defined there, and LETOR's files have no such word.
    """
    idf = np.log(view.n_documents / view.document_frequencies)
    return view.total(view.of_terms(np.log(idf[idf > 0])))


@feature("icf", "Σ ln(|C| / c(q_i, C) + 1)", "Q")
def inverse_collection_frequency(view: StreamView, parameters: Parameters) -> Column:
    """How rare the query words are among all words, with |C| in documents as in the files."""
    return view.total(view.of_terms(np.log(view.n_documents / view.collection_frequencies + 1.0)))


@feature("log-tf-share-idf", "Σ ln((c / |d|) · ln(|C| / df) + 1)", "Q-D")
def log_share_times_idf(view: StreamView, parameters: Parameters) -> Column:
    """The files have the inner logarithm, and all of the product within the outer one."""
    idf = view.of_terms(np.log(view.n_documents / view.document_frequencies))
    return view.total(np.log(view.shares * idf + 1.0))


@feature("tf-idf", "Σ c · ln(|C| / df)", "Q-D")
def term_frequency_times_idf(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences weighted by idf."""
    idf = view.of_terms(np.log(view.n_documents / view.document_frequencies))
    return view.total(view.counts * idf)


@feature("log-tf-share-icf", "Σ ln((c / |d|) · (|C| / c(q_i, C)) + 1)", "Q-D")
def log_share_times_icf(view: StreamView, parameters: Parameters) -> Column:
    """The files have the whole product within the logarithm."""
    rarity = view.of_terms(view.n_documents / view.collection_frequencies)
    return view.total(np.log(view.shares * rarity + 1.0))


@feature("robertson-idf", "Σ ln((|C| − df + 0.5) / (df + 0.5))", "Q")
def robertson_inverse_document_frequency(view: StreamView, parameters: Parameters) -> Column:
    """idf as in equation 1, below 0 for a word of more than half of the documents."""
    return view.total(_weigh_terms(view))


@feature("tf-robertson-idf", "Σ c · ln((|C| − df + 0.5) / (df + 0.5))", "Q-D")
def term_frequency_times_robertson_idf(view: StreamView, parameters: Parameters) -> Column:
    """Occurrences weighted by the idf of equation 1."""
    return view.total(view.counts * _weigh_terms(view))


def compute_robertson_idf(n_documents: float, document_frequencies: Any) -> Any:
    """ln((|C| − df + 0.5) / (df + 0.5)), equation 1, of one df or of many; shared with BM25."""
    df = document_frequencies
    return np.log((n_documents - df + 0.5) / (df + 0.5))


def _weigh_terms(view: StreamView) -> Column:
    """(terms, 1) the idf of equation 1."""
    return view.of_terms(compute_robertson_idf(view.n_documents, view.document_frequencies))
