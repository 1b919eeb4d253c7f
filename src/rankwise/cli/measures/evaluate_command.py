"""`rankwise evaluate`: the values of scores, as any tool computes them.

It prints one object per tool and score file, or tables of them. The options that say how data and
scores are read are those of `explain`, `identify` and `reconcile` too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankwise.cli.options import format_option, measures_option, table_options, tools_option
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.errors import RankwiseError
from rankwise.measures import FileEvaluation, shown
from rankwise.sanitize import plain_cell
from rankwise.tables import format_printed_cells

if TYPE_CHECKING:
    from rankwise.data import JudgedFiles


Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def input_options(command: Decorated) -> Decorated:
    """The options that say how data and scores are read."""
    for option in (
        click.option("--trec", is_flag=True, help="DATA is TREC qrels and SCORES are TREC runs."),
        click.option(
            "--complete",
            is_flag=True,
            help="With --trec: judged queries that the run lacks count as lists without documents.",
        ),
        click.option(
            "--reading",
            type=click.Choice(["strict", "surplus", "prefix"]),
            default="strict",
            show_default=True,
            help="Score lines: exactly one number per row; surplus lines ignored; or, as Perl "
            "reads, also the longest number that a line begins with.",
        ),
        click.option(
            "--nan",
            type=click.Choice(["error", "last", "first", "zero"]),
            default="error",
            show_default=True,
            help="Where documents go whose score is NaN.",
        ),
    ):
        command = option(command)
    return command


def judged_files(data: str, *, complete: bool, **how: Any) -> JudgedFiles:
    """What the options describe; remarks go to standard error."""
    from rankwise.data import JudgedFiles

    if complete and not how["trec"]:
        raise RankwiseError("--complete is of judgements and runs; add --trec or leave it out")
    if how["trec"] and (how["reading"], how["nan"]) != ("strict", "error"):
        raise RankwiseError("--reading and --nan are of score files; leave them out with --trec")
    return JudgedFiles(data, missing_queries="zero" if complete else "skip", say=note, **how)


TIE_RULES = ("input", "reversed", "document-ascending", "document-descending", "label-ascending",
             "label-descending", "worst", "best", "expected")  # fmt: skip


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("scores", nargs=-1, required=True, type=click.Path(), metavar="SCORES...")
@measures_option(
    "A measure, as NDCG@10 or MAP, or by the tool's own name; may be repeated.  "
    "[default: all that the tool prints]"
)
@tools_option(
    "Whose conventions count; may be repeated; 'all' is every tool.", default=("definition",)
)
@click.option("--per-query", is_flag=True, help="Also the figures of every query.")
@click.option(
    "--ties",
    type=click.Choice(TIE_RULES),
    help="Another order for equal scores than the tool's; 'expected' is the exact mean over all "
    "orders, shown with its range.",
)
@click.option("--name", help="With --format results: your method, else the score file's name.")
@click.option("--dataset", help="With --format results: the data set, else what DATA's path says.")
@input_options
@format_option("tool", "results", own=("csv", "latex", "markdown"))
@table_options("data")
def evaluate(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tools: tuple[str, ...],
    per_query: bool,
    ties: str | None,
    name: str | None,
    dataset: str | None,
    output_format: str,
    **how: Any,
) -> None:
    """Evaluate SCORES, one score a line, for the rows of DATA, a LETOR file.

    With --trec, DATA is qrels and SCORES are runs. All files may be compressed (gzip, bzip2, zstd).
    --format results prints rows as 'place' and 'compare' read them.

    \b
    Examples:
      rankwise evaluate test.txt my.scores -m NDCG@10,MAP
      rankwise evaluate test.txt my.scores --tool letor4 --per-query --format tool
      rankwise evaluate test.txt a.scores b.scores --tool all -m NDCG@10
      rankwise evaluate test.txt my.scores -m NDCG@10 --ties expected
      rankwise evaluate MQ2008/Fold1/test.txt f1.scores --tool letor4 --name mine --format results
      rankwise evaluate --trec qrels.txt run.txt -m ndcg_cut_10 --tool trec_eval --format json
    """
    from rankwise.measures import check_layout, evaluate_files, named_tools

    chosen = named_tools(tools)
    if output_format == "tool":
        check_layout(chosen, measures)
    if output_format != "results" and (name or dataset):
        raise RankwiseError("--name and --dataset are of --format results; add it or leave them")
    source = judged_files(data, **how)
    with progress("evaluating", len(chosen) * len(scores)) as advance:
        found = evaluate_files(source, scores, measures or None, chosen, ties=ties, advance=advance)
    if output_format == "results":
        print_results(found, data, name, dataset)
    else:
        print_evaluations(found, measures, output_format, per_query)
    evaluated = (one.evaluation for one in found if one.evaluation is not None)
    for remark in dict.fromkeys(said for one in evaluated for said in one.remarks):
        note(remark)


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
    from rankwise.comparison import tabulate_evaluations

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
        figures = [_write_mean(one, name) for name in names]
        rows.append([one.tool.name, *([_name_file(one)] if several else []), *figures])
    return "", ["tool", *(["scores"] if several else []), *names], rows


def _means_by_tool(found: Sequence[FileEvaluation]) -> list[Table]:
    """For each tool a row per measure, a column per score file."""
    tables = []
    for tool in dict.fromkeys(one.tool for one in found):
        mine = [o for o in found if o.tool is tool and o.evaluation is not None]
        names = dict.fromkeys(name for one in mine for name in one.results)
        rows = [[name, *(_write_mean(one, name) for one in mine)] for name in names]
        if mine:
            tables.append((tool.title, ["measure", *map(_name_file, mine)], rows))
    return tables


def _name_file(one: FileEvaluation) -> str:
    """The score file's name without its folders, for the head of a column."""
    return Path(one.scores).name


def _write_mean(one: FileEvaluation, name: str) -> str:
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
        tables.append((f"{one.tool.title}, {_name_file(one)}", ["query", *names], rows))
    return tables


def _note_refusals(one: FileEvaluation) -> None:
    if one.error is not None:
        note(f"{one.tool.name}, {one.scores}: {one.error}")
    if one.evaluation is not None:
        for name, reason in one.evaluation.refused.items():
            note(f"{one.tool.name}, {one.scores}, {name}: {reason}")
