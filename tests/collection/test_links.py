"""Link analysis against networkx and against the literal equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection import link_analysis
from rankwise.collection.corpora.urls import (
    count_characters,
    count_children,
    count_slashes,
    find_sitemap_parents,
    number_hosts,
)
from rankwise.collection.link_analysis import (
    LinkGraph,
    hits,
    hostrank,
    pagerank,
    topical_hits,
    topical_pagerank,
)
from rankwise.errors import RankwiseError

networkx = pytest.importorskip("networkx")


def random_graph(seed: int, n: int = 30, links: int = 120) -> LinkGraph:
    rng = np.random.default_rng(seed)
    return LinkGraph.from_pairs(n, rng.integers(0, n - 3, links), rng.integers(0, n, links))


def as_networkx(graph: LinkGraph):
    peer = networkx.DiGraph()
    peer.add_nodes_from(range(graph.n_documents))
    peer.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    return peer


def in_order(values: dict[int, float]) -> np.ndarray:
    return np.array([values[number] for number in range(len(values))])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_pagerank_is_networkxs(seed: int, damping: float) -> None:
    graph = random_graph(seed)
    peer = networkx.pagerank(as_networkx(graph), alpha=damping, tol=1e-14, max_iter=10_000)
    np.testing.assert_allclose(pagerank(graph, damping), in_order(peer), rtol=0, atol=1e-8)
    assert (graph.out_links == 0).any()


@pytest.mark.parametrize("seed", range(5))
def test_hits_is_networkxs(seed: int) -> None:
    graph = random_graph(seed)
    hubs, authorities = networkx.hits(as_networkx(graph), max_iter=10_000, tol=1e-14)
    found = hits(graph)
    np.testing.assert_allclose(found.authorities, in_order(authorities), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.hubs, in_order(hubs), rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_hostrank_is_networkxs_on_the_graph_of_hosts(seed: int) -> None:
    graph = random_graph(seed)
    hosts = np.random.default_rng(seed).integers(0, 6, graph.n_documents)
    hosts[:6] = np.arange(6)
    peer = networkx.DiGraph()
    peer.add_nodes_from(range(6))
    for source, target in zip(graph.sources, graph.targets, strict=True):
        one, other = int(hosts[source]), int(hosts[target])
        if one != other:
            weight = peer.get_edge_data(one, other, {"weight": 0})["weight"]
            peer.add_edge(one, other, weight=weight + 1)
    expected = in_order(networkx.pagerank(peer, tol=1e-14, max_iter=10_000))
    np.testing.assert_allclose(hostrank(graph, hosts), expected[hosts], rtol=0, atol=1e-8)


def test_hostrank_of_three_hosts_by_its_equation() -> None:
    # Host A is pages 0, 1 and 2, B is 3 and 4, C is 5. Two links A → B, one A → C, one B → C, one
    # C → A; 0 → 1 stays within A and does not count.
    links = np.array([(0, 1), (0, 3), (1, 4), (2, 5), (3, 5), (5, 0)])
    graph = LinkGraph.from_pairs(6, links[:, 0], links[:, 1])
    found, d = hostrank(graph, np.array([0, 0, 0, 1, 1, 2])), 0.85
    a, b, c = found[0], found[3], found[5]
    assert found.tolist() == [a, a, a, b, b, c]
    assert [a, b, c] == pytest.approx(
        [(1 - d) / 3 + d * c, (1 - d) / 3 + d * 2 / 3 * a, (1 - d) / 3 + d * (a / 3 + b)], abs=1e-11
    )
    assert a + b + c == pytest.approx(1)


def topics_of(graph: LinkGraph, seed: int, n_topics: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n_topics), graph.n_documents)


@pytest.mark.parametrize("seed", range(3))
def test_topical_pagerank_is_the_fixed_point_of_its_equation(seed: int) -> None:
    graph, d, s = random_graph(seed), 0.85, 0.3
    topics = topics_of(graph, seed)
    ranks = topical_pagerank(graph, topics, d, s)
    n = graph.n_documents
    expected = np.zeros_like(ranks)
    stranded = sum(ranks[u].sum() for u in range(n) if graph.out_links[u] == 0)
    for v in range(n):
        for k in range(3):
            flow = sum(
                (s * ranks[u, k] + (1 - s) * topics[u, k] * ranks[u].sum()) / graph.out_links[u]
                for u, t in zip(graph.sources, graph.targets, strict=True)
                if t == v
            )
            expected[v, k] = d * flow + ((1 - d) + d * stranded) / n * topics[v, k]
    np.testing.assert_allclose(ranks, expected, atol=1e-12)
    np.testing.assert_allclose(ranks.sum(axis=1), pagerank(graph, d), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_topical_hits_adds_up_to_hits_and_keeps_its_equation(seed: int) -> None:
    graph, s = random_graph(seed), 0.3
    topics = topics_of(graph, seed)
    found, plain = topical_hits(graph, topics, s), hits(graph)
    np.testing.assert_allclose(found.authorities.sum(axis=1), plain.authorities, atol=1e-9)
    np.testing.assert_allclose(found.hubs.sum(axis=1), plain.hubs, atol=1e-9)
    expected = np.zeros_like(found.authorities)
    for u, v in zip(graph.sources, graph.targets, strict=True):
        expected[v] += s * found.hubs[u] + (1 - s) * topics[u] * found.hubs[u].sum()
    np.testing.assert_allclose(found.authorities, expected / expected.sum(), atol=1e-12)


def graph_of(n: int, pairs: list[tuple[int, int]]) -> LinkGraph:
    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    return LinkGraph.from_pairs(n, sources, targets)


@pytest.mark.parametrize("n", [100, 1600])
def test_hits_settles_on_a_long_path(n: int) -> None:
    links = [(d, d + 1) for d in range(n - 1)]
    found = hits(graph_of(n, [*links, *((b, a) for a, b in links)]))
    expected = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))  # Perron vector of a path
    np.testing.assert_allclose(found.hubs, expected / expected.sum(), rtol=0, atol=1e-8 / n)


def star(centre: int, leaves: int) -> list[tuple[int, int]]:
    return [(centre + leaf, centre) for leaf in range(1, leaves + 1)]


def test_the_larger_of_two_stars_takes_all_and_equal_ones_share() -> None:
    larger = hits(graph_of(3100, star(0, 1000) + star(2000, 999)))
    assert larger.authorities[[0, 2000]] == pytest.approx([1, 0], abs=1e-8)
    equal = hits(graph_of(60, star(0, 20) + star(30, 20)))
    assert equal.authorities[[0, 30]].tolist() == pytest.approx([0.5, 0.5], abs=1e-12)
    assert (equal.authorities >= 0).all()


@pytest.mark.parametrize(
    ("n", "links", "authorities", "hubs"),
    [
        (1, [], [0], [0]),
        (2, [(0, 1)], [0, 1], [1, 0]),
        (2, [(0, 1), (1, 0)], [1 / 2, 1 / 2], [1 / 2, 1 / 2]),
        (3, [(0, 1), (2, 1)], [0, 1, 0], [1 / 2, 0, 1 / 2]),
        (3, [(0, 1), (0, 2)], [0, 1 / 2, 1 / 2], [1, 0, 0]),
    ],
)
def test_hits_of_tiny_graphs(
    n: int, links: list[tuple[int, int]], authorities: list[float], hubs: list[float]
) -> None:
    found = hits(graph_of(n, links))
    assert found.authorities.tolist() == pytest.approx(authorities)
    assert found.hubs.tolist() == pytest.approx(hubs)


small_graphs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25)


@given(small_graphs)
def test_hits_is_the_part_of_equal_hubs_in_the_principal_space(
    links: list[tuple[int, int]],
) -> None:
    graph = graph_of(8, links)
    matrix = graph.matrix.toarray()
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    space = vectors[:, values > values[-1] * (1 - 1e-9)] if values[-1] > 0 else vectors[:, :0]
    expected = space @ (space.T @ np.ones(8))
    expected /= expected.sum() or 1.0
    np.testing.assert_allclose(hits(graph).hubs, expected, rtol=0, atol=1e-8)
    again = hits(graph_of(8, links))
    assert again.hubs.tobytes() == hits(graph).hubs.tobytes()


def test_what_does_not_settle_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RankwiseError, match="choose a smaller damping"):
        pagerank(graph_of(3, [(0, 1), (1, 0), (2, 0)]), damping=1 - 1e-9)
    with pytest.raises(RankwiseError, match="from 0 to below 1"):
        topical_hits(random_graph(0), np.ones((30, 1)), stay=1.0)
    monkeypatch.setattr(link_analysis, "_MOST_ROUNDS", 0)
    with pytest.raises(RankwiseError, match="the 3 documents have two nearly equal centres"):
        hits(graph_of(3, [(0, 1), (1, 0), (2, 0)]))


def test_some_topics_have_the_values_that_they_have_among_all() -> None:
    graph = random_graph(2)
    topics = topics_of(graph, 2)
    some = topics[:, 1:2]
    np.testing.assert_allclose(
        topical_pagerank(graph, some), topical_pagerank(graph, topics)[:, 1:2], atol=1e-11
    )
    np.testing.assert_allclose(
        topical_hits(graph, some).authorities, topical_hits(graph, topics).authorities[:, 1:2],
        atol=1e-11,
    )  # fmt: skip


def test_one_topic_is_no_topic() -> None:
    graph = random_graph(1)
    one = np.ones((graph.n_documents, 1))
    np.testing.assert_allclose(topical_pagerank(graph, one)[:, 0], pagerank(graph))
    np.testing.assert_allclose(topical_hits(graph, one).hubs[:, 0], hits(graph).hubs)


def test_a_graph_without_links() -> None:
    nothing = np.zeros(0, np.int64)
    graph = LinkGraph.from_pairs(4, nothing, nothing)
    np.testing.assert_allclose(pagerank(graph), np.full(4, 1 / 4))
    assert hits(graph).authorities.tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(hostrank(graph, np.arange(4)), np.full(4, 1 / 4))


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(pairs, st.lists(st.integers(0, 9), unique=True, min_size=1))
def test_subgraphs_are_what_they_say(links: list[tuple[int, int]], chosen: list[int]) -> None:
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T
    graph = LinkGraph.from_pairs(10, sources, targets)
    real = {(a, b) for a, b in links if a != b}
    assert graph.n_links == len(real)
    assert graph.in_links.tolist() == [sum(b == d for _, b in real) for d in range(10)]
    assert graph.out_links.tolist() == [sum(a == d for a, _ in real) for d in range(10)]
    among = graph.among(np.array(chosen))
    found = {(chosen[a], chosen[b]) for a, b in zip(*among, strict=True)}
    assert found == {(a, b) for a, b in real if a in chosen and b in chosen}
    near = graph.neighbourhood(np.array(chosen)).tolist()
    assert near[: len(chosen)] == chosen
    assert set(near) == set(chosen) | {b for a, b in real if a in chosen} | {
        a for a, b in real if b in chosen
    }


@given(pairs)
def test_pagerank_adds_up_to_one_and_is_positive(links: list[tuple[int, int]]) -> None:
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T
    ranks = pagerank(LinkGraph.from_pairs(10, sources, targets))
    assert ranks.sum() == pytest.approx(1)
    assert ranks.min() >= (1 - 0.85) / 10 - 1e-12


def test_links_outside_the_corpus_are_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="between the documents 0 to 2"):
        LinkGraph.from_pairs(3, np.array([0]), np.array([3]))
    with pytest.raises(RankwiseError, match="a row for each"):
        topical_pagerank(random_graph(0), np.ones((2, 2)))


def test_the_sitemap_is_read_off_urls() -> None:
    urls = [
        "http://a.org/",
        "http://a.org/x/index.html",
        "http://a.org/x/y.html",
        "http://a.org/z/deep/page.html",
        "http://a.org/x/y/below.html",
        "http://b.org/x/y.html",
        "",
        "http://a.org/x/y.html?page=2",
    ]
    parents = find_sitemap_parents(urls)
    assert parents.tolist() == [-1, 0, 1, 0, 2, -1, -1, 2]
    assert count_children(parents).tolist() == [2, 1, 2, 0, 0, 0, 0, 0]
    assert number_hosts(urls).tolist() == [0, 0, 0, 0, 0, 1, 2, 0]
    assert count_slashes(urls[:3]).tolist() == [1, 2, 2]
    assert count_characters(urls[:1]).tolist() == [len("http://a.org/")]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), unique_by=tuple, max_size=15))
def test_every_parent_is_a_nearest_ancestor(paths: list[list[str]]) -> None:
    parents = find_sitemap_parents(["http://h/" + "/".join(path) for path in paths])
    for number, path in enumerate(paths):
        above = [n for n, other in enumerate(paths) if len(other) < len(path)
                 and path[: len(other)] == other]  # fmt: skip
        expected = max(above, key=lambda n: len(paths[n]), default=-1)
        assert parents[number] == expected
