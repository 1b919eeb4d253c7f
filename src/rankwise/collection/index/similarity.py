"""How alike a query's documents are: LETOR's similarity relation (section 3.4.3), as cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.index.index import Index


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
