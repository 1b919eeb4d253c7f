"""What an index knows of a query's documents beyond counts: links, topics, places of words.

Topical PageRank r_k and HITS are linear in the topics, and a query asks only for Σ_k q_k r_k, with
the mixture q of topics that it has. So one column, g(d) = Σ_k q_k C_k(d), stands for all of them:
memory does not grow with the topics.

Documents that nobody gave a category get their topic from multinomial naive Bayes on their words:

    k(d) = argmax_k log P(k) + Σ_{w in d} log P(w|k)
    P(k) = n_k / Σ n_j,  P(w|k) = (c(w, k) + 1) / (Σ_v c(v, k) + V)

over the words of the whole document, with n_k documents of category k, their counts c, and V words
in the index. Of equally good categories the first by name is taken. Nie, Davison and Qi (2006),
Topical link analysis for web search, classify pages by their text into twelve topics of a web
directory; which categories there are is here up to the documents that have one. The model is that
of McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.urls import (
    count_characters,
    count_children,
    count_slashes,
    find_sitemap_parents,
    number_hosts,
)
from rankwise.collection.features.definition import Evidence, WordPlaces
from rankwise.collection.features.feature_sets import EXTRACTED_TITLE
from rankwise.collection.index.index import Index
from rankwise.collection.link_analysis import (
    LinkGraph,
    hits,
    hostrank,
    pagerank,
    topical_hits,
    topical_pagerank,
)
from rankwise.collection.related_documents import find_surroundings
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


class Topics:
    """C_k(d): 1 for the topic that the user gave a document, 0 for others.

    A document without label has the shares of the whole corpus; without any labels there is one
    topic, and the topical values are those of PageRank and HITS.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        given = list(labels)
        names = sorted(set(given) - {""})
        place = {name: number for number, name in enumerate(names)} | {"": -1}
        self._topic = np.array([place[label] for label in given], np.int64)
        counts = np.bincount(self._topic[self._topic >= 0], minlength=len(names))
        self._shares = counts / max(int(counts.sum()), 1)

    @property
    def are_several(self) -> bool:
        """Whether documents have different topics, without which all of them have the same."""
        return len(self._shares) > 1

    def mixture(self, documents: Numbers) -> Column:
        """g(d) of all documents, where q_k is the mean of C_k over `documents`."""
        if not len(self._shares):
            return np.ones(len(self._topic))
        own = self._topic[documents]
        of_query = np.bincount(own[own >= 0], minlength=len(self._shares)).astype(np.float64)
        of_query += np.count_nonzero(own < 0) * self._shares
        of_query /= max(len(documents), 1)
        return np.append(of_query, of_query @ self._shares)[self._topic]


_DOCUMENTS_AT_A_TIME = 1000
_MOST_CELLS = 1 << 27


def classify_documents(index: Index, given: Sequence[str]) -> list[str]:
    """The category of every document: the given one, or for an empty text the likeliest."""
    names = sorted(set(given) - {""})
    without = np.flatnonzero(np.array([not name for name in given], np.bool_))
    if len(names) < 2 or not len(without):
        raise RankwiseError(
            "classification needs documents of two categories at least and some without one, found "
            f"{len(names)} categories and {len(without)} documents without one; leave it out"
        )
    if len(names) * len(index.terms) > _MOST_CELLS:
        raise RankwiseError(
            f"classification must have at most {_MOST_CELLS:,} pairs of category and word, found "
            f"{len(names):,} categories of {len(index.terms):,} words; join categories"
        )
    place = {name: number for number, name in enumerate(names)}
    topics = np.array([place.get(name, -1) for name in given], np.int64)
    priors, chances = _learn_topics(index, topics, len(names))
    labels = list(given)
    for documents in _divide_documents(without):
        for document, topic in zip(
            documents.tolist(), _choose_topics(index, documents, priors, chances), strict=True
        ):
            labels[document] = names[topic]
    return labels


def _learn_topics(index: Index, topics: Numbers, n_topics: int) -> tuple[Column, Column]:
    """log P(k), and (topics, words) log P(w|k)."""
    n_words = len(index.terms)
    counts = np.ones((n_topics, n_words))
    for documents in _divide_documents(np.flatnonzero(topics >= 0)):
        words, lengths = _read_words(index, documents)
        cells = np.repeat(topics[documents], lengths) * n_words + words
        counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
    sizes = np.bincount(topics[topics >= 0], minlength=n_topics)
    priors: Column = np.log(sizes / sizes.sum())
    chances: Column = np.log(counts / counts.sum(axis=1, keepdims=True))
    return priors, chances


def _choose_topics(index: Index, documents: Numbers, priors: Column, chances: Column) -> list[int]:
    words, lengths = _read_words(index, documents)
    of_document = np.repeat(np.arange(len(documents)), lengths)
    scores = np.stack([
        prior + np.bincount(of_document, weights=row[words], minlength=len(documents))
        for prior, row in zip(priors, chances, strict=True)
    ])  # fmt: skip
    chosen: list[int] = np.argmax(scores, axis=0).tolist()
    return chosen


def _read_words(index: Index, documents: Numbers) -> tuple[Numbers, Numbers]:
    """The words of the whole documents one after the other, and how many each has."""
    begins, ends = index.stretches(documents, _find_whole_view(index))
    lengths = np.asarray(ends - begins, np.int64)
    starts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(begins - starts, lengths)
    return np.asarray(index.tokens[places], np.int64), lengths


def _find_whole_view(index: Index) -> int:
    """The whole document is the last stream but the extracted title."""
    names = [name.lower() for name in index.view_names]
    return max(place for place, name in enumerate(names) if name != EXTRACTED_TITLE)


def _divide_documents(documents: Numbers) -> Iterator[Numbers]:
    for begin in range(0, len(documents), _DOCUMENTS_AT_A_TIME):
        yield documents[begin : begin + _DOCUMENTS_AT_A_TIME]
