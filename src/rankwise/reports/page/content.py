"""What the page holds: the results by column, every name once, citations, intervals, figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.comparison.ranking import Comparison
from rankwise.measures.names import lower_is_better, sort_measures
from rankwise.reports.comparison_report import Report
from rankwise.reports.figures import encode_figure
from rankwise.reports.names import natural_key
from rankwise.reports.page.query_content import make_query_data
from rankwise.reports.planes import BASELINES, FEW_METHODS, MOST_LISTED, MOST_OWN_NAMED
from rankwise.results.published.citations import find_citations
from rankwise.results.result_table import ResultTable


def make_page_data(report: Report) -> dict[str, Any]:
    """The report as the page's script reads it: names in lists, everything else by number."""
    comparison = report.comparison
    table = comparison.table
    sources = _sources(table)
    methods = table.methods()
    measures = sort_measures(comparison.measures)
    datasets, own = _datasets(table), report.own
    return {
        "ideal": comparison.ideal,
        "dominance": comparison.dominance,
        "baselines": BASELINES,
        "few": FEW_METHODS,
        "mostListed": MOST_LISTED,
        "methods": methods,
        "own": [number for number, name in enumerate(methods) if name in own],
        "mostOwnNamed": MOST_OWN_NAMED,
        "measures": measures,
        "lowerIsBetter": [lower_is_better(name) for name in measures],
        "datasets": datasets,
        "sources": list(dict.fromkeys(sources)),
        "columns": _columns(comparison, sources, measures, [one["name"] for one in datasets]),
        "citations": [_citation(method) for method in methods],
        "intervals": _intervals(report),
        "remarks": report.remarks,
        "findings": report.findings,
        "made": report.provenance.describe(),
        "plane": bool(report.planes),
        "queries": [make_query_data(one, measures) for one in report.queries],
        "figures": [encode_figure(figure) for figure in report.figures],
    }


def _sources(table: ResultTable) -> list[str]:
    """Where each row comes from: source, tool, version and note in one line."""
    columns = zip(table.source, table.tool, table.version, table.note, strict=True)
    return ["; ".join(_origin(*row)) for row in columns]


def _origin(
    source: str | None, tool: str | None, version: str | None, note: str | None
) -> list[str]:
    parts = (source, tool and f"evaluated with {tool}", version and f"version {version}", note)
    return [part for part in parts if part]


def _datasets(table: ResultTable) -> list[dict[str, str]]:
    """Collections and their data sets in natural order, with the short names of both."""
    homes = dict(zip(table.dataset_names.tolist(), table.collection.tolist(), strict=True))
    short = table.display_names()
    names = sorted(homes, key=lambda name: (natural_key(homes[name]), natural_key(name)))
    return [{"name": name, "short": short[name], "collection": homes[name]} for name in names]


def _columns(
    comparison: Comparison, sources: list[str], measures: list[str], datasets: list[str]
) -> list[dict[str, Any]]:
    """The results of each data set and measure, side by side with their wins and losses."""
    table, cells = comparison.table, comparison.cells
    counts = np.zeros((2, len(table)), dtype=np.int64)
    counts[:, cells.row] = cells.wins, cells.losses
    place = {name: number for number, name in enumerate(measures)}
    home = {name: number for number, name in enumerate(datasets)}
    source = {name: number for number, name in enumerate(dict.fromkeys(sources))}
    found: dict[tuple[int, int], list[tuple[int, float, int, int, int]]] = {}
    names, kinds = table.dataset_names.tolist(), table.measure.tolist()
    for row, method in enumerate(table.codes().method.tolist()):
        if kinds[row] in place:
            won, lost = counts[:, row].tolist()
            entry = (method, float(table.value[row]), won, lost, source[sources[row]])
            found.setdefault((home[names[row]], place[kinds[row]]), []).append(entry)
    return [_column(*key, found[key]) for key in sorted(found)]


def _column(
    dataset: int, measure: int, entries: list[tuple[int, float, int, int, int]]
) -> dict[str, Any]:
    names = ("methods", "values", "wins", "losses", "sources")
    parts = zip(names, map(list, zip(*entries, strict=True)), strict=True)
    return {"dataset": dataset, "measure": measure, **dict(parts)}


def _citation(method: str) -> str | None:
    return " ".join(paper.text() for paper in find_citations(method)) or None


def _intervals(report: Report) -> dict[str, Any] | None:
    if report.bootstrap is None:
        return None
    return {
        "title": f"{100 * report.bootstrap.confidence:g} % interval",
        "methods": {
            one.method: [one.lower, one.upper, one.front_share, one.warning]
            for one in report.bootstrap.intervals
        },
    }
