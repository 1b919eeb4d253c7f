"""Topics of documents that nobody gave a category: multinomial naive Bayes on their words.

    k(d) = argmax_k log P(k) + Σ_{w in d} log P(w|k)
    P(k) = n_k / Σ n_j,  P(w|k) = (c(w, k) + 1) / (Σ_v c(v, k) + V)

over the words of the whole document, with n_k documents of category k, their counts c, and V words
in the index. Of equally good categories the first by name is taken. Nie, Davison and Qi (2006),
Topical link analysis for web search, classify pages by their text into twelve topics of a web
directory; which categories there are is here up to the documents that have one. The model is that
of McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.sets import EXTRACTED_TITLE
from rankwise.collection.index.index import Index
from rankwise.errors import RankwiseError

Column = NDArray[np.float64]
Numbers = NDArray[np.int64]

_AT_A_TIME = 1000
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
    priors, chances = _learn(index, topics, len(names))
    labels = list(given)
    for documents in _divide(without):
        for document, topic in zip(
            documents.tolist(), _choose(index, documents, priors, chances), strict=True
        ):
            labels[document] = names[topic]
    return labels


def _learn(index: Index, topics: Numbers, n_topics: int) -> tuple[Column, Column]:
    """log P(k), and (topics, words) log P(w|k)."""
    n_words = len(index.terms)
    counts = np.ones((n_topics, n_words))
    for documents in _divide(np.flatnonzero(topics >= 0)):
        words, lengths = _read_words(index, documents)
        cells = np.repeat(topics[documents], lengths) * n_words + words
        counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
    sizes = np.bincount(topics[topics >= 0], minlength=n_topics)
    priors: Column = np.log(sizes / sizes.sum())
    chances: Column = np.log(counts / counts.sum(axis=1, keepdims=True))
    return priors, chances


def _choose(index: Index, documents: Numbers, priors: Column, chances: Column) -> list[int]:
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
    begins, ends = index.stretches(documents, _find_whole(index))
    lengths = np.asarray(ends - begins, np.int64)
    starts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(begins - starts, lengths)
    return np.asarray(index.tokens[places], np.int64), lengths


def _find_whole(index: Index) -> int:
    """The whole document is the last stream but the extracted title."""
    names = [name.lower() for name in index.view_names]
    return max(place for place, name in enumerate(names) if name != EXTRACTED_TITLE)


def _divide(documents: Numbers) -> Iterator[Numbers]:
    for begin in range(0, len(documents), _AT_A_TIME):
        yield documents[begin : begin + _AT_A_TIME]
