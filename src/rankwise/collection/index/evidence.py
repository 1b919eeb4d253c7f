"""What an index knows of a query's documents beyond counts: links, sitemap, places of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.sitemap import (
    children_counts,
    host_numbers,
    sitemap_parents,
    url_lengths,
    url_slashes,
)
from rankwise.collection.features.evidence import Evidence, Links, WordPlaces
from rankwise.collection.index.index import Index
from rankwise.collection.links import (
    LinkGraph,
    hits,
    hostrank,
    pagerank,
    topical_hits,
    topical_pagerank,
)

_TOPIC_DOCUMENTS = 50

Column = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Web:
    """The graph and the URLs of an index; what belongs to documents alone is computed once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.graph = LinkGraph(*index.links)
        self.urls = list(index.urls)

    @property
    def is_known(self) -> bool:
        """Whether there are links or URLs at all."""
        return self.graph.n_links > 0 or any(self.urls)

    @cached_property
    def parents(self) -> Numbers:
        """The parent of each document in the sitemap, −1 where it has none."""
        return sitemap_parents(self.urls)

    @cached_property
    def topics(self) -> Column:
        """(documents, topics) 1 for the topic that the user gave a document.

        A document without label has the shares of the whole corpus; without any labels there is
        one topic, and the topical values are those of PageRank and HITS.
        """
        labels = list(self._index.categories)
        names = sorted(set(labels) - {""})
        if not names:
            return np.ones((len(labels), 1))
        place = {name: number for number, name in enumerate(names)}
        topics = np.zeros((len(labels), len(names)))
        for document, label in enumerate(labels):
            if label:
                topics[document, place[label]] = 1.0
        topics[topics.sum(axis=1) == 0] = topics.sum(axis=0) / topics.sum()
        return topics

    @cached_property
    def document_columns(self) -> dict[str, Column]:
        """The features of documents alone, for all documents."""
        columns = {
            "pagerank": pagerank(self.graph),
            "hostrank": hostrank(self.graph, host_numbers(self.urls)),
            "in-links": self.graph.in_links,
            "out-links": self.graph.out_links,
            "url-slashes": url_slashes(self.urls),
            "url-length": url_lengths(self.urls),
            "children": children_counts(self.parents),
        }
        return {name: np.asarray(column, np.float64) for name, column in columns.items()}

    @cached_property
    def topical_ranks(self) -> Column:
        """(documents, topics) topical PageRank."""
        return topical_pagerank(self.graph, self.topics)

    def columns(self, documents: Numbers) -> dict[str, Column]:
        """All link and URL features of a query's documents, best documents first.

        HITS runs on the documents and their neighbours. The query's topics are those of its 50
        best documents, since there is no classifier of queries here.
        """
        near = self.graph.neighbourhood(documents)
        graph, n = self.graph.restricted(near), len(documents)
        of_query = self.topics[documents[:_TOPIC_DOCUMENTS]].mean(axis=0)
        plain, topical = hits(graph), topical_hits(graph, self.topics[near])
        columns = {name: whole[documents] for name, whole in self.document_columns.items()}
        columns["hits-authority"] = plain.authorities[:n]
        columns["hits-hub"] = plain.hubs[:n]
        columns["topical-pagerank"] = self.topical_ranks[documents] @ of_query
        columns["topical-hits-authority"] = topical.authorities[:n] @ of_query
        columns["topical-hits-hub"] = topical.hubs[:n] @ of_query
        return columns


def query_evidence(
    index: Index, words: Sequence[str], documents: Numbers, web: Web | None, *, places: bool
) -> Evidence:
    """The evidence for a query's documents; without `web` or `places` those parts are unknown."""
    word_places = None
    if places:
        views = range(len(index.manifest.views))
        word_places = tuple(_word_places(index, words, documents, view) for view in views)
    if web is None:
        return Evidence(word_places=word_places)
    rows = np.full(index.n_documents + 1, -1, np.int64)
    rows[documents] = np.arange(len(documents))
    return Evidence(
        columns=web.columns(documents),
        hyperlinks=Links(*web.graph.among(documents)),
        parents=rows[web.parents[documents]],
        word_places=word_places,
    )


def _word_places(index: Index, words: Sequence[str], documents: Numbers, view: int) -> WordPlaces:
    """Places of the words at each query position; a word that comes twice has its places twice."""
    from rankwise.collection.index.kernel import count_places, fill_places

    # −2 is no term: words that no document has must not meet the −1 of anything else.
    numbers = [index.term_number(word) for word in words]
    terms = np.array([number if number >= 0 else -2 for number in numbers], np.int64)
    begins, ends = index.stretches(documents, view)
    counts = np.zeros(len(documents) * len(terms), np.int64)
    count_places(index.tokens, begins, ends, terms, counts)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    places = np.empty(int(offsets[-1]), np.int64)
    fill_places(index.tokens, begins, ends, terms, offsets[:-1].copy(), places)
    return WordPlaces(len(terms), offsets, places)
