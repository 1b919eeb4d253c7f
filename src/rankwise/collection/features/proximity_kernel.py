"""Loops over the places of query words in documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def pair_distances(
    offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    n_positions: int,
    chosen: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(documents, pairs) least distance of two chosen words, 0 where one of them is absent."""
    documents = (len(offsets) - 1) // n_positions
    least = np.zeros((documents, len(chosen) * (len(chosen) - 1) // 2), np.int64)
    for document in range(documents):
        pair = 0
        for first in range(len(chosen)):
            for second in range(first + 1, len(chosen)):
                i = offsets[document * n_positions + chosen[first]]
                i_end = offsets[document * n_positions + chosen[first] + 1]
                j = offsets[document * n_positions + chosen[second]]
                j_end = offsets[document * n_positions + chosen[second] + 1]
                while i < i_end and j < j_end:
                    distance = abs(places[i] - places[j])
                    if least[document, pair] == 0 or distance < least[document, pair]:
                        least[document, pair] = distance
                    if places[i] < places[j]:
                        i += 1
                    else:
                        j += 1
                pair += 1
    return least


@compiled
def shortest_covers(
    offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    n_positions: int,
    chosen: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(documents,) words in the shortest passage with every chosen word that occurs, or 0.

    The passage is found by moving the word that stands first, again and again, to its next place.
    """
    documents = (len(offsets) - 1) // n_positions
    covers = np.zeros(documents, np.int64)
    at = np.zeros(len(chosen), np.int64)
    for document in range(documents):
        for word in range(len(chosen)):
            at[word] = offsets[document * n_positions + chosen[word]]
        running = True
        while running:
            least, low, high = -1, 0, 0
            for word in range(len(chosen)):
                cell = document * n_positions + chosen[word]
                if offsets[cell] == offsets[cell + 1]:
                    continue
                place = places[at[word]]
                if least < 0 or place < low:
                    least, low = word, place
                high = max(high, place)
            if least < 0:
                break
            if covers[document] == 0 or high - low + 1 < covers[document]:
                covers[document] = high - low + 1
            at[least] += 1
            running = at[least] < offsets[document * n_positions + chosen[least] + 1]
    return covers


@compiled
def near_pairs(
    offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    n_positions: int,
    pairs: NDArray[np.int64],
    farthest: int,
    ordered: bool,
) -> NDArray[np.float64]:
    """(documents,) occurrences of pairs of words at most `farthest` apart, over all given pairs."""
    documents = (len(offsets) - 1) // n_positions
    found = np.zeros(documents)
    for document in range(documents):
        for pair in range(len(pairs)):
            one = document * n_positions + pairs[pair, 0]
            other = document * n_positions + pairs[pair, 1]
            begin = offsets[other]
            for i in range(offsets[one], offsets[one + 1]):
                while begin < offsets[other + 1] and places[begin] < places[i] - farthest:
                    begin += 1
                for j in range(begin, offsets[other + 1]):
                    if places[j] > places[i] + farthest:
                        break
                    if places[j] > places[i] or (places[j] < places[i] and not ordered):
                        found[document] += 1.0
    return found
