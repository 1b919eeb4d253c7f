"""Values of methods on one data set, for tables that know no more than the mean."""

from __future__ import annotations

from rankwise.comparison.ranking import Comparison
from rankwise.measures.names import lower_is_better, sort_measures
from rankwise.reports.figures import FRONT, OTHER, Bar, Bars
from rankwise.reports.names import make_file_name
from rankwise.reports.own_methods import find_own_methods
from rankwise.reports.query_figures import make_measure_axis

MOST_METHODS = 60
MOST_MEASURES = 6


def make_value_bars(comparison: Comparison) -> tuple[Bars, ...]:
    """The value of every method in every measure, best first; of many methods the best."""
    measures = sort_measures(comparison.measures)[:MOST_MEASURES]
    return tuple(_draw_measure(comparison, measure) for measure in measures)


def _draw_measure(comparison: Comparison, measure: str) -> Bars:
    table, own = comparison.table.where(measure=measure), find_own_methods(comparison.table)
    sign = 1.0 if lower_is_better(measure) else -1.0
    pairs = zip(table.method.tolist(), table.value.tolist(), strict=True)
    order = sorted(pairs, key=lambda pair: (sign * pair[1], pair[0]))
    bars = tuple(
        Bar(
            method,
            value,
            front=FRONT if not own or method in own else OTHER,
            detail=f"{measure} {value:.4f}",
            own=method in own,
            note=f"{value:.4f}",
        )
        for method, value in order[:MOST_METHODS]
    )
    part = f" The {len(bars)} best of {len(order)} methods." if len(bars) < len(order) else ""
    return Bars(
        f"values-{make_file_name(measure)}",
        f"{measure} on {table.dataset[0]}",
        f"{measure} of every method on {table.dataset[0]}. Without values per query nothing is "
        f"known of how sure a difference is.{part}",
        make_measure_axis(measure, bars),
        bars,
        meanings=(),
    )
