"""Figures of methods query by query: means, paired differences, two methods, disputed queries.

Tables that know no more than the mean have figures of the values on one data set. What a report
found is said in a sentence or two, which its page says first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.significance_tests import SystemComparison
from rankwise.comparison.significance_tests.query_table import (
    QueryTable,
    compare_with,
    compute_means,
    find_disputed,
)
from rankwise.errors import RankwiseError
from rankwise.measures.measure import family_of, lower_is_better, sort_measures
from rankwise.reports.figures import (
    FRONT,
    OTHER,
    Axis,
    Bar,
    Bars,
    Figure,
    GridCell,
    GridColumn,
    HeatMap,
    QueryPoint,
    QueryScatter,
)
from rankwise.reports.ranking_figures import find_own_methods, format_field
from rankwise.tables.displayed_names import make_file_name, shown

LEVEL = 0.05
MOST_METHODS = 40
MOST_DISPUTED = 20
MOST_LABELLED = 6
MOST_MEANS = 6
PREFERRED = ("NDCG@10", "MAP")
TOLD_APART = ((FRONT, "Holm's p < 0.05"), (OTHER, "not told apart"))


def make_query_figures(table: QueryTable, *, single: bool = True) -> tuple[Figure, ...]:
    """Means in every measure, and in the main one differences, the best two and the disputes.

    `single` says that the report is of this data set alone, which its figures then need not name.
    """
    main = find_main_measure(table)
    suffix = "" if single else f"-{make_file_name(table.dataset)}"
    means = [make_means(table, one, suffix) for one in sort_measures(table.measures)[:MOST_MEANS]]
    return (
        *means,
        make_differences(table, main, None, suffix),
        make_query_scatter(table, main, *choose_pair(table, main), suffix),
        make_disputed(table, main, suffix),
    )


def find_main_measure(table: QueryTable) -> str:
    """The measure that is looked into where none is chosen: NDCG@10, MAP or the first."""
    for name in (*PREFERRED, *sort_measures(table.measures)):
        if name in table.values:
            return name
    raise RankwiseError(f"{table.dataset} has no values per query")


def choose_methods(table: QueryTable, measure: str) -> list[str]:
    """The methods that are drawn, best first, the baseline among them; at most `MOST_METHODS`."""
    best = [one.method for one in compute_means(table, measure)][:MOST_METHODS]
    if table.methods[0] not in best:
        best[-1] = table.methods[0]
    return best


def choose_pair(table: QueryTable, measure: str) -> tuple[str, str]:
    """The baseline, and the best of the others."""
    baseline = table.methods[0]
    others = [one for one in choose_methods(table, measure) if one != baseline]
    return baseline, others[0]


def make_means(table: QueryTable, measure: str, suffix: str = "") -> Bars:
    """The mean of every method with its interval, best first."""
    kept = set(choose_methods(table, measure))
    found = [one for one in compute_means(table, measure) if one.method in kept]
    bars = tuple(
        Bar(
            one.method,
            one.mean,
            _finite_number(one.interval.low),
            _finite_number(one.interval.high),
            FRONT,
            f"{measure} {one.mean:.4f}{_between(one.interval.low, one.interval.high)}",
            note=f"{one.mean:.4f}",
        )
        for one in found
    )
    return Bars(
        f"means-{make_file_name(measure)}{suffix}",
        f"{measure} on {table.dataset}",
        f"Mean {measure} over {_count(table, measure):,} queries of {table.dataset}, by the tool "
        f"{table.tool}, with its 95 % interval over the queries (Student's t). The intervals are "
        "of each method alone; as all are tested on the same queries, two that overlap may still "
        f"differ for sure: see the paired differences.{_describe_part(table, len(bars))}",
        make_measure_axis(measure, bars),
        bars,
        meanings=(),
    )


def make_differences(
    table: QueryTable, measure: str, baseline: str | None = None, suffix: str = ""
) -> Bars:
    """Every method against the baseline, paired by query: difference, interval, p-value."""
    found = compare_with(table, measure, baseline)
    kept = set(choose_methods(table, measure))
    sign = 1.0 if lower_is_better(measure) else -1.0
    chosen = sorted((one for one in found if one.system in kept), key=lambda o: sign * o.difference)
    bars = tuple(_difference_bar(one) for one in chosen)
    ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    reach = max((abs(end) for end in ends), default=0.0) or 0.01
    first = found[0].baseline
    return Bars(
        f"differences-{make_file_name(measure)}{suffix}",
        f"Differences to {first} in {measure}",
        f"{measure} less that of {first}, paired by query ({found[0].queries:,} queries of "
        f"{table.dataset}), with 95 % intervals; right of the line is "
        f"{'worse' if lower_is_better(measure) else 'better'}. p is of the two-sided paired "
        f"t-test, adjusted by Holm's procedure for {len(found)} comparisons (intervals are not); "
        f"filled where p < {LEVEL:g}.{_describe_part(table, len(bars) + 1)}",
        Axis(f"Difference in {measure}", -reach, reach),
        bars,
        reference=0.0,
        meanings=TOLD_APART,
    )


def make_query_scatter(
    table: QueryTable, measure: str, first: str, second: str, suffix: str = ""
) -> QueryScatter:
    """Two methods query by query; the queries that they differ most on are named."""
    values, kept = table.of_measure(measure)
    x, y = (values[table.methods.index(name)] for name in (first, second))
    named = set(find_disputed(table, measure, MOST_LABELLED, (first, second)))
    points = tuple(
        QueryPoint(table.queries[query], float(a), float(b), query in named)
        for query, a, b in zip(kept.tolist(), x.tolist(), y.tolist(), strict=True)
    )
    better, worse = int((y > x).sum()), int((y < x).sum())
    if lower_is_better(measure):
        better, worse = worse, better
    axis = make_measure_axis(
        measure, [Bar("", end) for end in (x.min(), x.max(), y.min(), y.max())]
    )
    return QueryScatter(
        f"queries-{make_file_name(measure)}{suffix}",
        f"{second} against {first}, query by query",
        f"{measure} of every query of {table.dataset}: {second} is better on {better:,}, {first} "
        f"on {worse:,}, and {len(points) - better - worse:,} are level, on the diagonal. Named are "
        "the queries on which the two differ most.",
        Axis(f"{measure}, {first}", axis.low, axis.high),
        Axis(f"{measure}, {second}", axis.low, axis.high),
        points,
    )


def make_disputed(table: QueryTable, measure: str, suffix: str = "") -> HeatMap:
    """The queries on which methods differ most: their values, method by method."""
    methods = choose_methods(table, measure)
    queries = find_disputed(table, measure, MOST_DISPUTED, methods)
    axis = make_measure_axis(measure, [Bar("", 0.0), Bar("", 1.0)])
    values = table.values[measure]
    largest = float(np.nanmax(values)) if values.size else 1.0
    high = axis.high if largest <= axis.high else largest
    return HeatMap(
        f"disputed-{make_file_name(measure)}{suffix}",
        "Queries on which methods differ most",
        f"{measure} of the {len(queries)} queries of {table.dataset} with the widest range between "
        "methods, widest first; methods from the best to the worst mean."
        f"{_describe_part(table, len(methods))}",
        measure if high == 1.0 else f"{measure} as a share of {high:g}",
        tuple(f"query {table.queries[query]}" for query in queries),
        tuple(GridColumn(measure, name) for name in methods),
        tuple(
            GridCell(row, column, _share(value, high), format_field(value))
            for row, query in enumerate(queries)
            for column, name in enumerate(methods)
            for value in [float(values[table.methods.index(name), query])]
        ),
    )


def make_measure_axis(measure: str, bars: Sequence[Bar]) -> Axis:
    """An axis around all values and intervals that never leaves the range of the measure."""
    ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    margin = 0.06 * (high - low) or 0.05
    least, most = find_range(measure)
    return Axis(measure, max(least, low - margin), min(most, high + margin))


def find_range(measure: str) -> tuple[float, float]:
    """The smallest and the largest value of a measure; without end for one that is not known."""
    try:
        return family_of(measure).range
    except RankwiseError:
        return -math.inf, math.inf


def format_p_value(value: float) -> str:
    """A p-value for people: four decimals, or that it is smaller."""
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"


def _difference_bar(one: SystemComparison) -> Bar:
    low, high = one.interval.low, one.interval.high
    said = format_p_value(one.adjusted_p_value)
    better, worse = one.effect.wins, one.effect.losses
    if lower_is_better(one.measure):
        better, worse = worse, better
    return Bar(
        one.system,
        one.difference,
        _finite_number(low),
        _finite_number(high),
        FRONT if one.significant(LEVEL) else OTHER,
        f"{one.difference:+.4f} against {one.baseline}{_between(low, high, '+')}, {said} (Holm); "
        f"better on {better}, level on {one.effect.ties}, worse on {worse}",
        note=said,
    )


def _between(low: float, high: float, sign: str = "") -> str:
    return "" if math.isnan(low) else f", 95 % interval {low:{sign}.4f} to {high:{sign}.4f}"


def _finite_number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(value: float, high: float) -> float:
    return min(1.0, max(0.0, value / high)) if high else 0.0


def _count(table: QueryTable, measure: str) -> int:
    return len(table.of_measure(measure)[1])


def _describe_part(table: QueryTable, shown: int) -> str:
    return (
        "" if shown >= len(table.methods) else f" The {shown} best of {len(table.methods)} methods."
    )


MOST_METHODS_WITH_VALUES = 60
MOST_MEASURES_WITH_VALUES = 6


def make_value_bars(comparison: Comparison) -> tuple[Bars, ...]:
    """The value of every method in every measure, best first; of many methods the best."""
    measures = sort_measures(comparison.measures)[:MOST_MEASURES_WITH_VALUES]
    return tuple(_make_measure_bars(comparison, measure) for measure in measures)


def _make_measure_bars(comparison: Comparison, measure: str) -> Bars:
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
        for method, value in order[:MOST_METHODS_WITH_VALUES]
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


NAMED = 5


def find_findings(comparison: Comparison, queries: Sequence[QueryTable]) -> tuple[str, ...]:
    """The best method of one data set and whether that is more than luck, or the Pareto front."""
    if count_datasets(comparison) > 1:
        return (_tell_front(comparison), *_tell_tests(queries))
    return _tell_tests(queries) or (_tell_best(comparison),)


def count_datasets(comparison: Comparison) -> int:
    """Data sets with a comparison; versions of one are the same queries and count once."""
    return len(
        {int(comparison.unversioned[code]) for code in set(comparison.cells.dataset.tolist())}
    )


def _tell_front(comparison: Comparison) -> str:
    front = comparison.front()
    named = ", ".join(shown(name) for name in front[:NAMED])
    more = f" and {len(front) - NAMED} more" if len(front) > NAMED else ""
    verb = "are" if len(front) > 1 else "is"
    return (
        f"{named}{more} {verb} on the Pareto front: no other method is both more accurate and "
        "better tested."
    )


def _tell_best(comparison: Comparison) -> str:
    """The best of one data set without values per query, in the measure that comes first."""
    there = sort_measures(comparison.measures)
    measure = next((name for name in PREFERRED if name in there), there[0])
    table = comparison.table.where(measure=measure)
    order = table.value.argsort(kind="stable")
    best = int(order[0] if lower_is_better(measure) else order[-1])
    return (
        f"{shown(str(table.method[best]))} has the best {measure}, {table.value[best]:.4f}. One "
        "data set and no values per query cannot tell whether that is more than luck."
    )


def _tell_tests(queries: Sequence[QueryTable]) -> tuple[str, ...]:
    told = []
    for table in queries:
        try:
            told.append(_tell_test(table))
        except RankwiseError:
            continue
    return tuple(told)


def _tell_test(table: QueryTable) -> str:
    measure, baseline = find_main_measure(table), table.methods[0]
    means = compute_means(table, measure)
    best = means[0]
    compared = compare_with(table, measure)
    told_apart = [one for one in compared if one.significant(LEVEL)]
    worse = lower_is_better(measure)
    better = [one for one in told_apart if (one.difference < 0) == worse]
    start = (
        f"On {shown(table.dataset)}, {shown(best.method)} has the best {measure}, {best.mean:.4f}"
    )
    if best.method == baseline:
        clear = f"{len(told_apart)} of {len(compared)}" if told_apart else "none"
        verb = "are" if len(told_apart) > 1 else "is"
        return (
            f"{start}; of the others, {clear} {verb} worse by more than luck "
            f"(paired t-test over {compared[0].queries:,} queries, Holm)."
        )
    own = next(one for one in compared if one.system == best.method)
    sure = "which is more than luck" if own.significant(LEVEL) else "which may be luck"
    return (
        f"{start}: {abs(own.difference):.4f} {'less' if worse else 'more'} than {shown(baseline)}, "
        f"{sure} ({format_p_value(own.adjusted_p_value)}, paired t-test over {own.queries:,} "
        f"queries, Holm). {_count_or_none(len(better))} of {len(compared)} methods "
        f"{'is' if len(better) == 1 else 'are'} better than {shown(baseline)} by more than luck, "
        f"{_count_or_none(len(told_apart) - len(better)).lower()} worse."
    )


def _count_or_none(number: int) -> str:
    return str(number) if number else "None"
