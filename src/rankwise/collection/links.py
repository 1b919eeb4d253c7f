"""Link analysis: PageRank, HITS, HostRank and their topical forms on the graph of a corpus.

Matrices are scipy's; every iteration runs until its values move by less than 10⁻¹² in sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DAMPING = 0.85
TOPIC_STAY = 0.5
_TOLERANCE = 1e-12
_MOST_STEPS = 10_000

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Hits(NamedTuple):
    """Authorities and hubs; each adds up to 1, or is 0 where there are no links."""

    authorities: Values
    hubs: Values


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """Links between documents: d links to `targets[offsets[d] : offsets[d + 1]]`, each once.

    `weights` are 1 where they are not given; HostRank counts links with them.
    """

    offsets: Numbers
    targets: NDArray[np.int32] | Numbers
    weights: Values | None = None

    @classmethod
    def from_pairs(cls, n_documents: int, sources: Numbers, targets: Numbers) -> LinkGraph:
        """The graph of pairs; a pair that comes again counts once, links to oneself not at all."""
        for numbers in (sources, targets):
            if len(numbers) and not (numbers.min() >= 0 and numbers.max() < n_documents):
                raise RankwiseError(
                    f"links must be between the documents 0 to {n_documents - 1}, "
                    f"found {numbers.min()} to {numbers.max()}"
                )
        other = sources != targets
        pairs = np.unique(sources[other] * n_documents + targets[other])
        return _graph(n_documents, pairs // max(n_documents, 1), pairs % max(n_documents, 1))

    @property
    def n_documents(self) -> int:
        """How many documents there are, linked or not."""
        return len(self.offsets) - 1

    @property
    def n_links(self) -> int:
        """How many links there are."""
        return len(self.targets)

    @cached_property
    def sources(self) -> Numbers:
        """The document that each link stands on."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.offsets))

    @cached_property
    def out_links(self) -> Numbers:
        """Links on each document."""
        return np.diff(self.offsets)

    @cached_property
    def in_links(self) -> Numbers:
        """Links to each document."""
        return np.bincount(self.targets, minlength=self.n_documents).astype(np.int64)

    @cached_property
    def matrix(self) -> csr_array:
        """(sources, targets) weights."""
        from scipy.sparse import csr_array

        weights = np.ones(self.n_links) if self.weights is None else self.weights
        shape = (self.n_documents, self.n_documents)
        return csr_array((weights, np.asarray(self.targets), self.offsets), shape=shape)

    def among(self, documents: Numbers) -> tuple[Numbers, Numbers]:
        """Links whose ends are both among `documents`, as places in that list."""
        places = np.full(self.n_documents, -1, np.int64)
        places[documents] = np.arange(len(documents))
        counts = self.out_links[documents]
        ends = np.cumsum(counts)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        links = np.repeat(self.offsets[documents], counts) + within
        sources, targets = np.repeat(np.arange(len(documents)), counts), places[self.targets[links]]
        return sources[targets >= 0], targets[targets >= 0]

    def neighbourhood(self, documents: Numbers) -> Numbers:
        """The documents first, then those that they link to or that link to them (Kleinberg)."""
        chosen = np.zeros(self.n_documents, bool)
        chosen[documents] = True
        near = np.zeros(self.n_documents, bool)
        near[self.targets[chosen[self.sources]]] = True
        near[self.sources[chosen[self.targets]]] = True
        return np.concatenate([documents, np.flatnonzero(near & ~chosen)])

    def restricted(self, documents: Numbers) -> LinkGraph:
        """The graph of these documents alone, numbered by their places in the list."""
        return LinkGraph.from_pairs(len(documents), *self.among(documents))


def pagerank(graph: LinkGraph, damping: float = DAMPING) -> Values:
    """r(v) = (1 − d)/n + d (Σ_{u→v} w(u→v)/w(u) r(u) + Σ_{u without links} r(u)/n).

    Page, Brin, Motwani and Winograd (1998). The PageRank citation ranking. Adds up to 1.
    """
    one_topic = np.ones((graph.n_documents, 1))
    return topical_pagerank(graph, one_topic, damping)[:, 0]


