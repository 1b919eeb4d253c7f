"""Topics of a query as one mixture, against the dense equations with a column for each topic."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.collection.link_analysis import LinkGraph, pagerank, topical_hits, topical_pagerank
from rankwise.collection.link_evidence import Topics


def dense(labels: list[str]) -> np.ndarray:
    """(documents, topics) as the definition has it."""
    names = sorted(set(labels) - {""})
    if not names:
        return np.ones((len(labels), 1))
    topics = np.array([[float(label == name) for name in names] for label in labels])
    topics[topics.sum(axis=1) == 0] = topics.sum(axis=0) / topics.sum()
    return topics


def graph_of(n: int, n_links: int, seed: int) -> LinkGraph:
    rng = np.random.default_rng(seed)
    return LinkGraph.from_pairs(n, rng.integers(0, n, n_links), rng.integers(0, n, n_links))


CASES = [
    ["a", "b", "", "c", "b", "a", "", "d"],
    ["a"] * 8,
    [""] * 8,
    [f"own {n}" for n in range(8)],
    ["", "", "", "", "", "", "", "x"],
]


@pytest.mark.parametrize("labels", CASES)
def test_a_mixture_is_the_dense_product(labels: list[str]) -> None:
    documents = np.array([1, 6, 2])
    topics = dense(labels)
    expected = topics @ topics[documents].mean(axis=0)
    np.testing.assert_allclose(Topics(labels).mixture(documents), expected, atol=1e-15)


@pytest.mark.parametrize("labels", CASES)
@pytest.mark.parametrize("n_links", [0, 3, 12, 60])
def test_mixed_values_are_those_of_all_topics_weighted(labels: list[str], n_links: int) -> None:
    graph, documents, topics = graph_of(8, n_links, n_links), np.array([0, 3, 6]), dense(labels)
    of_query = topics[documents].mean(axis=0)
    mixture = Topics(labels).mixture(documents)
    ranks = topical_pagerank(graph, mixture[:, None])[:, 0]
    np.testing.assert_allclose(ranks, topical_pagerank(graph, topics) @ of_query, atol=1e-11)
    mixed, full = topical_hits(graph, mixture[:, None]), topical_hits(graph, topics)
    np.testing.assert_allclose(mixed.authorities[:, 0], full.authorities @ of_query, atol=1e-11)
    np.testing.assert_allclose(mixed.hubs[:, 0], full.hubs @ of_query, atol=1e-11)


def test_without_labels_topical_pagerank_is_pagerank() -> None:
    graph = graph_of(30, 90, 5)
    plain = pagerank(graph)
    mixture = Topics([""] * 30).mixture(np.arange(10))
    ranks = topical_pagerank(graph, mixture[:, None], ranks=plain)[:, 0]
    np.testing.assert_allclose(ranks, plain, atol=1e-11)


def test_as_many_topics_as_documents_take_a_column_not_a_matrix() -> None:
    """The dense matrix of these would need 320 GB."""
    n = 200_000
    graph = graph_of(n, 2 * n, 1)
    topics = Topics([f"topic {number}" for number in range(n)])
    mixture = topics.mixture(np.arange(50))
    assert mixture[:50].tolist() == [1 / 50] * 50 and not mixture[50:].any()
    ranks = topical_pagerank(graph, mixture[:, None])[:, 0]
    assert 0 < ranks.sum() < 1
