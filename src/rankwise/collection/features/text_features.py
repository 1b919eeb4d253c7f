"""Features of the text of a stream: term weights, BM25, language models, lengths and coverage.

**Term frequency, inverse document frequency, and their products.** The sums run over query
positions, so that a word that stands twice counts twice; c is c(q_i, d) in the stream, |d| its
length, |C| the number of documents of the collection. Qin, Liu, Xu and Li (2010), tables 2 and 3.
Tables 2 and 3 mean different things by idf: `robertson-idf` is equation 1.

**BM25** as LETOR computed it, and its logarithm.

**The three smoothed language models** of Zhai and Lafferty (2001), as LETOR computed them. The sums
run over all query positions whose word the stream knows, present in the document or not;
p(w|C) = c(w, C) / T with T the words of the stream in the collection. NULL where no query word
occurs in the stream of the document, as in LETOR's files. Zhai and Lafferty (2001). A study of
smoothing methods for language models applied to ad hoc information retrieval. SIGIR.

**Documents, and how much of the query they cover.** Lengths are in LETOR's Gov tables; the rest is
what section 6.2 of Qin, Liu, Xu and Li (2010) found missing from OHSUMED, or is listed for
Microsoft's later web data sets (coverage and the spread of term frequencies).
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


_BM25_FORMULA = (
    "Σ over distinct words idf · c (k1 + 1) / (c + k1 (1 − b + b |d| / avgdl)) "
    "· (k3 + 1) qtf / (k3 + qtf)"
)


@feature("bm25", _BM25_FORMULA, "Q-D", null_without_match=True, null_becomes_zero=True)
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
    first, repeats = _find_distinct_words(view.words)
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


def _find_distinct_words(words: tuple[str, ...]) -> tuple[list[int], Column]:
    """Where each distinct word first stands, and how often it stands in the query."""
    first: dict[str, int] = {}
    repeats: dict[str, float] = {}
    for place, word in enumerate(words):
        first.setdefault(word, place)
        repeats[word] = repeats.get(word, 0.0) + 1.0
    return list(first.values()), np.array(list(repeats.values()))


@feature("lmir-dir", "Σ ln((c + μ p(w|C)) / (|d| + μ))", "Q-D", null_without_match=True)
def dirichlet(view: StreamView, parameters: Parameters) -> Column:
    """Dirichlet prior with μ words of the collection."""
    mu = parameters.mu
    return view.total(
        np.log((view.counts + mu * _estimate_in_collection(view)) / (view.lengths + mu))
    )


@feature("lmir-jm", "Σ ln((1 − λ) c / |d| + λ p(w|C))", "Q-D", null_without_match=True)
def jelinek_mercer(view: StreamView, parameters: Parameters) -> Column:
    """Mixture with the weight λ on the collection, as Zhai and Lafferty write it.

    LETOR's λ = 0.5 on OHSUMED cannot tell which side λ stands on; its 0.1 on Gov is what they
    found good for short queries with λ on the collection.
    """
    weight = parameters.lambda_
    return view.total(np.log((1.0 - weight) * view.shares + weight * _estimate_in_collection(view)))


@feature(
    "lmir-abs",
    "Σ ln(max(c − δ, 0) / |d| + δ (u / |d|) p(w|C)), u distinct words of d",
    "Q-D",
    null_without_match=True,
)
def absolute_discounting(view: StreamView, parameters: Parameters) -> Column:
    """δ is taken from every distinct word of the document and given to the collection."""
    delta = parameters.delta
    lengths = np.maximum(view.lengths, 1.0)
    # An empty stream is NULL; 1 keeps its logarithm finite until then.
    freed = delta * (np.where(view.lengths > 0, view.unique_lengths, 1.0) / lengths)
    kept = np.maximum(view.counts - delta, 0.0) / lengths
    return view.total(np.log(kept + freed * _estimate_in_collection(view)))


def _estimate_in_collection(view: StreamView) -> Column:
    """(terms, 1) p(w|C)."""
    return view.of_terms(view.collection_frequencies / view.total_terms)


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
