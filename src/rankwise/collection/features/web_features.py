"""Features 41 to 60 of LETOR's Gov table: propagation, link analysis and URLs.

Link analysis and URLs come as one value per document by name (`Evidence.columns`), computed on the
whole graph of the corpus; propagation is computed here. Qin, Liu, Xu and Li (2010), table 2.

Relevance propagation mixes a page's own value with that of its neighbours, to the fixed point:

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

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.definition import (
    Category,
    Column,
    Compute,
    Links,
    Parameters,
    StreamView,
    feature,
)
from rankwise.collection.features.text_features import bm25_of_counts
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_SETTLED = 1e-13
_MOST_ROUNDS = 100_000

PageValues = NDArray[np.float64]


def propagate(values: PageValues, links: Links, weights: PageValues, rate: float) -> PageValues:
    """h for x = `values`, (documents,) or (rows, documents); link i carries `weights[i]`.

    Weights must not add up to more than 1 over the links of a source, or of a target: then each
    round is a contraction by 1 − α and h is unique.
    """
    flow = _make_link_matrix(links, weights, values.shape[-1])
    own = rate * values
    h = values
    for _ in range(_MOST_ROUNDS):
        following = own + (1.0 - rate) * (flow @ h.T).T
        if np.max(np.abs(following - h), initial=0.0) <= _SETTLED * np.max(np.abs(h), initial=1.0):
            return following
        h = following
    raise RankwiseError(
        f"propagation must settle within {_MOST_ROUNDS} rounds, found that it does not at the "
        f"rate {rate:g}; choose a larger rate"
    )


def weigh_in_links(links: Links, scores: PageValues) -> tuple[Links, PageValues]:
    """Along links; a source divides what it gives by the scores of its targets.

    w(s → p) = S(p) / Σ_{s → t} S(t), 0 where no target has a score.
    """
    shares = np.maximum(scores, 0.0)[links.targets]
    return links, _divide_shares(shares, links.sources, len(scores))


def weigh_out_links(links: Links, scores: PageValues) -> tuple[Links, PageValues]:
    """As `weigh_in_links`, against the direction of the links: pages gather from targets."""
    return weigh_in_links(Links(links.targets, links.sources), scores)


def divide_out_links(links: Links, scores: PageValues) -> tuple[Links, PageValues]:
    """Pages gather from their targets equally: w(t → p) = 1 / (number of links of p)."""
    backwards = Links(links.targets, links.sources)
    return backwards, _divide_shares(np.ones(len(links.sources)), backwards.targets, len(scores))


def divide_sitemap_children(parents: NDArray[np.int64]) -> tuple[Links, PageValues]:
    """Pages gather from their children in the sitemap equally: w(q → p) = 1 / (children of p).

    All children of a document of the query are among the pages, so that its mean is over all of
    them. Qin, Liu, Zhang, Chen and Ma (2005) call term propagation by sitemap an offline step.
    """
    children = np.flatnonzero(parents >= 0)
    links = Links(children, parents[children])
    return links, _divide_shares(np.ones(len(children)), links.targets, len(parents))


def _divide_shares(shares: PageValues, by: NDArray[np.int64], n: int) -> PageValues:
    """Shares as parts of the sum over the links with the same end; 0 where that sum is 0."""
    sums = np.bincount(by, weights=shares, minlength=n)[by]
    return shares / np.where(sums > 0, sums, 1.0)


def _make_link_matrix(links: Links, weights: PageValues, n: int) -> csr_array[np.float64]:
    from scipy.sparse import csr_array

    ends = (links.sources, links.targets)
    if any(len(end) and (end.min() < 0 or end.max() >= n) for end in ends):
        raise RankwiseError(f"links must be among the {n} pages of the query, found others")
    return csr_array((weights, (links.targets, links.sources)), shape=(n, n))


# Section 3.3.1 has these for PageRank and HostRank. What adds up to 1 over many documents would be
# lost in six decimals, so that HITS and the topical values have the scale of PageRank too.
PAGERANK_SCALE = 1e5
HOSTRANK_SCALE = 1e3

Weighting = Callable[[Links, Column], tuple[Links, Column]]


@feature("sitemap-term-propagation", "BM25 of c'(p) = α c(p) + (1 − α) mean c'(children)", "Q-D")
def sitemap_term_propagation(view: StreamView, parameters: Parameters) -> Column:
    """Counts flow from children to parents before BM25 is computed."""
    links, weights = divide_sitemap_children(_get_parents(view))
    counts = propagate(_with_neighbours(view).counts, links, weights, parameters.sitemap_rate)
    return bm25_of_counts(view, parameters, counts[:, : len(view.lengths)])


@feature("sitemap-score-propagation", "h(p) = α BM25(p) + (1 − α) mean h(children)", "Q-D")
def sitemap_score_propagation(view: StreamView, parameters: Parameters) -> Column:
    """BM25 flows from children to parents."""
    links, weights = divide_sitemap_children(_get_parents(view))
    h = propagate(_score_pages(view, parameters), links, weights, parameters.sitemap_rate)
    return h[: len(view.lengths)]


def _score_propagation(weighting: Weighting) -> Compute:
    def compute(view: StreamView, parameters: Parameters) -> Column:
        scores = _score_pages(view, parameters)
        h = propagate(scores, *weighting(_get_links(view), scores), parameters.hyperlink_rate)
        return h[: len(view.lengths)]

    return compute


def _propagate_terms(weighting: Weighting) -> Compute:
    def compute(view: StreamView, parameters: Parameters) -> Column:
        links, weights = weighting(_get_links(view), _score_pages(view, parameters))
        counts = propagate(_with_neighbours(view).counts, links, weights, parameters.hyperlink_rate)
        return bm25_of_counts(view, parameters, counts[:, : len(view.lengths)])

    return compute


def _take_column(name: str, scale: float) -> Compute:
    def compute(view: StreamView, parameters: Parameters) -> Column:
        return scale * view.evidence.column(name)

    return compute


def _score_pages(view: StreamView, parameters: Parameters) -> Column:
    """BM25 of the documents, then of their neighbours; 0 for pages without any query word."""
    wide = _with_neighbours(view)
    return bm25_of_counts(wide, parameters, wide.counts)


def _with_neighbours(view: StreamView) -> StreamView:
    """The stream of the documents and, in the rows behind them, of the pages around them."""
    around = view.evidence.neighbours
    if around is None:
        return view
    counts = around.term_frequencies[:, view.place, :].T[view.positions]
    return replace(
        view,
        lengths=np.concatenate([view.lengths, around.lengths[:, view.place]]),
        unique_lengths=np.concatenate([view.unique_lengths, around.unique_lengths[:, view.place]]),
        counts=np.concatenate([view.counts, counts], axis=1),
    )


def _get_links(view: StreamView) -> Links:
    if view.evidence.hyperlinks is None:
        raise RankwiseError("hyperlink propagation needs the links of the documents, found none")
    return view.evidence.hyperlinks


def _get_parents(view: StreamView) -> NDArray[np.int64]:
    if view.evidence.parents is None:
        raise RankwiseError("sitemap propagation needs the parents of the documents, found none")
    return view.evidence.parents


_WEIGHTINGS: tuple[tuple[str, str, Weighting], ...] = (
    ("weighted-in-link", "Σ_{s→p} w(s→p)", weigh_in_links),
    ("weighted-out-link", "Σ_{p→t} w(t→p)", weigh_out_links),
    ("uniform-out-link", "1/|out(p)| Σ_{p→t}", divide_out_links),
)
for _name, _sum, _weighting in _WEIGHTINGS:
    feature(f"score-propagation-{_name}", f"h(p) = α BM25(p) + (1 − α) {_sum} h", "Q-D")(
        _score_propagation(_weighting)
    )
for _name, _sum, _weighting in _WEIGHTINGS:
    feature(f"term-propagation-{_name}", f"BM25 of c'(p) = α c(p) + (1 − α) {_sum} c'", "Q-D")(
        _propagate_terms(_weighting)
    )

_COLUMNS: tuple[tuple[str, str, Category, float], ...] = (
    ("hits-authority", "10⁵ · HITS authority (Kleinberg 1999)", "Q-D", PAGERANK_SCALE),
    ("hits-hub", "10⁵ · HITS hub (Kleinberg 1999)", "Q-D", PAGERANK_SCALE),
    ("pagerank", "10⁵ · PageRank (Page et al. 1998)", "D", PAGERANK_SCALE),
    ("hostrank", "10³ · HostRank (Xue et al. 2005)", "D", HOSTRANK_SCALE),
    ("topical-pagerank", "10⁵ · topical PageRank (Nie et al. 2006)", "Q-D", PAGERANK_SCALE),
    (
        "topical-hits-authority",
        "10⁵ · topical HITS authority (Nie et al. 2006)",
        "Q-D",
        PAGERANK_SCALE,
    ),
    ("topical-hits-hub", "10⁵ · topical HITS hub (Nie et al. 2006)", "Q-D", PAGERANK_SCALE),
    ("in-links", "number of links to d", "D", 1.0),
    ("out-links", "number of links of d", "D", 1.0),
    ("url-slashes", "number of / in the URL", "D", 1.0),
    ("url-length", "characters of the URL", "D", 1.0),
    ("children", "number of child pages by URL", "D", 1.0),
)
for _name, _formula, _category, _scale in _COLUMNS:
    feature(_name, _formula, _category, of_stream=False)(_take_column(_name, _scale))

WEB_COLUMNS = tuple(name for name, *_ in _COLUMNS)
"""Names of the columns that `Evidence.columns` must have for all web features."""

WEB_FEATURES = (
    "sitemap-term-propagation",
    "sitemap-score-propagation",
    *(f"{kind}-propagation-{name}" for kind in ("score", "term") for name, *_ in _WEIGHTINGS),
    *WEB_COLUMNS,
)
"""Features 41 to 60 of the Gov table, in order."""

OF_THE_SAMPLE = (
    *WEB_FEATURES[: -len(WEB_COLUMNS)],
    *(name for name in WEB_COLUMNS if "hits" in name or name == "topical-pagerank"),
)
"""Features whose value for a document depends on which others were sampled for the query."""
