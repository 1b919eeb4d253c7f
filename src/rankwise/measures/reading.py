"""How tools read: what a query id that comes back and a repeated document id mean to them.

| queries | a query id that comes back in a later run of rows |
|---|---|
| separate | starts a query of its own (`qid#2` in the output) |
| merge | goes on with the query of that id |
| positive | as separate, but no boundary is seen after an id of 0 or less (Yahoo) |

| documents | a document id that comes back within its query |
|---|---|
| keep | is another document |
| replace | replaces the earlier row (the LETOR scripts) |
| lowest-label | is another document; all copies have their lowest label above 0, the ideal list
  has the labels as read (gdeval) |
| refuse | is refused |
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError


class ToolRefusal(RankwiseError):
    """The tool cannot take these data, or not for this measure; says why."""


def apply_queries(judged: JudgedScores, policy: str) -> JudgedScores:
    """The same rows with the queries that a tool of this policy sees."""
    if policy == "merge":
        return _merge(judged)
    if policy == "positive":
        return _join_after_zero(judged)
    return judged


def apply_documents(judged: JudgedScores, policy: str, tool: str) -> JudgedScores:
    """The same queries with the documents that a tool of this policy sees."""
    if policy == "keep" or judged.document_ids is None:
        return judged
    repeated = _repeated_rows(judged)
    if not repeated:
        return judged
    if policy == "refuse":
        query, document = repeated[0][0], judged.document_ids[repeated[0][2]]
        raise ToolRefusal(
            f"{tool} refuses a document id that occurs twice in a query: {document!r} in query "
            f"{judged.query_ids[query]!r}"
        )
    if policy == "lowest-label":
        return _lowest_label(judged, repeated)
    return _without(judged, np.array([earlier for _, earlier, _ in repeated]))


def first_runs(judged: JudgedScores) -> NDArray[np.int64]:
    """For every run the first run with its query id."""
    first: dict[str, int] = {}
    return np.array(
        [first.setdefault(query, run) for run, query in enumerate(judged.query_ids)],
        dtype=np.int64,
    )


def distinct_names(ids: list[str]) -> list[str]:
    """Names that differ: a query id that comes back is `qid#2`, `qid#3`, …"""
    if len(set(ids)) == len(ids):
        return ids
    counts: dict[str, int] = {}
    names = []
    for query in ids:
        counts[query] = counts.get(query, 0) + 1
        names.append(query if counts[query] == 1 else f"{query}#{counts[query]}")
    return names


def _merge(judged: JudgedScores) -> JudgedScores:
    ids = list(judged.query_ids)
    if len(set(ids)) == len(ids):
        return judged
    if judged.retrieved is not None:
        raise ToolRefusal("two queries of the run have the same id to this tool")
    first = first_runs(judged)
    runs = np.argsort(first, kind="stable")
    starts, lengths = judged.query_offsets[:-1][runs], judged.lengths[runs]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = np.repeat(starts, lengths) + within
    kept, sizes = np.unique(np.repeat(first[runs], lengths), return_counts=True)
    return judged.take(rows, sizes, [ids[run] for run in kept])


def _join_after_zero(judged: JudgedScores) -> JudgedScores:
    ids = list(judged.query_ids)
    joined = [run > 0 and int(ids[run - 1]) <= 0 for run in range(len(ids))]
    if not any(joined):
        return judged
    starts = [run for run, join in enumerate(joined) if not join]
    sizes = np.add.reduceat(judged.lengths, starts)
    return replace(judged, query_offsets=offsets_of(sizes), query_ids=[ids[run] for run in starts])


def _repeated_rows(judged: JudgedScores) -> list[tuple[int, int, int]]:
    """(query, earlier row, later row) for every document id that comes back."""
    documents = judged.document_ids or ()
    found = []
    for query in range(judged.n_queries):
        seen: dict[str, int] = {}
        for row in range(int(judged.query_offsets[query]), int(judged.query_offsets[query + 1])):
            document = documents[row]
            if document in seen:
                found.append((query, seen[document], row))
            seen[document] = row
    return found


def _lowest_label(judged: JudgedScores, repeated: list[tuple[int, int, int]]) -> JudgedScores:
    labels = judged.labels.copy()
    for pairs in (repeated, repeated[::-1]):
        for _, earlier, later in pairs:
            labels[[earlier, later]] = _lowest_above_zero(labels[earlier], labels[later])
    return replace(judged, labels=labels, ideal_labels=judged.labels)


def _lowest_above_zero(one: float, other: float) -> float:
    above = [label for label in (one, other) if label > 0]
    return min(above) if above else max(one, other)


def _without(judged: JudgedScores, rows: NDArray[np.int64]) -> JudgedScores:
    kept = np.ones(len(judged.labels), dtype=np.bool_)
    kept[rows] = False
    query = np.repeat(np.arange(judged.n_queries), judged.lengths)
    sizes = np.bincount(query[kept], minlength=judged.n_queries)
    return judged.take(np.flatnonzero(kept), sizes, judged.query_ids)
