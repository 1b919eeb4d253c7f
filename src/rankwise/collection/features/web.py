"""Features 41 to 60 of LETOR's Gov table: propagation, link analysis and URLs.

Link analysis and URLs come as one value per document by name (`Evidence.columns`), computed on the
whole graph of the corpus; propagation is computed here. Qin, Liu, Xu and Li (2010), table 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.bm25 import bm25_of_counts
from rankwise.collection.features.definition import (
    Category,
    Column,
    Compute,
    Parameters,
    StreamView,
    feature,
)
from rankwise.collection.features.evidence import Links
from rankwise.collection.features.propagation import (
    divide_out_links,
    divide_sitemap_children,
    propagate,
    weigh_in_links,
    weigh_out_links,
)
from rankwise.errors import RankwiseError

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
