"""Methods query by query on one data set: means, paired differences, the queries in dispute.

Where values per query are known, these say more than a winning number on one data set can: a
method wins there by a hair or by a mile alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance_tests import (
    Interval,
    Procedure,
    SystemComparison,
    compare_systems,
    confidence_interval,
)
from rankwise.errors import RankwiseError
from rankwise.measures.measure import lower_is_better

Values = NDArray[np.float64]
DECIMALS = 4


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The values of methods on the queries of one data set, measure by measure.

    Attributes:
        collection, dataset: what the methods were tested on, as the comparison names it.
        tool: whose conventions computed the values.
        methods: in the order of the plan; the first is the baseline unless another is asked for.
        queries: the ids of the queries, in one order.
        values: by measure, an array (methods, queries); NaN where a query has no value.
        remarks: what was left out, in sentences.
    """

    collection: str
    dataset: str
    tool: str
    methods: tuple[str, ...]
    queries: tuple[str, ...]
    values: Mapping[str, Values]
    remarks: tuple[str, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that have values per query."""
        return tuple(self.values)

    def of_measure(self, measure: str) -> tuple[Values, NDArray[np.int64]]:
        """The values of the queries that every method has one for, and which queries these are."""
        if measure not in self.values:
            raise RankwiseError(
                f"{self.dataset} has values per query in {', '.join(self.values) or 'no measure'}; "
                f"found {measure!r}"
            )
        values = self.values[measure]
        kept = np.flatnonzero(~np.isnan(values).any(axis=0))
        return values[:, kept], kept


@dataclass(frozen=True)
class MethodMean:
    """The mean of a method over the queries, with the interval in which it may lie."""

    method: str
    mean: float
    interval: Interval


def compute_means(
    table: QueryTable, measure: str, confidence: float = 0.95
) -> tuple[MethodMean, ...]:
    """The mean of every method with Student's interval over the queries, best first.

    The interval is of one method alone. Two that overlap may still differ for sure, as methods
    are tested on the same queries: `compare_with` pairs them.
    """
    values, _ = table.of_measure(measure)
    found = [
        MethodMean(method, float(row.mean()), confidence_interval(row, confidence=confidence))
        for method, row in zip(table.methods, values, strict=True)
        if len(row)
    ]
    sign = 1.0 if lower_is_better(measure) else -1.0
    return tuple(sorted(found, key=lambda one: sign * one.mean))


def compare_with(
    table: QueryTable, measure: str, baseline: str | None = None, procedure: Procedure | None = None
) -> tuple[SystemComparison, ...]:
    """Every other method against one, paired by query: difference, interval, adjusted p-value."""
    values, _ = table.of_measure(measure)
    first = table.methods[0] if baseline is None else baseline
    if first not in table.methods:
        raise RankwiseError(
            f"the baseline must be one of {', '.join(table.methods)}; found {first!r}"
        )
    rows = dict(zip(table.methods, values, strict=True))
    systems = {first: rows[first], **{name: row for name, row in rows.items() if name != first}}
    return tuple(compare_systems({measure: systems}, procedure))


def find_disputed(
    table: QueryTable, measure: str, most: int, methods: Sequence[str] = ()
) -> list[int]:
    """The queries on which methods differ most, as positions in `queries`, widest first.

    By the range of the values of the named methods, or of all, to four decimals as they are shown;
    of equal ranges in the order of the queries. Queries on which nobody differs are left out.
    """
    values, kept = table.of_measure(measure)
    if methods:
        values = values[[table.methods.index(name) for name in methods]]
    if not values.size:
        return []
    reach = np.round(np.ptp(np.round(values, DECIMALS), axis=0), DECIMALS)
    order = np.lexsort((kept, -reach))
    return [int(kept[place]) for place in order[:most] if reach[place] > 0]
