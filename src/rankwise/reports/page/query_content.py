"""What the page holds of single queries: means, all paired differences, and values to draw."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.query_table import QueryTable, compute_means
from rankwise.comparison.significance import confidence_interval, effect_sizes, pair, t_test
from rankwise.comparison.significance.differences import mean_difference
from rankwise.measures.names import sort_measures
from rankwise.reports.figures import Bar
from rankwise.reports.query_figures import (
    choose_methods,
    find_main_measure,
    find_range,
    make_measure_axis,
)

MOST_VALUES = 300_000
"""Of all methods, queries and measures together: about two megabytes of the page."""
DECIMALS = 4


def make_query_data(table: QueryTable, measures: list[str]) -> dict[str, Any]:
    """One data set: every measure with its means, paired differences and, thinned out where there
    are very many queries, its values.

    Means, intervals and p-values are of all queries, whatever is drawn of them. Every pair of
    methods is tested, so that the reader may choose whom to compare with; the page adjusts the
    p-values of what it shows by Holm's procedure.
    """
    main = find_main_measure(table)
    methods = choose_methods(table, main)
    every = max(1, math.ceil(len(table.queries) * len(methods) * len(table.values) / MOST_VALUES))
    drawn = np.arange(0, len(table.queries), every)
    rows = [table.methods.index(name) for name in methods]
    return {
        "dataset": table.dataset,
        "collection": table.collection,
        "tool": table.tool,
        "methods": methods,
        "baseline": methods.index(table.methods[0]),
        "main": measures.index(main),
        "queries": [table.queries[place] for place in drawn.tolist()],
        "every": every,
        "measures": [
            _make_measure(table, name, methods, rows, drawn, measures.index(name))
            for name in sort_measures(table.measures)
        ],
        "remarks": table.remarks,
    }


def _make_measure(
    table: QueryTable,
    measure: str,
    methods: list[str],
    rows: list[int],
    drawn: NDArray[np.int64],
    number: int,
) -> dict[str, Any]:
    values, kept = table.of_measure(measure)
    means = {one.method: one for one in compute_means(table, measure)}
    found = [means[name] for name in methods]
    axis = make_measure_axis(measure, [Bar("", float(end)) for end in (values.min(), values.max())])
    return {
        "measure": number,
        "count": len(kept),
        "range": [axis.low, axis.high],
        "bounds": [_known(end) for end in find_range(measure)],
        "means": [[one.mean, _known(one.interval.low), _known(one.interval.high)] for one in found],
        "differences": [
            _compare(values[first], values[second]) for first, second in combinations(rows, 2)
        ],
        "values": [_round(table.values[measure][row][drawn]) for row in rows],
    }


def _compare(first: NDArray[np.float64], second: NDArray[np.float64]) -> list[float | int | None]:
    """Second less first: difference, interval, p-value, queries it is above and below on."""
    differences = pair(first, second).differences
    interval, effect = confidence_interval(differences), effect_sizes(differences)
    p_value = t_test(differences).p_value if len(differences) > 1 else 1.0
    return [
        mean_difference(differences), _known(interval.low), _known(interval.high), p_value,
        effect.wins, effect.losses,
    ]  # fmt: skip


def _round(values: NDArray[np.float64]) -> list[float | None]:
    rounded = np.round(values, DECIMALS).tolist()
    return [None if value != value else value for value in rounded]


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
