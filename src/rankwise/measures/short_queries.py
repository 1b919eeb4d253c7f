"""Empty and short queries of data, and what each tool makes of them.

A query is empty where no document of it is relevant, and short where it has fewer documents than
the cut-off. Tools disagree on both, so that the mean of a perfect ranking, by the definition

    (queries − empty queries) / queries,

is another number under another tool, and figures of different tools cannot be compared even where
they agree on everything else. Busa-Fekete, Szarvas, Éltető and Kégl, An apple-to-apple comparison
of learning-to-rank algorithms in terms of NDCG (2012), ask to say how they were counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankwise.data.checking import check
from rankwise.data.dataset import Dataset
from rankwise.data.dataset_description import SHORT_QUERY, mark_empty, mark_short
from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.reconciliation import count_queries
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import all_tools

LEFT_OUT, ZERO_IN_MEAN, AS_RANKED = "left out", "0 in the mean only", "as it is ranked"


@dataclass(frozen=True)
class PartQueries:
    """The empty and the short queries of one file; a query may be both."""

    where: str
    queries: int
    empty: tuple[str, ...]
    short: tuple[str, ...]


@dataclass(frozen=True)
class ToolEffect:
    """What empty and short queries do to one measure under one tool.

    Attributes:
        tool: whose convention.
        measure: the measure as it was asked for.
        empty: what an empty query scores, `left out` where the mean does without it.
        short: what a short query with a relevant document scores.
        best_mean: the mean of a perfect ranking of these queries; None where no query counts.
    """

    tool: str
    measure: str
    empty: str
    short: str
    best_mean: float | None


class QueryCheck:
    """Looks at the parts of a data set in turn; a query of several parts counts once."""

    def __init__(self, cutoff: int = SHORT_QUERY) -> None:
        if cutoff < 1:
            raise RankwiseError(f"a cut-off must be a whole number from 1, found {cutoff}")
        self.cutoff = cutoff
        self.parts: list[PartQueries] = []
        self._labels: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}

    def look(self, where: str, dataset: Dataset) -> None:
        """Take the queries of one file into account."""
        ids = dataset.query_ids
        empty = tuple(ids[n] for n in np.flatnonzero(mark_empty(dataset)).tolist())
        few = np.flatnonzero(mark_short(dataset, self.cutoff)).tolist()
        short = tuple(ids[n] for n in few)
        self.parts.append(PartQueries(where, dataset.n_queries, empty, short))
        starts, ends = dataset.query_offsets[:-1], dataset.query_offsets[1:]
        for query, start, end in zip(ids, starts.tolist(), ends.tolist(), strict=True):
            self._labels.setdefault(query, dataset.labels[start:end])

    @property
    def found(self) -> list[PartQueries]:
        """The files that have empty or short queries."""
        return [part for part in self.parts if part.empty or part.short]

    def list_effects(self) -> list[ToolEffect]:
        """NDCG at the cut-off and MAP under every tool that computes them; none without a query."""
        if not self._labels:
            return []
        judged = _judge_perfectly(list(self._labels.values()), list(self._labels))
        names = (f"NDCG@{self.cutoff}", "MAP")
        effects = (_find_effect(tool, name, judged) for name in names for tool in all_tools())
        return [effect for effect in effects if effect is not None]


def check_queries(
    *paths: str | Path, cutoff: int = SHORT_QUERY, zero_based: bool = False
) -> QueryCheck:
    """The empty and short queries of files and of folders of folds."""
    found = QueryCheck(cutoff)
    check(*paths, zero_based=zero_based, look=found.look)
    return found


def _find_effect(tool: Tool, name: str, judged: JudgedScores) -> ToolEffect | None:
    try:
        measure = tool.measure(name)
        values = _score_probe(tool, name, measure.cutoff or SHORT_QUERY)
    except RankwiseError:
        return None  # The tool does not compute the measure.
    counts = count_queries(judged, measure)
    whole = counts.queries - counts.empty - (counts.short or 0)
    empty, short = values["empty"], values["short"]
    absent = measure.short == "absent"
    # A short query without a figure of its own counts as 0 in the mean; an empty one counts not.
    summed = whole + (counts.short or 0) * (short or 0.0) + counts.empty * (empty or 0.0)
    counted = counts.queries - (counts.empty if empty is None else 0)
    best = summed / counted if counted else None
    if measure.cutoff is None:
        shown = AS_RANKED
    else:
        shown = ZERO_IN_MEAN if absent else AS_RANKED if short == 1.0 else _show(short)
    return ToolEffect(tool.name, name, _show(empty), shown, best)


def _score_probe(tool: Tool, name: str, cutoff: int) -> dict[str, float | None]:
    """What a tool gives for a perfect ranking of an empty query and of a short one."""
    lengths = {"whole": cutoff + 2, "empty": cutoff + 2, "short": max(1, cutoff - 1)}
    labels = [_mark_best(length, kind != "empty") for kind, length in lengths.items()]
    ids = ["1", "2", "3"]
    judged = _judge_perfectly(labels, ids)
    named = replace(judged, document_ids=[f"d{row}" for row in range(len(judged.labels))])
    given = evaluate_judged(named, [name], tool)[name].per_query
    return {kind: given.get(query) for kind, query in zip(lengths, ids, strict=True)}


def _mark_best(length: int, relevant: bool) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    # Every tool takes the label 2 for relevant: MSLR's from there, LETOR's tables up to there.
    labels = np.zeros(length)
    labels[0] = 2.0 if relevant else 0.0
    return labels


def _judge_perfectly(
    labels: list[np.ndarray[tuple[int], np.dtype[np.float64]]], ids: list[str]
) -> JudgedScores:
    flat = np.concatenate(labels)
    return JudgedScores(flat, flat, offsets_of([len(one) for one in labels]), ids)


def _show(value: float | None) -> str:
    return LEFT_OUT if value is None else f"{value:g}"
