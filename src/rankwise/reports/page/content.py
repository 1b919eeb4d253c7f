"""The report as one HTML file that holds everything it needs and asks no address for anything.

Names from files travel as JSON inside a data block, with every character escaped that could end
it, and the script turns them into text nodes only. A Content-Security-Policy that knows the style
and the script by their hashes forbids all else, so that even markup that got through could neither
run nor load anything.

The page holds the results by column, every name once, citations, intervals, figures; of single
queries means, all paired differences, and values to draw.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise import __version__
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.significance_tests import confidence_interval, effect_sizes, pair, t_test
from rankwise.comparison.significance_tests.paired_tests import mean_difference
from rankwise.comparison.significance_tests.query_table import QueryTable, compute_means
from rankwise.files import write_text
from rankwise.measures.measure import lower_is_better, sort_measures
from rankwise.reports.figures import Bar, encode_figure
from rankwise.reports.query_figures import (
    choose_methods,
    find_main_measure,
    find_range,
    make_measure_axis,
)
from rankwise.reports.ranking_figures import BASELINES, FEW_METHODS, MOST_LISTED, MOST_OWN_NAMED
from rankwise.results.published.citations import find_citations
from rankwise.results.result_table import ResultTable
from rankwise.tables.displayed_names import natural_key

if TYPE_CHECKING:
    from rankwise.reports.comparison_report import Report

SCRIPTS = (
    "winning", "labels", "drawing", "plane", "bars", "figures", "queries", "results", "sections",
    "page", "panel",
)  # fmt: skip


def write_page(report: Report, path: str | Path) -> None:
    """Write the page to `path`, whole or not at all."""
    write_text(path, make_page(report))


def make_page(report: Report) -> str:
    """The page as text; equal reports give equal pages."""
    style = read_colours() + _read_asset("page.css")
    script = _join_scripts()
    return _fill_template(
        _read_asset("template.html"),
        {
            "policy": _make_policy(style, script),
            "generator": f"Rankwise {__version__}",
            "title": html.escape(report.title),
            "summary": html.escape(report.summary()),
            "footer": html.escape(f"Made with Rankwise {__version__}. {report.counting()}"),
            "style": style,
            "data": embed_json(make_page_data(report)),
            "script": script,
        },
    )


def read_colours() -> str:
    """The style sheet of our colours, light and dark, which other pages share."""
    return _read_asset("colours.css")


def embed_json(value: object) -> str:
    """`value` as JSON that cannot end the script element it stands in.

    All but ASCII is written as escapes, which covers the line separators U+2028 and U+2029 and
    lone surrogates; `<`, `>` and `&` are escaped too, so that no markup is left to be found.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _join_scripts() -> str:
    parts = "\n".join(_read_asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _make_policy(style: str, script: str) -> str:
    rules = {
        "default-src": "'none'",
        "style-src": f"'sha256-{_digest(style)}'",
        "script-src": f"'sha256-{_digest(script)}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _fill_template(template: str, values: dict[str, Any]) -> str:
    """The template with each `{{name}}` replaced once, so that values are never searched again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found.group(1)], template)


def _read_asset(name: str) -> str:
    return (resources.files("rankwise.reports.page") / name).read_text("utf-8")


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
            _make_query_measure(table, name, methods, rows, drawn, measures.index(name))
            for name in sort_measures(table.measures)
        ],
        "remarks": table.remarks,
    }


def _make_query_measure(
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
        "bounds": [_finite(end) for end in find_range(measure)],
        "means": [
            [one.mean, _finite(one.interval.low), _finite(one.interval.high)] for one in found
        ],
        "differences": [
            _compare_methods(values[first], values[second])
            for first, second in combinations(rows, 2)
        ],
        "values": [_round_values(table.values[measure][row][drawn]) for row in rows],
    }


def _compare_methods(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> list[float | int | None]:
    """Second less first: difference, interval, p-value, queries it is above and below on."""
    differences = pair(first, second).differences
    interval, effect = confidence_interval(differences), effect_sizes(differences)
    p_value = t_test(differences).p_value if len(differences) > 1 else 1.0
    return [
        mean_difference(differences), _finite(interval.low), _finite(interval.high), p_value,
        effect.wins, effect.losses,
    ]  # fmt: skip


def _round_values(values: NDArray[np.float64]) -> list[float | None]:
    rounded = np.round(values, DECIMALS).tolist()
    return [None if value != value else value for value in rounded]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
