"""Compiled loops of the index: count words, invert documents, find places of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def count_postings(
    tokens: NDArray[np.int32],
    boundaries: NDArray[np.int64],
    n_streams: int,
    first: int,
    last: int,
    seen: NDArray[np.int32],
    document_frequencies: NDArray[np.int64],
    lengths: NDArray[np.int32],
    unique_lengths: NDArray[np.int32],
) -> None:
    """Documents of each term, words and distinct words of each document; `seen` begins as −1."""
    for document in range(len(lengths)):
        begin = boundaries[document * n_streams + first]
        end = boundaries[document * n_streams + last + 1]
        lengths[document] = end - begin
        distinct = 0
        for place in range(begin, end):
            term = tokens[place]
            if seen[term] != document:
                seen[term] = document
                document_frequencies[term] += 1
                distinct += 1
        unique_lengths[document] = distinct


@compiled
def fill_postings(
    tokens: NDArray[np.int32],
    boundaries: NDArray[np.int64],
    n_streams: int,
    first: int,
    last: int,
    seen: NDArray[np.int32],
    next_posting: NDArray[np.int64],
    documents: NDArray[np.int32],
    frequencies: NDArray[np.int32],
) -> None:
    """Documents and frequencies of each term, documents ascending; `seen` begins as −1."""
    n_documents = (len(boundaries) - 1) // n_streams
    for document in range(n_documents):
        begin = boundaries[document * n_streams + first]
        end = boundaries[document * n_streams + last + 1]
        for place in range(begin, end):
            term = tokens[place]
            if seen[term] != document:
                seen[term] = document
                documents[next_posting[term]] = document
                frequencies[next_posting[term]] = 1
                next_posting[term] += 1
            else:
                frequencies[next_posting[term] - 1] += 1


@compiled
def count_places(
    tokens: NDArray[np.int32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    terms: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """How often each of `terms` stands in each stretch of tokens: (stretches × terms), flat."""
    for stretch in range(len(begins)):
        for place in range(begins[stretch], ends[stretch]):
            for number in range(len(terms)):
                if tokens[place] == terms[number]:
                    counts[stretch * len(terms) + number] += 1


@compiled
def fill_places(
    tokens: NDArray[np.int32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    terms: NDArray[np.int64],
    next_place: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Where each of `terms` stands in each stretch of tokens, from 0."""
    for stretch in range(len(begins)):
        for place in range(begins[stretch], ends[stretch]):
            for number in range(len(terms)):
                if tokens[place] == terms[number]:
                    cell = stretch * len(terms) + number
                    places[next_place[cell]] = place - begins[stretch]
                    next_place[cell] += 1
