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
) -> NDArray[np.float64]:
    """(2, documents) least and mean over pairs of chosen words that occur of their distance.

    The distance of two words is that of their nearest places; ∞ where there is no pair.
    """
    documents = (len(offsets) - 1) // n_positions
    found = np.full((2, documents), np.inf)
    occurring = np.zeros(len(chosen), np.int64)
    for document in range(documents):
        n = 0
        for word in chosen:
            cell = document * n_positions + word
            if offsets[cell] < offsets[cell + 1]:
                occurring[n] = cell
                n += 1
        total = 0.0
        for first in range(n):
            for second in range(first + 1, n):
                distance = _distance(offsets, places, occurring[first], occurring[second])
                found[0, document] = min(found[0, document], distance)
                total += distance
        if n > 1:
            found[1, document] = total / (n * (n - 1) / 2)
    return found


@compiled
def _distance(offsets: NDArray[np.int64], places: NDArray[np.int64], one: int, other: int) -> float:
    """Between the nearest places of two cells."""
    i, j = offsets[one], offsets[other]
    least = np.inf
    while i < offsets[one + 1] and j < offsets[other + 1]:
        least = min(least, float(abs(places[i] - places[j])))
        if places[i] < places[j]:
            i += 1
        else:
            j += 1
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
