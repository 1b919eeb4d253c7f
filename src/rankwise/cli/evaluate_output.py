"""What `rankwise evaluate` prints: one object per tool and score file, or tables of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from rankwise.cli.output import note, print_json, print_table
from rankwise.measures.evaluation import Evaluation, MeasureResult
from rankwise.measures.presentation import shown
from rankwise.measures.tool import Tool

Table = tuple[str, list[str], list[list[str]]]


@dataclass(frozen=True)
class ToolFigures:
    """What one tool said of one score file, or why it said nothing."""

    tool: Tool
    scores: str
    evaluation: Evaluation | None = None
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    error: str | None = None
    tag: str = ""

    @property
    def results(self) -> dict[str, MeasureResult]:
        """Results by name; none where there is an error."""
        return {} if self.evaluation is None else self.evaluation.results


def print_outcomes(
    outcomes: Sequence[ToolFigures], asked: Sequence[str], output_format: str, per_query: bool
) -> None:
    """Print in one of the formats of the command; `asked` are the measures of its options."""
    if output_format == "json":
        print_json([_object(outcome, per_query) for outcome in outcomes])
    elif output_format == "csv":
        click.echo(_csv(outcomes, per_query), nl=False)
    elif output_format == "tool":
        for outcome in outcomes:
            click.echo(_own_layout(outcome, per_query), nl=False)
    else:
        _print_tables(outcomes, asked, output_format, per_query)


def _object(outcome: ToolFigures, per_query: bool) -> dict[str, Any]:
    head: dict[str, Any] = {"tool": outcome.tool.name, "scores": outcome.scores}
    if outcome.evaluation is None:
        return {**head, "error": outcome.error}
    measures: dict[str, Any] = {}
    for name, result in outcome.results.items():
        measures[name] = {"mean": _number(result.mean)}
        if name in outcome.ranges:
            measures[name]["range"] = [_number(end) for end in outcome.ranges[name]]
        if per_query:
            measures[name]["per_query"] = result.per_query
    for name, reason in outcome.evaluation.refused.items():
        measures[name] = {"error": reason}
    return {**head, "measures": measures}


def _number(value: float) -> float | None:
    return value if value == value and abs(value) != float("inf") else None


def _csv(outcomes: Sequence[ToolFigures], per_query: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["tool", "scores", "measure", "query", "value"])
    for outcome in outcomes:
        for name, result in outcome.results.items():
            head = [outcome.tool.name, outcome.scores, name]
            if per_query:
                writer.writerows([*head, query, value] for query, value in result.per_query.items())
            writer.writerow([*head, "all", _number(result.mean)])
        _note_refusals(outcome)
    return text.getvalue()


def _own_layout(outcome: ToolFigures, per_query: bool) -> str:
    if outcome.evaluation is None or outcome.tool.layout is None:
        note(str(outcome.error))
        return ""
    return outcome.tool.layout(outcome.evaluation, per_query, outcome.tag)


def _print_tables(
    outcomes: Sequence[ToolFigures], asked: Sequence[str], output_format: str, per_query: bool
) -> None:
    several = len({outcome.tool.name for outcome in outcomes}) > 1
    tables = [_means(outcomes, asked)] if several and asked else _means_by_tool(outcomes)
    if per_query:
        tables = [table for outcome in outcomes for table in _per_query(outcome)] + tables
    writer: Callable[[Table], None] = {"latex": _latex, "markdown": _markdown}.get(
        output_format, _terminal
    )
    for table in tables:
        writer(table)
    for outcome in outcomes:
        _note_refusals(outcome)


def _means(outcomes: Sequence[ToolFigures], names: Sequence[str]) -> Table:
    """A row per tool and score file, a column per measure."""
    several = len({outcome.scores for outcome in outcomes}) > 1
    rows = []
    for outcome in outcomes:
        figures = [_mean(outcome, name) for name in names]
        rows.append([outcome.tool.name, *([_file(outcome)] if several else []), *figures])
    return "", ["tool", *(["scores"] if several else []), *names], rows


def _means_by_tool(outcomes: Sequence[ToolFigures]) -> list[Table]:
    """For each tool a row per measure, a column per score file."""
    tables = []
    for tool in dict.fromkeys(outcome.tool for outcome in outcomes):
        mine = [o for o in outcomes if o.tool is tool and o.evaluation is not None]
        names = dict.fromkeys(name for outcome in mine for name in outcome.results)
        rows = [[name, *(_mean(outcome, name) for outcome in mine)] for name in names]
        if mine:
            tables.append((tool.title, ["measure", *map(_file, mine)], rows))
    return tables


def _file(outcome: ToolFigures) -> str:
    """The score file's name without its folders, for the head of a column."""
    return Path(outcome.scores).name


def _mean(outcome: ToolFigures, name: str) -> str:
    if name not in outcome.results:
        return "-"
    result = outcome.results[name]
    text = shown(result.measure, result.mean)
    if name not in outcome.ranges:
        return text
    low, high = (shown(result.measure, end) for end in outcome.ranges[name])
    return f"{text} [{low}, {high}]"


def _per_query(outcome: ToolFigures) -> list[Table]:
    """A row per query; measures that share their queries are columns of one table."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, result in outcome.results.items():
        groups.setdefault(tuple(result.query_ids), []).append(name)
    tables = []
    for queries, names in groups.items():
        results = [outcome.results[name] for name in names]
        rows = [
            [query, *(shown(result.measure, result.values[place]) for result in results)]
            for place, query in enumerate(queries)
        ]
        tables.append((f"{outcome.tool.title}, {_file(outcome)}", ["query", *names], rows))
    return tables


def _note_refusals(outcome: ToolFigures) -> None:
    if outcome.error is not None:
        note(f"{outcome.tool.name}, {outcome.scores}: {outcome.error}")
    if outcome.evaluation is not None:
        for name, reason in outcome.evaluation.refused.items():
            note(f"{outcome.tool.name}, {outcome.scores}, {name}: {reason}")


def _terminal(table: Table) -> None:
    title, columns, rows = table
    print_table(columns, rows, title=title or None, numeric=range(1, len(columns)))


def _markdown(table: Table) -> None:
    _, columns, rows = table
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in [columns, *rows]]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    lines.insert(1, "|".join(["", "---", *["---:"] * (len(columns) - 1), ""]))
    click.echo("\n".join(lines) + "\n")


def _latex(table: Table) -> None:
    _, columns, rows = table
    lines = [" & ".join(_latex_text(cell) for cell in row) + r" \\" for row in [columns, *rows]]
    frame = [rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", r"\toprule"]
    body = [lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}"]
    click.echo("\n".join([*frame, *body]))


def _latex_text(text: str) -> str:
    for character in "\\&%$#_{}":
        text = text.replace(
            character, "\\textbackslash{}" if character == "\\" else f"\\{character}"
        )
    return text
