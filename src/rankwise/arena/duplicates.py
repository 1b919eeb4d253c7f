"""Entries that rank nearly alike: one method under two names, or one team under two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.entry_rows import EntryRow
from rankwise.arena.views import NearDuplicate

THRESHOLD = 0.99

Values = NDArray[np.float64]


def find_near_duplicates(
    entries: Sequence[EntryRow],
    scores: Mapping[str, Values],
    query_offsets: NDArray[np.int64],
    threshold: float = THRESHOLD,
) -> tuple[NearDuplicate, ...]:
    """Pairs whose rankings correlate, the closest first; `scores` are by digest.

    The correlation is the mean over queries of Spearman's ρ; queries where an entry ties all
    documents count as 0, or as 1 where both do.
    """
    if len(entries) < 2:
        return ()
    ranks = {digest: rank_vector(own, query_offsets) for digest, own in scores.items()}
    table = np.vstack([ranks[entry.digest] for entry in entries])
    queries = len(query_offsets) - 1
    constant = np.vstack([_constant(scores[entry.digest], query_offsets) for entry in entries])
    alike = (table @ table.T + constant.astype(float) @ constant.T.astype(float)) / queries
    pairs = [
        NearDuplicate(
            entries[one].id,
            entries[other].id,
            round(float(alike[one, other]), 6),
            entries[one].team == entries[other].team,
        )
        for one, other in zip(*np.nonzero(np.triu(alike >= threshold, 1)), strict=True)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.correlation))


def rank_vector(scores: Values, query_offsets: NDArray[np.int64]) -> Values:
    """Ranks within queries, centred and of length 1 in each: products are Spearman's ρ."""
    lengths = np.diff(query_offsets)
    query = np.repeat(np.arange(len(lengths)), lengths)
    settled = np.where(np.isnan(scores), -np.inf, scores)
    order = np.lexsort((settled, query))
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (query[order][1:] != query[order][:-1]) | (
        settled[order][1:] != settled[order][:-1]
    )
    tie = np.cumsum(begins) - 1
    places = np.arange(len(order)) - np.repeat(query_offsets[:-1], lengths)
    mean_place = np.bincount(tie, places) / np.bincount(tie)
    ranks = np.empty(len(order))
    ranks[order] = mean_place[tie]
    centred = ranks - np.repeat((lengths - 1) / 2.0, lengths)
    norms = np.sqrt(np.bincount(query, centred**2, minlength=len(lengths)))
    return np.asarray(centred / np.repeat(np.where(norms > 0.0, norms, 1.0), lengths))


def _constant(scores: Values, query_offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each query whether all its documents are tied."""
    settled = np.where(np.isnan(scores), -np.inf, scores)
    parts = np.split(settled, query_offsets[1:-1])
    return np.array([len(part) == 0 or bool((part == part[0]).all()) for part in parts])
