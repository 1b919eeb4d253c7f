"""What `rankwise evaluate` prints: one object per tool and score file, or tables of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankwise.cli.output import note, print_json, print_table, say
from rankwise.evaluation import FileEvaluation
from rankwise.measures import shown
from rankwise.shown import plain_cell
from rankwise.tables.table import format_printed_cells

Table = tuple[str, list[str], list[list[str]]]


def print_evaluations(
    found: Sequence[FileEvaluation], asked: Sequence[str], output_format: str, per_query: bool
) -> None:
    """Print in one of the formats of the command; `asked` are the measures of its options."""
    if output_format == "json":
        print_json([_object(one, per_query) for one in found])
    elif output_format == "csv":
        say(_csv(found, per_query), nl=False)
    elif output_format == "tool":
        for one in found:
            say(_own_layout(one, per_query), nl=False)
    else:
        _print_tables(found, asked, output_format, per_query)


def print_results(
    found: Sequence[FileEvaluation], data: str, name: str | None, dataset: str | None
) -> None:
    """Print rows as tables of results have them."""
    from rankwise.evaluation import tabulate_evaluations

    table = tabulate_evaluations(found, data, name, dataset)
    text = io.StringIO()
    writer = csv.DictWriter(text, table.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows())
    say(text.getvalue(), nl=False)
    for one in found:
        _note_refusals(one)


def _object(one: FileEvaluation, per_query: bool) -> dict[str, Any]:
    head: dict[str, Any] = {"tool": one.tool.name, "scores": one.scores}
    if one.evaluation is None:
        return {**head, "error": one.error}
    measures: dict[str, Any] = {}
    for name, result in one.results.items():
        measures[name] = {"mean": result.mean}
        if name in one.ranges:
            measures[name]["range"] = list(one.ranges[name])
        if per_query:
            measures[name]["per_query"] = result.per_query
    for name, reason in one.evaluation.refused.items():
        measures[name] = {"error": reason}
    return {**head, "measures": measures}


def _number(value: float) -> float | None:
    """For CSV: nothing where there is no value; infinity is one."""
    return value if value == value else None


def _csv(found: Sequence[FileEvaluation], per_query: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["tool", "scores", "measure", "query", "value"])
    for one in found:
        for name, result in one.results.items():
            head = [one.tool.name, plain_cell(one.scores), name]
            if per_query:
                for query, value in result.per_query.items():
                    writer.writerow([*head, plain_cell(query), value])
            writer.writerow([*head, "all", _number(result.mean)])
        _note_refusals(one)
    return text.getvalue()


def _own_layout(one: FileEvaluation, per_query: bool) -> str:
    if one.evaluation is None or one.tool.layout is None:
        note(str(one.error))
        return ""
    return one.tool.layout(one.evaluation, per_query, one.tag)


def _print_tables(
    found: Sequence[FileEvaluation], asked: Sequence[str], output_format: str, per_query: bool
) -> None:
    several = len({one.tool.name for one in found}) > 1
    tables = [_means(found, asked)] if several and asked else _means_by_tool(found)
    if per_query:
        tables = [table for one in found for table in _per_query(one)] + tables
    for title, columns, rows in tables:
        numeric = range(1, len(columns))
        if output_format == "table":
            print_table(columns, rows, title=title or None, numeric=numeric)
        else:
            say(format_printed_cells(output_format, columns, rows, title, numeric))
    for one in found:
        _note_refusals(one)


def _means(found: Sequence[FileEvaluation], names: Sequence[str]) -> Table:
    """A row per tool and score file, a column per measure."""
    several = len({one.scores for one in found}) > 1
    rows = []
    for one in found:
        figures = [_mean(one, name) for name in names]
        rows.append([one.tool.name, *([_file(one)] if several else []), *figures])
    return "", ["tool", *(["scores"] if several else []), *names], rows


def _means_by_tool(found: Sequence[FileEvaluation]) -> list[Table]:
    """For each tool a row per measure, a column per score file."""
    tables = []
    for tool in dict.fromkeys(one.tool for one in found):
        mine = [o for o in found if o.tool is tool and o.evaluation is not None]
        names = dict.fromkeys(name for one in mine for name in one.results)
        rows = [[name, *(_mean(one, name) for one in mine)] for name in names]
        if mine:
            tables.append((tool.title, ["measure", *map(_file, mine)], rows))
    return tables


def _file(one: FileEvaluation) -> str:
    """The score file's name without its folders, for the head of a column."""
    return Path(one.scores).name


def _mean(one: FileEvaluation, name: str) -> str:
    if name not in one.results:
        return "-"
    result = one.results[name]
    text = shown(result.measure, result.mean)
    if name not in one.ranges:
        return text
    low, high = (shown(result.measure, end) for end in one.ranges[name])
    return f"{text} [{low}, {high}]"


def _per_query(one: FileEvaluation) -> list[Table]:
    """A row per query; measures that share their queries are columns of one table."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, result in one.results.items():
        groups.setdefault(tuple(result.query_ids), []).append(name)
    tables = []
    for queries, names in groups.items():
        results = [one.results[name] for name in names]
        rows = [
            [query, *(shown(result.measure, result.values[place]) for result in results)]
            for place, query in enumerate(queries)
        ]
        tables.append((f"{one.tool.title}, {_file(one)}", ["query", *names], rows))
    return tables


def _note_refusals(one: FileEvaluation) -> None:
    if one.error is not None:
        note(f"{one.tool.name}, {one.scores}: {one.error}")
    if one.evaluation is not None:
        for name, reason in one.evaluation.refused.items():
            note(f"{one.tool.name}, {one.scores}, {name}: {reason}")
