"""Proximity: how near to each other the query's words stand.

Section 6.2 of Qin, Liu, Xu and Li (2010) names proximity features as missing from all seven data
sets. These need the places of words (`Evidence.word_places`), which LETOR's metadata do not have.
Repeated query words are taken once; distances are in words, neighbours have distance 1. Distances
enter as their inverse: more is better and nothing found is 0, never NULL, which LETOR's MIN version
would fill with the least distance of the query, its best.

Tao and Zhai (2007). An exploration of proximity measures in information retrieval. SIGIR.
Metzler and Croft (2005). A Markov random field model for term dependencies. SIGIR.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.definition import (
    Column,
    Parameters,
    StreamView,
    WordPlaces,
    feature,
)
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function

TAO_AND_ZHAIS_ALPHA = 0.3

_CELLS = (INT64S, INT64S, INT64, INT64, INT64S, INT64)
_pair_distances = function("rankwise_pair_distances", *_CELLS, INT64S_OUT, DOUBLES_OUT, DOUBLES_OUT)
_shortest_covers = function("rankwise_shortest_covers", *_CELLS, INT64S_OUT, INT64S_OUT)
_near_pairs = function("rankwise_near_pairs", *_CELLS, INT64, INT64, DOUBLES_OUT)


@feature("least-pair-closeness", "1 / δ, δ = min over pairs that occur of their distance", "Q-D")
def least_pair_closeness(view: StreamView, parameters: Parameters) -> Column:
    """From Tao and Zhai's MinDist; 0 where fewer than two query words occur."""
    return np.asarray(1.0 / _measure_pairs(view)[0])


@feature("mean-pair-closeness", "1 / mean over pairs that occur of their distance", "Q-D")
def mean_pair_closeness(view: StreamView, parameters: Parameters) -> Column:
    """From Tao and Zhai's AveDist; 0 where fewer than two query words occur."""
    return np.asarray(1.0 / _measure_pairs(view)[1])


@feature("pair-nearness", "π = ln(0.3 + exp(−δ))", "Q-D")
def pair_nearness(view: StreamView, parameters: Parameters) -> Column:
    """Tao and Zhai's transform of the least pair distance, with δ = ∞ where there is no pair.

    They take δ = |d| there, which would put a stream of one word beside a pair of neighbours and
    an empty one above both.
    """
    return np.asarray(np.log(TAO_AND_ZHAIS_ALPHA + np.exp(-_measure_pairs(view)[0])))


@feature("cover-closeness", "1 / words of the shortest passage with all query words of d", "Q-D")
def cover_closeness(view: StreamView, parameters: Parameters) -> Column:
    """From Tao and Zhai's MinCover; 0 where no query word occurs."""
    return np.asarray(1.0 / _measure_covers(view))


@feature("cover-density", "distinct query words of d / words of their shortest passage", "Q-D")
def cover_density(view: StreamView, parameters: Parameters) -> Column:
    """1 where they stand side by side, or where there is one of them; 0 where there is none."""
    return np.asarray(np.count_nonzero(_find_cells(view)[1], axis=1) / _measure_covers(view))


@feature("earliness", "1 / (1 + words before the first query word)", "Q-D")
def earliness(view: StreamView, parameters: Parameters) -> Column:
    """How near to the beginning the first query word stands; 0 where none occurs."""
    begins, occurs = _find_cells(view)
    padded = np.append(_get_places(view).places, 0).astype(np.float64)
    before = np.min(padded[begins], axis=1, initial=np.inf, where=occurs)
    return np.asarray(1.0 / (1.0 + before))


@feature("phrases", "occurrences of neighbouring query words as neighbours, in order", "Q-D")
def phrases(view: StreamView, parameters: Parameters) -> Column:
    """Metzler and Croft's ordered windows #1 of the sequential dependence model."""
    return _count_near(view, 1, ordered=True)


@feature("near-pairs", "pairs of neighbouring query words within the window, any order", "Q-D")
def near_pairs(view: StreamView, parameters: Parameters) -> Column:
    """Metzler and Croft's unordered windows, counted as pairs of places.

    Two words share a window of `proximity_window` words if they are at most one less apart.
    """
    return _count_near(view, parameters.proximity_window - 1, ordered=False)


PROXIMITY_FEATURES = (
    "least-pair-closeness",
    "mean-pair-closeness",
    "pair-nearness",
    "cover-closeness",
    "cover-density",
    "earliness",
    "phrases",
    "near-pairs",
)


def _get_places(view: StreamView) -> WordPlaces:
    if view.evidence.word_places is None:
        raise RankwiseError(
            "proximity features need the places of words, which counts alone do not tell; "
            "build them from the corpus"
        )
    return view.evidence.word_places[view.place]


def _choose_positions(view: StreamView) -> NDArray[np.int64]:
    """The query position of each distinct word that the stream knows."""
    first: dict[str, int] = {}
    for word, position in zip(view.words, view.positions.tolist(), strict=True):
        first.setdefault(word, position)
    return np.array(list(first.values()), np.int64)


def _find_cells(view: StreamView) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(documents, words) where the places of each distinct word begin, and whether it occurs."""
    places, chosen = _get_places(view), _choose_positions(view)
    cells = np.arange(len(view.lengths))[:, None] * places.n_positions + chosen
    return places.offsets[cells], places.offsets[cells + 1] > places.offsets[cells]


# The features of a stream follow each other, so that one view is enough to remember.
@lru_cache(maxsize=1)
def _measure_pairs(view: StreamView) -> Column:
    """(2, documents) least and mean distance over the pairs that occur, ∞ where none does."""
    places = _get_places(view)
    if not view.words:
        return np.full((2, len(view.lengths)), np.inf)
    chosen, found = _choose_positions(view), np.empty((2, len(view.lengths)))
    _pair_distances(*_cells(places), chosen, len(chosen), np.empty_like(chosen), *found)
    return found


@lru_cache(maxsize=1)
def _measure_covers(view: StreamView) -> Column:
    """(documents,) words of the shortest passage, ∞ where no query word occurs."""
    places = _get_places(view)
    if not view.words:
        return np.full(len(view.lengths), np.inf)
    chosen, found = _choose_positions(view), np.empty(len(view.lengths), np.int64)
    _shortest_covers(*_cells(places), chosen, len(chosen), np.empty_like(chosen), found)
    return np.where(found > 0, found, np.inf)


def _count_near(view: StreamView, farthest: int, *, ordered: bool) -> Column:
    places = _get_places(view)
    if not view.words:
        return np.zeros(len(view.lengths))
    known = list(zip(view.words, view.positions.tolist(), strict=True))
    pairs = [
        (position, following)
        for (word, position), (other, following) in pairwise(known)
        if following == position + 1 and word != other
    ]
    chosen = np.array(pairs, np.int64).reshape(-1, 2)
    found = np.empty(len(view.lengths))
    _near_pairs(*_cells(places), chosen, len(chosen), farthest, ordered, found)
    return found


def _cells(places: WordPlaces) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    documents = (len(places.offsets) - 1) // places.n_positions
    return places.offsets, places.places, documents, places.n_positions
