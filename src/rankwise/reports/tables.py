"""The tables of a comparison: its ranking, all measures, what leaving out changes, bias."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.comparison.bias import PublicationBias
from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.leaving_out import Sensitivity
from rankwise.comparison.ranking import Comparison, RankedMethod
from rankwise.measures.names import sort_measures
from rankwise.reports.table_formats import Table, Value
from rankwise.reports.table_shapes import mark_best


def make_ranking_table(comparison: Comparison, bootstrap: Bootstrap | None = None) -> Table:
    """Every method with its winning numbers and front, best first."""
    keys = ("rank", "method", "nwn", "wn", "iwn", "datasets", "pareto", "rank2")
    titles = ("#", "Method", "NWN", "WN", "IWN", "Data sets", "Pareto", "Rank 2")
    rows = [_ranking_row(row) for row in comparison.ranking]
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


def _ranking_row(row: RankedMethod) -> tuple[Value, ...]:
    numbers = (row.nwn, row.wn, row.iwn, row.distinct_datasets)
    return (row.rank, row.method, *numbers, row.pareto, row.rank2)


def _per_measure(method: str, places: Sequence[dict[str, RankedMethod]]) -> list[Value]:
    cells: list[Value] = []
    for place in places:
        row = place.get(method)
        cells += [row.nwn, row.datasets] if row else [None, None]
    return cells
