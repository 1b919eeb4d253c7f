"""What an index knows of a query's documents beyond counts: links, sitemap, places of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.sitemap import (
    count_characters,
    count_children,
    count_slashes,
    find_sitemap_parents,
    number_hosts,
)
from rankwise.collection.features.evidence import Evidence, WordPlaces
from rankwise.collection.index.index import Index
from rankwise.collection.index.topic_classifier import classify_documents
from rankwise.collection.index.topics import Topics
from rankwise.collection.links import (
    LinkGraph,
    hits,
    hostrank,
    pagerank,
    topical_hits,
    topical_pagerank,
)
from rankwise.collection.surroundings import find_surroundings
from rankwise.errors import RankwiseError
from rankwise.native import INT32S, INT64, INT64S, INT64S_OUT, function

_TOPIC_DOCUMENTS = 50

_STRETCHES = (INT64S, INT64S, INT64, INT64S, INT64)
_count_places = function(
    "rankwise_count_places", INT32S, INT64, *_STRETCHES, INT64S_OUT, returns=INT64
)
_fill_places = function("rankwise_fill_places", INT32S, *_STRETCHES, INT64S_OUT, INT64S_OUT)

Column = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Web:
    """The graph and the URLs of an index; what belongs to documents alone is computed once."""

    def __init__(self, index: Index, *, classify: bool = False) -> None:
        self._index = index
        self._classify = classify
        self.graph = LinkGraph(*index.links)
        self.urls = list(index.urls)

    @property
    def is_known(self) -> bool:
        """Whether there are links or URLs at all."""
        return self.graph.n_links > 0 or any(self.urls)

    @cached_property
    def parents(self) -> Numbers:
        """The parent of each document in the sitemap, −1 where it has none."""
        return find_sitemap_parents(self.urls)

    @property
    def has_urls(self) -> bool:
        """Whether any document has a URL, without which there are no hosts and no sitemap."""
        return any(self.urls)

    @cached_property
    def categories(self) -> Sequence[str]:
        """The category of each document: the given one, or with `classify` that of its words."""
        given = self._index.categories
        return classify_documents(self._index, list(given)) if self._classify else given

    @cached_property
    def topics(self) -> Topics:
        """The topics of the documents."""
        return Topics(self.categories)

    @cached_property
    def document_columns(self) -> dict[str, Column]:
        """The features of documents alone, for all documents."""
        columns = {
            "pagerank": pagerank(self.graph),
            "hostrank": hostrank(self.graph, number_hosts(self.urls)),
            "in-links": self.graph.in_links,
            "out-links": self.graph.out_links,
            "url-slashes": count_slashes(self.urls),
            "url-length": count_characters(self.urls),
            "children": count_children(self.parents),
        }
        return {name: np.asarray(column, np.float64) for name, column in columns.items()}

    def columns(self, documents: Numbers) -> dict[str, Column]:
        """All link and URL features of a query's documents, best documents first.

        HITS runs on the documents and their neighbours. The query's topics are those of its 50
        best documents, since there is no classifier of queries here.
        """
        near = self.graph.neighbourhood(documents)
        graph, n = self.graph.restricted(near), len(documents)
        mixture = self.topics.mixture(documents[:_TOPIC_DOCUMENTS])
        plain, topical = hits(graph), topical_hits(graph, mixture[near][:, None])
        columns = {name: whole[documents] for name, whole in self.document_columns.items()}
        columns["hits-authority"] = plain.authorities[:n]
        columns["hits-hub"] = plain.hubs[:n]
        whole = self.document_columns["pagerank"]
        ranks = topical_pagerank(self.graph, mixture[:, None], ranks=whole)
        columns["topical-pagerank"] = ranks[documents, 0]
        columns["topical-hits-authority"] = topical.authorities[:n, 0]
        columns["topical-hits-hub"] = topical.hubs[:n, 0]
        return columns


def gather_evidence(
    index: Index, words: Sequence[str], documents: Numbers, web: Web | None, *, places: bool
) -> Evidence:
    """The evidence for a query's documents; without `web` or `places` those parts are unknown."""
    word_places = None
    if places:
        views = range(len(index.manifest.views))
        word_places = tuple(_find_word_places(index, words, documents, view) for view in views)
    if web is None:
        return Evidence(word_places=word_places)
    around = find_surroundings(web.graph, web.parents, documents)
    beside = around.pages[len(documents) :]
    return Evidence(
        columns=web.columns(documents),
        hyperlinks=around.hyperlinks,
        parents=around.parents,
        neighbours=index.query_statistics("", words, beside, np.zeros(len(beside), np.int64)),
        word_places=word_places,
    )


def _find_word_places(
    index: Index, words: Sequence[str], documents: Numbers, view: int
) -> WordPlaces:
    """Places of the words at each query position; a word that comes twice has its places twice."""
    # −2 is no term: words that no document has must not meet the −1 of anything else.
    numbers = [index.find_term_number(word) for word in words]
    terms = np.array([number if number >= 0 else -2 for number in numbers], np.int64)
    begins, ends = index.stretches(documents, view)
    counts = np.zeros(len(documents) * len(terms), np.int64)
    tokens, stretches = index.tokens, (begins, ends, len(begins), terms, len(terms))
    if _count_places(tokens, len(tokens), *stretches, counts):
        raise RankwiseError("the documents of the index must lie within its words, found others")
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    places = np.empty(int(offsets[-1]), np.int64)
    _fill_places(tokens, *stretches, offsets[:-1].copy(), places)
    return WordPlaces(len(terms), offsets, places)
