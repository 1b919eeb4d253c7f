"""The three smoothed language models of Zhai and Lafferty (2001), as LETOR computed them.

The sums run over all query positions whose word the stream knows, present in the document or not;
p(w|C) = c(w, C) / T with T the words of the stream in the collection. NULL where no query word
occurs in the stream of the document, as in LETOR's files.

Zhai and Lafferty (2001). A study of smoothing methods for language models applied to ad hoc
information retrieval. SIGIR.
"""

from __future__ import annotations

import numpy as np

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature


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
