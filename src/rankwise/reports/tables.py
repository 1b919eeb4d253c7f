"""Tables for papers and programs: CSV, LaTeX and Markdown of a ranking and of all measures."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankwise.comparison.bias import PublicationBias
from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.leaving_out import Sensitivity
from rankwise.comparison.ranking import Comparison, RankedMethod
from rankwise.reports.names import shown

Value = str | int | float | bool | None

LONGEST_NAME = 200


@dataclass(frozen=True)
class Table:
    """Rows of values under headings; texts are left-aligned, numbers right-aligned.

    `keys` are the headings for programs, `titles` those for people.
    """

    keys: tuple[str, ...]
    titles: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def make_ranking_table(comparison: Comparison, bootstrap: Bootstrap | None = None) -> Table:
    """Every method with its winning numbers and front, best first."""
    keys = ("rank", "method", "nwn", "wn", "iwn", "datasets", "pareto", "rank2")
    titles = ("#", "Method", "NWN", "WN", "IWN", "Data sets", "Pareto", "Rank 2")
    rows = [_ranking_row(row) for row in comparison.ranking]
    if bootstrap is None:
        return Table(keys, titles, tuple(rows))
    sure = {one.method: one for one in bootstrap.intervals}
    level = f"{bootstrap.confidence:.0%}"
    rows = [
        (*row, one.lower, one.upper, one.front_probability, one.warning)
        for row in rows
        for one in [sure[str(row[1])]]
    ]
    return Table(
        (*keys, "nwn_lower", "nwn_upper", "front_probability", "warning"),
        (*titles, f"{level} from", "to", "P(front)", "Warning"),
        tuple(rows),
    )


def make_measures_table(comparison: Comparison) -> Table:
    """NWN and number of data sets in every measure, in the layout of Table B.6."""
    keys, titles = ["method"], ["Method"]
    for measure in comparison.measures:
        keys += [f"{measure} nwn", f"{measure} datasets"]
        titles += [measure, "Data sets"]
    places = [
        {row.method: row for row in comparison.per_measure[measure]}
        for measure in comparison.measures
    ]
    rows = [
        (row.method, *_per_measure(row.method, places), row.wn, row.iwn, row.nwn)
        for row in sorted(comparison.rows, key=lambda row: row.method.casefold())
    ]
    return Table((*keys, "wn", "iwn", "nwn"), (*titles, "WN", "IWN", "NWN"), tuple(rows))


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


def format_csv(table: Table) -> str:
    """The table for programs: numbers in full, nothing where there is no value."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.keys)
    writer.writerows([[_plain(value) for value in row] for row in table.rows])
    return stream.getvalue()


def format_latex(table: Table) -> str:
    """The table as a LaTeX tabular for booktabs; names are text, not commands."""
    alignment = "".join("r" if right else "l" for right in _numeric(table))
    lines = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _joined(table.titles, _latex_cell, " & ", r" \\"),
        r"\midrule",
        *(_joined(row, _latex_cell, " & ", r" \\") for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def format_markdown(table: Table) -> str:
    """The table as a Markdown pipe table; names are text, not markup."""
    rule = "|".join("---:" if right else ":---" for right in _numeric(table))
    lines = [
        f"| {_joined(table.titles, _markdown_cell, ' | ', ' |')}",
        f"|{rule}|",
        *(f"| {_joined(row, _markdown_cell, ' | ', ' |')}" for row in table.rows),
    ]
    return "\n".join(lines) + "\n"


def format_cell(value: Value) -> str:
    """A value for people: four decimals, nothing for no or none."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else shown(str(value), LONGEST_NAME)


def _ranking_row(row: RankedMethod) -> tuple[Value, ...]:
    numbers = (row.nwn, row.wn, row.iwn, row.distinct_datasets)
    return (row.rank, row.method, *numbers, row.pareto, row.rank2)


def _per_measure(method: str, places: Sequence[dict[str, RankedMethod]]) -> list[Value]:
    cells: list[Value] = []
    for place in places:
        row = place.get(method)
        cells += [row.nwn, row.datasets] if row else [None, None]
    return cells


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _numeric(table: Table) -> list[bool]:
    return [
        all(not isinstance(row[column], str | bool) for row in table.rows)
        for column in range(len(table.keys))
    ]


def _joined(
    values: Sequence[Value], write: Callable[[Value], str], separator: str, end: str
) -> str:
    return separator.join(write(value) for value in values) + end


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def _latex_cell(value: Value) -> str:
    return "".join(_LATEX.get(character, character) for character in format_cell(value))


def _markdown_cell(value: Value) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", format_cell(value))
