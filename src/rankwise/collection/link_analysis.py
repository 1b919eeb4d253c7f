"""Compute PageRank, HITS, HostRank and their topical forms on the link graph of a corpus.

Matrices are scipy's. What is iterated must settle, to 10⁻¹² in sum, or it is refused: PageRank and
the topical values are contractions, HITS is the principal direction of a symmetric matrix by
Lanczos' method.

The power method needs steps in proportion to 1 / gap, the relative distance of the two greatest
eigenvalues, Lanczos' to its square root; and its space holds nothing but what the power method from
the same beginning would reach, so that ties between eigenvalues are broken as there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


DAMPING = 0.85
TOPIC_STAY = 0.5
_FIXED_POINT_TOLERANCE = 1e-12
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
        return _make_graph(n_documents, pairs // max(n_documents, 1), pairs % max(n_documents, 1))

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

    @cached_property
    def back(self) -> csr_array:
        """(targets, sources) weights: what flows to a document from those that link to it."""
        return self.matrix.T.tocsr()

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
    back, shares, n = graph.back, _compute_shares(graph), max(graph.n_documents, 1)

    def step(ranks: Values) -> Values:
        landed = (1.0 - damping) + damping * ranks[shares == 0].sum()
        result: Values = damping * (back @ (ranks * shares)) + landed / n
        return result

    return _find_fixed_point(step, np.full(graph.n_documents, 1.0 / n))


def topical_pagerank(
    graph: LinkGraph,
    topics: Values,
    damping: float = DAMPING,
    stay: float = TOPIC_STAY,
    ranks: Values | None = None,
) -> Values:
    """(documents, topics) r_k(v), with PageRank r(u) = Σ_k r_k(u) and topics C_k(v) of each page.

    r_k(v) = (1 − d)/n C_k(v) + d Σ_{u→v} (s r_k(u) + (1 − s) C_k(u) r(u)) w(u→v)/w(u)

    A surfer who follows a link stays in the topic with probability s, else goes on in a topic of
    the page; one who jumps begins in a topic of the page where he lands, as does one on a page
    without links. Each topic is computed by itself, so that `topics` may be some of them; where
    they are all, and add up to 1 on each page, the ranks add up to PageRank. `ranks` are PageRank
    with the same damping, where it is known. Nie, Davison and Qi (2006). Topical link analysis for
    web search. SIGIR.
    """
    _check_topics(graph, topics, stay)
    whole = pagerank(graph, damping) if ranks is None else ranks
    back, shares, n = graph.back, _compute_shares(graph)[:, None], max(graph.n_documents, 1)
    landed = ((1.0 - damping) + damping * whole[shares[:, 0] == 0].sum()) / n
    fixed = damping * (back @ ((1.0 - stay) * topics * whole[:, None] * shares)) + landed * topics

    def step(values: Values) -> Values:
        result: Values = damping * stay * (back @ (values * shares)) + fixed
        return result

    return _find_fixed_point(step, topics * whole[:, None])


# A query needs it plain and topical, one after the other.
@lru_cache(maxsize=1)
def hits(graph: LinkGraph) -> Hits:
    """a(v) = Σ_{u→v} h(u), h(u) = Σ_{u→v} a(v), scaled to add up to 1.

    The hubs are what the iteration reaches from equal hubs: the part of (1, …, 1) in the principal
    space of A A'. Kleinberg (1999). Authoritative sources in a hyperlinked environment.
    """
    forward, back = graph.matrix, graph.back
    equal = np.ones(graph.n_documents)
    found = find_principal_direction(lambda values: forward @ (back @ values), equal)
    if found is None:
        raise RankwiseError(
            f"HITS must settle, found that it does not: the {graph.n_documents} documents have two "
            "nearly equal centres",
            Advice("choose features without links: {}", "features", "ohsumed"),
        )
    authorities = _scale_to_sum_one(back @ np.maximum(found, 0.0))
    return Hits(authorities, _scale_to_sum_one(forward @ authorities))


def topical_hits(graph: LinkGraph, topics: Values, stay: float = TOPIC_STAY) -> Hits:
    """(documents, topics) authorities and hubs: HITS with the topical surfer's rule.

    a_k(v) = Σ_{u→v} (s h_k(u) + (1 − s) C_k(u) h(u)) / Σ of the unscaled HITS authorities
    h_k(u) = Σ_{u→v} (s a_k(v) + (1 − s) C_k(v) a(v)) / Σ of the unscaled HITS hubs

    with HITS a and h. Each topic is computed by itself; all topics add up to HITS. In the norm of
    A A' a round is a contraction by s². Nie, Davison and Qi (2006).
    """
    _check_topics(graph, topics, stay)
    whole = hits(graph)
    forward, back = graph.matrix, graph.back
    of_authorities = float((back @ whole.hubs).sum()) or 1.0
    of_hubs = float((forward @ whole.authorities).sum()) or 1.0

    def carried(values: Values, plain: Values) -> Values:
        result: Values = stay * values + (1.0 - stay) * topics * plain[:, None]
        return result

    def authorities(hubs: Values) -> Values:
        result: Values = back @ carried(hubs, whole.hubs) / of_authorities
        return result

    def step(hubs: Values) -> Values:
        result: Values = forward @ carried(authorities(hubs), whole.authorities) / of_hubs
        return result

    hubs = _find_fixed_point(step, topics * whole.hubs[:, None])
    return Hits(authorities(hubs), hubs)


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
    host_graph = _make_graph(n_hosts, pairs // max(n_hosts, 1), pairs % max(n_hosts, 1), counts)
    return pagerank(host_graph, damping)[hosts]


def _make_graph(
    n_documents: int, sources: Numbers, targets: Numbers, weights: Numbers | None = None
) -> LinkGraph:
    counts = np.bincount(sources, minlength=n_documents)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return LinkGraph(offsets, targets, None if weights is None else weights.astype(np.float64))


def _compute_shares(graph: LinkGraph) -> Values:
    """1 over the weight of each document's links, 0 where it has none."""
    totals = np.asarray(graph.matrix.sum(axis=1)).ravel()
    return np.where(totals > 0, 1.0 / np.where(totals > 0, totals, 1.0), 0.0)


