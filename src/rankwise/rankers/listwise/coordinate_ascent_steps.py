"""A training measure along single coordinates: what Coordinate Ascent asks thousands of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.plan import CODES, make_plan
from rankwise.measures.values import average
from rankwise.rankers.training.training_measure import TrainingMeasure

if TYPE_CHECKING:
    from rankwise.measures.kernel import Lists, Scratch

Floats = NDArray[np.float64]

_TIES_WITHOUT_SCORES = ("input", "reversed", "worst", "best", "expected")


class StepMeasure:
    """The figure of a measure under the scores s + δ x, for many δ at once.

    The measures and tie rules that most people use go through one compiled pass, which sorts every
    step on from the one before; the rest (ties by document id, single precision, …) are evaluated
    score by score. Calls share scratch: threads need a StepMeasure each.
    """

    def __init__(self, measure: TrainingMeasure) -> None:
        self._measure = measure
        self._lists = _lists(measure)
        self._order = np.arange(len(measure.judged.labels), dtype=np.int64)
        longest = int(measure.judged.lengths.max(initial=0))
        self._plan = make_plan([measure.measure], longest)
        self._scratch = _scratch(longest)
        self._skipped = measure.tool.skipped(measure.measure, measure.judged)

    def means(self, scores: Floats, column: Floats, steps: Floats) -> Floats:
        """One figure per step; steps of one sign should follow each other by rising size."""
        if self._lists is None:
            return np.array([self._measure.mean(scores + step * column) for step in steps])
        values = self._values(self._lists, scores, column, steps)
        if self._skipped is not None:
            values[:, self._skipped] = np.nan
        return self._averages(values)

    def _values(self, lists: Lists, scores: Floats, column: Floats, steps: Floats) -> Floats:
        from rankwise.measures import kernel
        from rankwise.measures.kernels.ranked import Tables
        from rankwise.measures.ranking import read_only
        from rankwise.rankers.listwise.coordinate_ascent_kernel import sort_on, values_along

        plan, scratch = self._plan, self._scratch
        lists = lists._replace(scores=read_only(scores))
        expected = self._measure.measure.ties == "expected"
        sort_on(lists.scores, lists.priority, lists.offsets, scratch, self._order)
        out = np.empty((len(steps), self._measure.n_queries))
        values_along(
            lists,
            plan.records,
            Tables(plan.gains, plan.weights, plan.divisors),
            kernel.EXPECTED if expected else kernel.STRICT,
            read_only(column),
            steps,
            self._order,
            scratch,
            out,
        )
        return out

    def _averages(self, values: Floats) -> Floats:
        """As `average` has them; all at once where they are plain means of all queries."""
        measure, judged = self._measure.measure, self._measure.judged
        if measure.average == "mean" and np.isfinite(values).all():
            means: Floats = np.cumsum(values, axis=1)[:, -1] / values.shape[1]
            return means
        figures = np.array([average(row, measure, judged) for row in values])
        # Where no query has a figure, no step is better than another.
        return np.where(np.isnan(figures), 0.0, figures)


def _scratch(longest: int) -> Scratch:
    from rankwise.measures.kernel import make_scratch

    return make_scratch(longest)


def _lists(measure: TrainingMeasure) -> Lists | None:
    """The documents for the compiled pass, or None where it would not give the tool's figures."""
    from rankwise.measures.kernel import LAST_FREQUENT, make_lists
    from rankwise.measures.ranking import priorities

    wanted, judged = measure.measure, measure.judged
    rule = wanted.ties or "input"
    # The row numbers stand where the scores would: all rows must be kept, in their order.
    rows = np.arange(len(judged.labels))
    if (
        CODES[wanted.family] > LAST_FREQUENT
        or rule not in _TIES_WITHOUT_SCORES
        or wanted.comparison == "single"
        or not np.array_equal(judged.scores, rows)
        or not np.array_equal(judged.retrieved_lengths, judged.lengths)
        or judged.ideal_labels is not None
        or measure.tool.ideal_of(judged) is not None
    ):
        return None
    labels = judged.labels
    if wanted.table is not None:
        labels = np.where(labels > wanted.table, 0.0, labels)
    offsets = judged.query_offsets
    priority = priorities(rule, labels, judged.scores, offsets, judged.document_ids)
    return make_lists(labels, judged.scores, offsets, priority=priority)
