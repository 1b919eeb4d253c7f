"""A measure prepared for training: the same judged documents, scored many thousand times.

What does not depend on the scores (the tool's reading of the labels, its plan of the measure, the
order among ties) is settled once, so that a call costs one compiled pass over the queries. A
FollowedMeasure is such a measure under scores that change little from call to call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.computation import (
    UNDEFINED,
    Lists,
    MeasurePlan,
    evaluate_candidates,
    find_worth,
    make_lists,
    make_plan,
    tie_mode,
    tie_worth,
)
from rankwise.measures.document_order import NONE, priorities, raise_if_failed
from rankwise.measures.measure import Measure, load_known_family
from rankwise.measures.prepared import PreparedMeasure
from rankwise.measures.tool import Tool, ToolRefusal
from rankwise.measures.tools.registry import find_tool
from rankwise.measures.values import average, refuse_measure
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S_OUT, UINT8S_OUT, function
from rankwise.native.arrays import Floats, Integers

_RULES_THAT_READ_SCORES = ("quicksort", "document-ascending", "document-descending")


@dataclass(frozen=True, eq=False)
class TrainingMeasure:
    """One measure under one tool's convention, on the documents of one data set.

    Figures are those of `rankwise.measures.evaluate`, but for two things: they are never rounded
    (gdeval's five decimals would hide small steps), and every query of the data set is a query,
    whatever its id. A query without a figure (the tool leaves it out, or counts it as 0) has the
    value 0 in `per_query` and `matrix`; `mean` averages as the tool does. Calls share no scratch,
    so that threads may share the object.

    Attributes:
        measure: the measure with all its conventions.
        tool: whose conventions they are.
        judged: the data as the tool sees them.
    """

    measure: Measure
    tool: Tool
    judged: JudgedScores
    _lists: Lists
    _plan: MeasurePlan
    _tie_mode: int
    _rows: Integers | None
    _skipped: NDArray[np.bool_] | None
    _documents: int

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        measure: str | Measure = "MAP",
        tool: str | Tool = "definition",
        *,
        ties: str | None = None,
    ) -> TrainingMeasure:
        """Prepare `measure` as `tool` computes it on the documents of `dataset`.

        `ties` replaces the tool's rule for equal scores; `expected` judges what the scores say,
        not the order in which the file has the documents that they tie.
        """
        chosen = find_tool(tool) if isinstance(tool, str) else tool
        wanted = chosen.measure(measure)
        if ties is not None:
            wanted = wanted.with_fields(ties=ties)
        family = load_known_family(wanted.family)
        if family.lower_is_better:
            raise RankwiseError(
                f"a training measure must rise as rankings get better, found {wanted.family}, "
                "which falls"
            )
        if family.reads_scores:
            raise RankwiseError(
                f"a training measure must judge an order, found {wanted.family}, which judges the "
                "scores"
            )
        seen = chosen.read(_judged(dataset, wanted))
        reason = chosen.measure_refusal(wanted, seen) or refuse_measure(wanted, seen, tied=True)
        if reason is not None:
            raise ToolRefusal(f"{chosen.name}: {reason}")
        return cls(
            measure=wanted,
            tool=chosen,
            judged=seen,
            _lists=_lists(wanted, chosen, seen),
            _plan=make_plan([wanted], int(seen.lengths.max(initial=0))),
            _tie_mode=tie_mode(wanted.ties),
            _rows=_kept_rows(seen, dataset.n_documents),
            _skipped=chosen.skipped(wanted, seen),
            _documents=dataset.n_documents,
        )

    @property
    def n_queries(self) -> int:
        """Queries of the data set, in its order."""
        return self.judged.n_queries

    @property
    def compares_scores_as_they_are(self) -> bool:
        """Whether the tool keeps all rows, and does not round their scores."""
        return self._rows is None and self.measure.comparison != "single"

    def per_query(self, scores: Floats) -> Floats:
        """The value of every query under these scores, one per document of the data set."""
        return _with_zeros(self.values(scores[np.newaxis])[0])

    def mean(self, scores: Floats) -> float:
        """The figure over all queries; what the tool shows, or 0, where no query has one."""
        return self.figure(self.values(scores[np.newaxis])[0])

    def matrix(self, candidate_scores: Floats) -> Floats:
        """(candidates, queries) from the scores of many candidates: (candidates, documents)."""
        return _with_zeros(self.values(candidate_scores))

    def values(self, candidate_scores: Floats) -> Floats:
        """As `matrix`, with NaN for a query that is left out and -inf for an absent figure."""
        compared = self.compared(candidate_scores)
        if self.measure.ties in _RULES_THAT_READ_SCORES:
            rows = [self._evaluated(scores[np.newaxis]) for scores in compared]
            values = np.concatenate([np.empty((0, self.n_queries)), *rows])
        else:
            values = self._evaluated(compared)
        return self.without_skipped(values)

    def figure(self, values: Floats) -> float:
        """The mean of the `values` of one candidate."""
        return float(self.figures(values[np.newaxis])[0])

    def figures(self, values: Floats) -> Floats:
        """The mean of the `values` of every candidate."""
        if self.measure.average == "mean" and np.isfinite(values).all():
            # As `average` has it, query by query.
            means: Floats = np.cumsum(values, axis=1)[:, -1] / values.shape[1]
            return means
        found = np.array([average(row, self.measure, self.judged) for row in values])
        nothing = 0.0 if np.isnan(self.tool.nothing) else self.tool.nothing
        return np.where(np.isnan(found), nothing, found)

    def without_skipped(self, values: Floats) -> Floats:
        """The values with NaN for queries that the tool leaves out."""
        return values if self._skipped is None else np.where(self._skipped, np.nan, values)

    def prepared(self) -> PreparedMeasure | None:
        """For C code that ranks by itself; None where a rule or a measure is not C's alone."""
        if (
            self.measure.ties in _RULES_THAT_READ_SCORES
            or self._tie_mode == UNDEFINED
            or self._plan.functions
        ):
            return None
        return PreparedMeasure(self._lists, self._plan, self._tie_mode)

    def _evaluated(self, compared: Floats) -> Floats:
        """The values of candidates that share the order among ties: one, or all of them."""
        lists = self._lists
        if self.measure.ties in _RULES_THAT_READ_SCORES:
            lists = lists._replace(priority=_priority(self.measure, self.judged, compared[0]))
        found: Floats = evaluate_candidates(lists, self._plan, self._tie_mode, compared)[:, 0]
        return found

    def compared(self, scores: Floats) -> Floats:
        """(candidates, rows that the tool keeps): the scores as it compares them."""
        if scores.shape[1:] != (self._documents,):
            raise RankwiseError(
                f"there must be one score per document ({self._documents}), "
                f"found an array of shape {scores.shape}"
            )
        kept = np.asarray(scores, np.float64) if self._rows is None else scores[:, self._rows]
        if self.measure.comparison == "single":
            with np.errstate(over="ignore"):
                return kept.astype(np.float32).astype(np.float64)
        return kept


def _judged(dataset: Dataset, measure: Measure) -> JudgedScores:
    """The documents with their row numbers as scores: reading them shows which rows are kept."""
    documents: Sequence[str] | None = dataset.document_ids
    if documents is not None and measure.ties in _RULES_THAT_READ_SCORES:
        # Where every call looks at them, they are texts from the beginning.
        documents = list(documents)
    return JudgedScores(
        labels=dataset.labels,
        scores=np.arange(dataset.n_documents, dtype=np.float64),
        query_offsets=dataset.query_offsets,
        # Numbers from 1: no tool merges them, and those that need whole numbers take them.
        query_ids=[str(number) for number in range(1, dataset.n_queries + 1)],
        document_ids=documents,
    )


def _lists(measure: Measure, tool: Tool, seen: JudgedScores) -> Lists:
    ideal_of = tool.ideal_of(seen)
    static = measure.ties not in _RULES_THAT_READ_SCORES
    return make_lists(
        _within_table(measure, seen),
        seen.scores,
        seen.query_offsets,
        priority=_priority(measure, seen, seen.scores) if static else NONE,
        retrieved=seen.retrieved_lengths,
        ideal_of=ideal_of,
        ideal_labels=seen.ideal_labels,
    )


def _within_table(measure: Measure, seen: JudgedScores) -> Floats:
    if measure.table is None:
        return seen.labels
    return np.where(seen.labels > measure.table, 0.0, seen.labels)


def _priority(measure: Measure, seen: JudgedScores, scores: Floats) -> Floats:
    rule = measure.ties or "input"
    worth = tie_worth(find_worth(measure), _within_table(measure, seen))
    return priorities(rule, worth, scores, seen.query_offsets, seen.document_ids, seen.retrieved)


def _kept_rows(seen: JudgedScores, documents: int) -> Integers | None:
    """The rows that the tool keeps, or None where these are all in their order."""
    rows = seen.scores.astype(np.int64)
    return None if np.array_equal(rows, np.arange(documents)) else rows


def _with_zeros(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0)


_follow_measure = function(
    "rankwise_follow",
    *(ADDRESS, DOUBLES, INT64, INT64S_OUT, UINT8S_OUT, DOUBLES_OUT, INT64S_OUT),
    returns=INT64,
)


class FollowedMeasure:
    """The figures of a `TrainingMeasure`, for the rounds of one training.

    Every query is sorted on from its order under the scores before, and measured anew only where
    its labels by rank, or its ties, are no longer what they were. Where that cannot be (ties by
    document id, a measure that is a Python function, …), each call looks at everything. Calls share
    what they remember: threads need one each.
    """

    def __init__(self, measure: TrainingMeasure) -> None:
        self._measure = measure
        self._prepared = measure.prepared()
        documents = len(measure.judged.labels)
        self._order = np.arange(documents)
        self._tied = np.zeros(documents, dtype=np.uint8)
        self._values = np.empty(measure.n_queries)
        self._changed = np.zeros(1, dtype=np.int64)
        self._known = False
        self._per_query: Floats | None = None
        self._mean: float | None = None

    def per_query(self, scores: Floats) -> Floats:
        """See `TrainingMeasure`; the same array as before where no value has changed."""
        values = self._followed(scores)
        if self._per_query is None:
            self._per_query = np.where(np.isfinite(values), values, 0.0)
            self._per_query.flags.writeable = False
        return self._per_query

    def mean(self, scores: Floats) -> float:
        """See `TrainingMeasure`."""
        values = self._followed(scores)
        if self._mean is None:
            self._mean = self._measure.figure(values)
        return self._mean

    def _followed(self, scores: Floats) -> Floats:
        candidates = scores[np.newaxis]
        if self._prepared is None:
            self._forget()
            values: Floats = self._measure.values(candidates)[0]
            return values
        compared = np.ascontiguousarray(self._measure.compared(candidates)[0])
        # What was known is lost where the call fails half-way.
        known, self._known = self._known, False
        raise_if_failed(
            _follow_measure(
                self._prepared.address,
                compared,
                known,
                self._order,
                self._tied,
                self._values,
                self._changed,
            )
        )
        self._known = True
        if self._changed[0]:
            self._forget()
        return self._measure.without_skipped(self._values)

    def _forget(self) -> None:
        self._per_query = self._mean = None