def _check_topics(graph: LinkGraph, topics: Values, stay: float) -> None:
    if topics.ndim != 2 or len(topics) != graph.n_documents:
        raise RankwiseError(
            f"topics must have a row for each of the {graph.n_documents} documents, "
            f"found shape {topics.shape}"
        )
    if not 0 <= stay < 1:
        raise RankwiseError(f"the chance to stay in a topic must be from 0 to below 1, is {stay}")


def _find_fixed_point(step: Callable[[Values], Values], values: Values) -> Values:
    for _ in range(_MOST_STEPS):
        following = step(values)
        moved = float(np.abs(following - values).sum())
        values = following
        if moved < _FIXED_POINT_TOLERANCE:
            return values
    raise RankwiseError(
        f"link analysis must settle within {_MOST_STEPS} steps, found that it still moves by "
        f"{moved:.1e}; choose a smaller damping"
    )


def _scale_to_sum_one(values: Values) -> Values:
    total = float(values.sum())
    return values / total if total > 0 else np.zeros_like(values)


_BASIS_SIZE = 60
_KEPT_DIRECTIONS = 20
_MOST_ROUNDS = 500
_LOOK_EVERY = 10
_DIRECTION_TOLERANCE = 1e-14
# Nearer eigenvalues are one: of equal ones, rounding lets a second vector into the space.
_EQUAL_EIGENVALUES = 1e-12

Operator = Callable[[Values], Values]


def find_principal_direction(apply: Operator, begin: Values) -> Values | None:
    """lim M^k `begin` / |M^k `begin`| for a positive semidefinite M; 0 where M `begin` is 0.

    It is `begin` projected onto the eigenvectors of the greatest eigenvalue λ, to a residual of
    10⁻¹⁴ λ; None where 500 rounds do not reach it, as the next eigenvalue is too near. When 60
    vectors are not enough, the best 20 combinations of them are kept. Wu and Simon (2000).
    Thick-restart Lanczos method for large symmetric eigenvalue problems.
    """
    if not np.any(apply(begin)):
        return np.zeros_like(begin)
    space = _Space(apply, begin)
    for _ in range(_MOST_ROUNDS):
        found = space.filled()
        if found is not None:
            return found / float(np.linalg.norm(found))
        space.shrink()
    return None


class _Space:
    """An orthonormal basis, the matrix in it, and the vectors that the matrix is diagonal in."""

    def __init__(self, apply: Operator, begin: Values) -> None:
        self._apply = apply
        self._begin = begin
        self._basis = np.zeros((_BASIS_SIZE + 1, len(begin)))
        self._basis[0] = begin / np.linalg.norm(begin)
        self._matrix = np.zeros((_BASIS_SIZE, _BASIS_SIZE))
        self._values = np.zeros(0)
        self._vectors = np.zeros((0, 0))
        self._known = 0

    def filled(self) -> Values | None:
        """The principal direction, or None when the basis is full before it is settled."""
        for step in range(self._known, _BASIS_SIZE):
            size = self._add(step)
            greatest = self._matrix.diagonal().max()
            if (
                step % _LOOK_EVERY
                and step < _BASIS_SIZE - 1
                and size > _DIRECTION_TOLERANCE * greatest
            ):
                continue
            inner = self._matrix[: step + 1, : step + 1]
            self._values, self._vectors = np.linalg.eigh(inner)
            first = int(
                np.searchsorted(self._values, self._values[-1] * (1.0 - _EQUAL_EIGENVALUES))
            )
            top = self._vectors[:, first:]
            if size * float(np.abs(top[-1]).max()) <= _DIRECTION_TOLERANCE * self._values[-1]:
                basis = self._basis[: step + 1]
                return np.asarray((top @ (top.T @ (basis @ self._begin))) @ basis)
        return None

    def shrink(self) -> None:
        """Keep the best combinations, and the vector that would have come next."""
        self._basis[:_KEPT_DIRECTIONS] = (
            self._vectors[:, -_KEPT_DIRECTIONS:].T @ self._basis[:_BASIS_SIZE]
        )
        self._basis[_KEPT_DIRECTIONS] = self._basis[_BASIS_SIZE]
        self._matrix[:] = 0.0
        np.fill_diagonal(
            self._matrix[:_KEPT_DIRECTIONS, :_KEPT_DIRECTIONS], self._values[-_KEPT_DIRECTIONS:]
        )
        self._known = _KEPT_DIRECTIONS

    def _add(self, step: int) -> float:
        """Apply the matrix to a basis vector; what is new in it comes next, and its size."""
        known = self._basis[: step + 1]
        left = self._apply(known[step])
        inner = np.zeros(step + 1)
        # Once is not enough where most of a vector lies in the basis (Kahan and Parlett).
        for _ in range(2):
            part = known @ left
            left = left - part @ known
            inner += part
        self._matrix[: step + 1, step] = self._matrix[step, : step + 1] = inner
        size = float(np.linalg.norm(left))
        if size > 0:
            self._basis[step + 1] = left / size
        return size
