"""Two entries beside each other, all methods across tasks, and entries that rank nearly alike.

Entries that rank nearly alike are one method under two names, or one team under two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.boards import Viewing, align
from rankwise.arena.evaluator import Figures
from rankwise.arena.participation import ArenaTask
from rankwise.arena.storage.stored_records import EntryRow
from rankwise.arena.views import EntryComparison, NearDuplicate, QueryDifference, Standing
from rankwise.comparison.significance_tests.intervals import confidence_interval
from rankwise.comparison.significance_tests.paired_tests import t_test, without_rounding_noise
from rankwise.comparison.winning_numbers import compute_winning_numbers
from rankwise.results.result_table import ResultTable

LEVELS = (0.05, 0.01, 0.001, 0.0)
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
NO_QUERIES = (
    "figures of single queries tell of their labels: organisers see them, and others once the "
    "private half is revealed where the task's rules say so"
)


def compare_entries(
    viewing: Viewing, first: EntryRow, second: EntryRow, figures: Mapping[str, Figures]
) -> EntryComparison:
    """The second entry beside the first, on the queries of one half."""
    pair = figures[first.id], figures[second.id]
    one, other = align([each.values for each in pair])
    differences = without_rounding_noise(other - one)
    interval = confidence_interval(differences)
    sign = -1.0 if viewing.asked.lower_is_better else 1.0
    values = [viewing.show(each.mean) for each in pair]
    p_value = t_test(differences).p_value
    low, high = (
        viewing.show(end) if viewing.rounds else round(end, 4)
        for end in (interval.low, interval.high)
    )
    shows = _shows_queries(viewing)
    return EntryComparison(
        viewing.task.name,
        viewing.asked.measure,
        viewing.asked.tool,
        viewing.half,
        first.id,
        second.id,
        first.declaration.title,
        second.declaration.title,
        values[0],
        values[1],
        values[1] - values[0],
        low,
        high,
        cut_p_value(p_value) if viewing.rounds else round(p_value, 6),
        # Two entries that differ on one query would tell by these which is better there.
        wins=None if viewing.rounds else int((sign * differences > 0).sum()),
        ties=None if viewing.rounds else int((differences == 0).sum()),
        losses=None if viewing.rounds else int((sign * differences < 0).sum()),
        quantiles=()
        if viewing.rounds
        else tuple(round(one, 2) + 0.0 for one in np.quantile(differences, QUANTILES).tolist()),
        queries=_list_queries(*pair) if shows else (),
        why_no_queries="" if shows else NO_QUERIES,
    )


def cut_p_value(p_value: float) -> float:
    """The largest of 0.05, 0.01, 0.001 and 0 that a p-value reaches.

    In full it would tell whether two entries are alike on all queries but one.
    """
    return max((level for level in LEVELS if level <= p_value), default=math.nan)


def _shows_queries(viewing: Viewing) -> bool:
    if viewing.account is not None and viewing.account.organises:
        return True
    return not viewing.task.open and viewing.task.rules.per_query == "after-reveal"


def _list_queries(first: Figures, second: Figures) -> tuple[QueryDifference, ...]:
    rows = zip(first.queries, first.values.tolist(), second.values.tolist(), strict=True)
    return tuple(QueryDifference(*row) for row in rows)


def compute_standings(
    shown: Iterable[tuple[ArenaTask, EntryRow, str, float]],
) -> tuple[Standing, ...]:
    """Winning numbers of methods across tasks; of a team's entries of one title the last counts.

    Each item is a task, an entry, the team as it may be seen, and the entry's value there.
    """
    cells: dict[tuple[str, str, str], tuple[ArenaTask, float]] = {}
    for task, entry, team, value in shown:
        cells[team, entry.declaration.title, task.name] = task, value
    if not cells:
        return ()
    table = ResultTable.from_columns(
        collection=[""] * len(cells),
        dataset=[name for _, _, name in cells],
        method=[f"{title}\n{team}" for team, title, _ in cells],
        measure=[task.rules.measure for task, _ in cells.values()],
        value=[value for _, value in cells.values()],
    )
    found = []
    for one in compute_winning_numbers(table):
        title, _, team = one.method.partition("\n")
        found.append(Standing(title, team, one.distinct_datasets, one.wn, one.iwn, one.nwn))
    return tuple(found)


DUPLICATE_THRESHOLD = 0.99

Values = NDArray[np.float64]


def find_near_duplicates(
    entries: Sequence[EntryRow],
    scores: Mapping[str, Values],
    query_offsets: NDArray[np.int64],
    threshold: float = DUPLICATE_THRESHOLD,
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
    constant = np.vstack([_find_constant(scores[entry.digest], query_offsets) for entry in entries])
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


def _find_constant(scores: Values, query_offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each query whether all its documents are tied."""
    settled = np.where(np.isnan(scores), -np.inf, scores)
    parts = np.split(settled, query_offsets[1:-1])
    return np.array([len(part) == 0 or bool((part == part[0]).all()) for part in parts])
