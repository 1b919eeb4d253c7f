"""The tables of a comparison: its ranking, all measures, what leaving out changes, bias.

Beside them those of a ranking by another estimator, and of a significance test for a paper: means,
changes with intervals, p-values, marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rankwise.comparison.bias import PublicationBias
from rankwise.comparison.estimators import EstimatedRanking
from rankwise.comparison.method_ranking import Comparison, RankedMethod
from rankwise.comparison.resampling import Bootstrap
from rankwise.comparison.sensitivity import Sensitivity
from rankwise.comparison.significance_of_systems import Significance
from rankwise.comparison.significance_tests import SystemComparison
from rankwise.measures.measure import lower_is_better, sort_measures
from rankwise.tables.table import Estimate, Table, Value, mark_best


def make_ranking_table(comparison: Comparison, bootstrap: Bootstrap | None = None) -> Table:
    """Every method with its winning numbers and front, best first."""
    keys = ("rank", "method", "nwn", "wn", "iwn", "datasets", "pareto", "rank2")
    titles = ("#", "Method", "NWN", "WN", "IWN", "Data sets", "Pareto", "Rank 2")
    rows = [_make_ranking_row(row) for row in comparison.ranking]
    if bootstrap is None:
        return mark_best(Table(keys, titles, tuple(rows)), {"nwn": False})
    sure = {one.method: one for one in bootstrap.intervals}
    level = f"{100 * bootstrap.confidence:g} %"
    rows = [
        (*row, one.lower, one.upper, one.front_share, one.warning)
        for row in rows
        for one in [sure[str(row[1])]]
    ]
    found = Table(
        (*keys, "nwn_lower", "nwn_upper", "front_share", "warning"),
        (*titles, f"{level} from", "to", "On front", "Warning"),
        tuple(rows),
    )
    return mark_best(found, {"nwn": False})


def make_measures_table(comparison: Comparison) -> Table:
    """NWN and number of data sets in every measure, in the layout of Table B.6."""
    keys, titles = ["method"], ["Method"]
    measures = sort_measures(comparison.measures)
    for measure in measures:
        keys += [f"{measure} nwn", f"{measure} datasets"]
        titles += [measure, "Data sets"]
    places = [{row.method: row for row in comparison.per_measure[measure]} for measure in measures]
    rows = [
        (row.method, *_per_measure(row.method, places), row.wn, row.iwn, row.nwn)
        for row in sorted(comparison.rows, key=lambda row: row.method.casefold())
    ]
    found = Table((*keys, "wn", "iwn", "nwn"), (*titles, "WN", "IWN", "NWN"), tuple(rows))
    return mark_best(found, dict.fromkeys([*(f"{one} nwn" for one in measures), "nwn"], False))


def make_left_out_table(found: Sensitivity) -> Table:
    """The numbers of methods with one part left out: Table 4, and the points of Figure 6."""
    keys = ("method", "left_out", "wn", "iwn", "nwn", "change", "pareto")
    titles = ("Method", "Left out", "WN", "IWN", "NWN", "Change", "Pareto")
    rows = tuple(tuple(getattr(one, key) for key in keys) for one in found.numbers)
    return Table(keys, titles, rows)


def make_bias_table(found: PublicationBias) -> Table:
    """Every method with the funnel at its number of results, and its numbers by origin."""
    titles = {
        "method": "Method",
        "results": "Results",
        "nwn": "NWN",
        "lower": "Funnel from",
        "upper": "to",
        "own_results": "Own",
        "own_nwn": "NWN own",
        "others_results": "Others",
        "others_nwn": "NWN others",
        "gain": "Gain",
    }
    rows = tuple(tuple(getattr(one, key) for key in titles) for one in found.methods)
    return Table(tuple(titles), tuple(titles.values()), rows)


def _make_ranking_row(row: RankedMethod) -> tuple[Value, ...]:
    numbers = (row.nwn, row.wn, row.iwn, row.distinct_datasets)
    return (row.rank, row.method, *numbers, row.pareto, row.rank2)


def _per_measure(method: str, places: Sequence[dict[str, RankedMethod]]) -> list[Value]:
    cells: list[Value] = []
    for place in places:
        row = place.get(method)
        cells += [row.nwn, row.datasets] if row else [None, None]
    return cells


_RANKED_COLUMNS = {
    "rank": "#",
    "method": "Method",
    "score": "Score",
    "lower": "from",
    "upper": "to",
    "results": "Results",
    "datasets": "Data sets",
    "warning": "Warning",
}


def make_estimated_table(found: EstimatedRanking) -> Table:
    """Every method with its score by the estimator and its interval, best first."""
    titles = {
        **_RANKED_COLUMNS,
        "score": found.title,
        "lower": f"{100 * found.confidence:g} % from",
    }
    rows = tuple(tuple(getattr(one, key) for key in titles) for one in found.rows)
    table = Table(tuple(titles), tuple(titles.values()), rows, notes=found.remarks)
    return mark_best(table, {"score": False})


SMALLEST_P = 0.0001
CORRECTED = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH"}


def make_significance_tables(found: Significance) -> list[Table]:
    """One table a measure: the baseline first, then every system with its change and p-value.

    Marks + and - stand behind the mean of a system that is better or worse than the baseline at
    the level asked for; with all pairs compared, behind the change.
    """
    groups = groupby(found.comparisons, key=lambda one: one.measure)
    return [_make_significance_table(found, measure, list(rows)) for measure, rows in groups]


def _make_significance_table(
    found: Significance, measure: str, rows: list[SystemComparison]
) -> Table:
    first, pairs = rows[0], found.all_pairs
    adjusted = found.procedure.correction != "none"
    heads = [("baseline", "Baseline")] if pairs else []
    heads += [
        ("system", "System"),
        ("mean", measure),
        ("change", "Change"),
        ("d", "d"),
        ("wins", "Wins"),
        ("ties", "Ties"),
        ("losses", "Losses"),
        ("p", "p"),
    ]
    heads += [("adjusted_p", f"p ({CORRECTED[found.procedure.correction]})")] if adjusted else []
    own = None if pairs else _make_baseline_row(first, len(heads))
    lines = [] if own is None else [own]
    lines += [_make_system_row(found, measure, one, adjusted) for one in rows]
    table = Table(
        tuple(key for key, _ in heads),
        tuple(title for _, title in heads),
        tuple(lines),
        f"{measure} by the tool {found.tool}, {first.queries} queries",
        notes=_explain_significance(found, first),
        right=frozenset(range(2 if pairs else 1, len(heads))),
    )
    return table if pairs else mark_best(table, {"mean": lower_is_better(measure)})


def _make_baseline_row(first: SystemComparison, width: int) -> tuple[Value, ...]:
    return (first.baseline, Estimate(first.baseline_mean), *[None] * (width - 2))


def _make_system_row(
    found: Significance, measure: str, one: SystemComparison, adjusted: bool
) -> tuple[Value, ...]:
    better = (one.difference > 0) != lower_is_better(measure)
    mark = ("+" if better else "-") if one.significant(found.level) else ""
    low, high = one.interval.low, one.interval.high
    margin = (high - low) / 2 if low == low and abs(low) != float("inf") else None
    change = Estimate(one.difference, margin, mark if found.all_pairs else "")
    cells: list[Value] = [one.baseline] if found.all_pairs else []
    cells += [one.system, Estimate(one.system_mean, None, "" if found.all_pairs else mark), change]
    cells += [
        _finite_or_none(one.effect.cohen_d),
        one.effect.wins,
        one.effect.ties,
        one.effect.losses,
    ]
    cells.append(_shorten_p_value(one.result.p_value))
    return (*cells, _shorten_p_value(one.adjusted_p_value)) if adjusted else tuple(cells)


def _finite_or_none(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _shorten_p_value(value: float) -> Value:
    """Four decimals would print a very small p-value as nought."""
    return f"<{SMALLEST_P}" if value < SMALLEST_P else value


def _explain_significance(found: Significance, first: SystemComparison) -> tuple[str, ...]:
    against = "its baseline" if found.all_pairs else first.baseline
    return (
        f"Change is the system less {against}, ± half of its "
        f"{100 * found.procedure.confidence:g} % interval ({found.procedure.interval}); + better "
        f"and - worse at p < {found.level:g} ({found.procedure.test} test, correction "
        f"{found.procedure.correction}).",
    )