def topical_pagerank(
    graph: LinkGraph, topics: Values, damping: float = DAMPING, stay: float = TOPIC_STAY
) -> Values:
    """(documents, topics) r_k(v), with r(u) = Σ_k r_k(u) and topics C_k(v) of each page.

    r_k(v) = (1 − d)/n C_k(v) + d Σ_{u→v} (s r_k(u) + (1 − s) C_k(u) r(u)) w(u→v)/w(u)

    A surfer who follows a link stays in the topic with probability s, else goes on in a topic of
    the page; one who jumps begins in a topic of the page where he lands, as does one on a page
    without links. Over the topics it adds up to PageRank. Nie, Davison and Qi (2006). Topical
    link analysis for web search. SIGIR.
    """
    _check_topics(graph, topics)
    matrix, n = graph.matrix, graph.n_documents
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    shares = np.where(totals > 0, 1.0 / np.where(totals > 0, totals, 1.0), 0.0)
    back = matrix.T.tocsr()

    def step(ranks: Values) -> Values:
        whole = ranks.sum(axis=1)
        carried = stay * ranks + (1.0 - stay) * topics * whole[:, None]
        stranded = whole[totals == 0].sum()
        landed = ((1.0 - damping) + damping * stranded) / n
        result: Values = damping * (back @ (carried * shares[:, None])) + landed * topics
        return result

    return _fixed_point(step, topics / max(n, 1))


def hits(graph: LinkGraph) -> Hits:
    """a(v) = Σ_{u→v} h(u), h(u) = Σ_{u→v} a(v), scaled to add up to 1.

    Kleinberg (1999). Authoritative sources in a hyperlinked environment.
    """
    authorities, hubs = topical_hits(graph, np.ones((graph.n_documents, 1)))
    return Hits(authorities[:, 0], hubs[:, 0])


def topical_hits(graph: LinkGraph, topics: Values, stay: float = TOPIC_STAY) -> Hits:
    """(documents, topics) authorities and hubs: HITS with the topical surfer's rule.

    a_k(v) = Σ_{u→v} (s h_k(u) + (1 − s) C_k(u) h(u))
    h_k(u) = Σ_{u→v} (s a_k(v) + (1 − s) C_k(v) a(v))

    Over the topics they add up to HITS. Nie, Davison and Qi (2006).
    """
    _check_topics(graph, topics)
    forward, back = graph.matrix, graph.matrix.T.tocsr()

    def carried(values: Values) -> Values:
        result: Values = stay * values + (1.0 - stay) * topics * values.sum(axis=1)[:, None]
        return result

    def step(hubs: Values) -> Values:
        return _scaled(forward @ carried(_scaled(back @ carried(hubs))))

    hubs = _fixed_point(step, _scaled(topics))
    return Hits(_scaled(back @ carried(hubs)), hubs)


def hostrank(graph: LinkGraph, hosts: Numbers, damping: float = DAMPING) -> Values:
    """PageRank of the host of each document, on the graph of hosts.

    A link between hosts weighs as many as there are links between their pages; links within a
    host are not counted. Xue et al. (2005), Exploiting the hierarchical structure for link
    analysis, go on to divide a host's rank among its pages; LETOR does not say whether it did.
    """
    n_hosts = int(hosts.max(initial=-1)) + 1
    ends = hosts[graph.sources] * n_hosts + hosts[graph.targets]
    other = hosts[graph.sources] != hosts[graph.targets]
    pairs, counts = np.unique(ends[other], return_counts=True)
    host_graph = _graph(n_hosts, pairs // max(n_hosts, 1), pairs % max(n_hosts, 1), counts)
    return pagerank(host_graph, damping)[hosts]


def _graph(
    n_documents: int, sources: Numbers, targets: Numbers, weights: Numbers | None = None
) -> LinkGraph:
    counts = np.bincount(sources, minlength=n_documents)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return LinkGraph(offsets, targets, None if weights is None else weights.astype(np.float64))


def _check_topics(graph: LinkGraph, topics: Values) -> None:
    if topics.ndim != 2 or len(topics) != graph.n_documents:
        raise RankwiseError(
            f"topics must have a row for each of the {graph.n_documents} documents, "
            f"found shape {topics.shape}"
        )


def _fixed_point(step: Callable[[Values], Values], values: Values) -> Values:
    for _ in range(_MOST_STEPS):
        following = step(values)
        moved = float(np.abs(following - values).sum())
        values = following
        if moved < _TOLERANCE:
            break
    return values


def _scaled(values: Values) -> Values:
    total = float(values.sum())
    return values / total if total > 0 else np.zeros_like(values)
