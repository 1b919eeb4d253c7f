"""Relevance propagation: a page's own value mixed with that of its neighbours, to the fixed point.

    h(p) = α x(p) + (1 − α) Σ_{n → p} w(n → p) h(n)

Qin, Liu, Xu and Li (2010) give the rates α and cite Shakery and Zhai (2003) and Qin, Liu, Zhang,
Chen and Ma (2005), but print no equation; the weights below are our reading of those two. x is the
BM25 of the whole document (score propagation) or the count of each query word, from which BM25 is
then computed (feature propagation).

Values flow among the documents of the query and the pages around them, sampled or not: those that
link to them, that they link to, and their children in the sitemap. Sums over targets and children
are over these pages. Pages further away are left out so that the cost of a query is bounded: what
flows from them to a document has passed two links and has at most the part (1 − α)².
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.evidence import Links
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CLOSE = 1e-13
_MOST_ROUNDS = 100_000

Column = NDArray[np.float64]


def propagate(values: Column, links: Links, weights: Column, rate: float) -> Column:
    """h for x = `values`, (documents,) or (rows, documents); link i carries `weights[i]`.

    Weights must not add up to more than 1 over the links of a source, or of a target: then each
    round is a contraction by 1 − α and h is unique.
    """
    flow = _make_matrix(links, weights, values.shape[-1])
    own = rate * values
    h = values
    for _ in range(_MOST_ROUNDS):
        following = own + (1.0 - rate) * (flow @ h.T).T
        if np.max(np.abs(following - h), initial=0.0) <= _CLOSE * np.max(np.abs(h), initial=1.0):
            return following
        h = following
    raise RankwiseError(
        f"propagation must settle within {_MOST_ROUNDS} rounds, found that it does not at the "
        f"rate {rate:g}; choose a larger rate"
    )


def weigh_in_links(links: Links, scores: Column) -> tuple[Links, Column]:
    """Along links; a source divides what it gives by the scores of its targets.

    w(s → p) = S(p) / Σ_{s → t} S(t), 0 where no target has a score.
    """
    shares = np.maximum(scores, 0.0)[links.targets]
    return links, _divide_shares(shares, links.sources, len(scores))


def weigh_out_links(links: Links, scores: Column) -> tuple[Links, Column]:
    """As `weigh_in_links`, against the direction of the links: pages gather from targets."""
    return weigh_in_links(Links(links.targets, links.sources), scores)


def divide_out_links(links: Links, scores: Column) -> tuple[Links, Column]:
    """Pages gather from their targets equally: w(t → p) = 1 / (number of links of p)."""
    backwards = Links(links.targets, links.sources)
    return backwards, _divide_shares(np.ones(len(links.sources)), backwards.targets, len(scores))


def divide_sitemap_children(parents: NDArray[np.int64]) -> tuple[Links, Column]:
    """Pages gather from their children in the sitemap equally: w(q → p) = 1 / (children of p).

    All children of a document of the query are among the pages, so that its mean is over all of
    them. Qin, Liu, Zhang, Chen and Ma (2005) call term propagation by sitemap an offline step.
    """
    children = np.flatnonzero(parents >= 0)
    links = Links(children, parents[children])
    return links, _divide_shares(np.ones(len(children)), links.targets, len(parents))


def _divide_shares(shares: Column, by: NDArray[np.int64], n: int) -> Column:
    """Shares as parts of the sum over the links with the same end; 0 where that sum is 0."""
    sums = np.bincount(by, weights=shares, minlength=n)[by]
    return shares / np.where(sums > 0, sums, 1.0)


def _make_matrix(links: Links, weights: Column, n: int) -> csr_array[np.float64]:
    from scipy.sparse import csr_array

    ends = (links.sources, links.targets)
    if any(len(end) and (end.min() < 0 or end.max() >= n) for end in ends):
        raise RankwiseError(f"links must be among the {n} pages of the query, found others")
    return csr_array((weights, (links.targets, links.sources)), shape=(n, n))
