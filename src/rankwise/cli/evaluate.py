"""`rankwise evaluate`: the figures of scores, as any tool computes them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankwise.cli.evaluate_output import ToolFigures, print_outcomes
from rankwise.cli.judged_input import JudgedInput, input_options
from rankwise.cli.output import format_option, progress
from rankwise.data.formats.scores import Missing, Reading
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate as evaluate_judged
from rankwise.measures.evaluation import tie_ranges
from rankwise.measures.judged import JudgedScores
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import HOMES, find_tool

TIE_RULES = ("input", "reversed", "document-ascending", "document-descending", "worst", "best",
             "expected")  # fmt: skip


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("scores", nargs=-1, required=True, type=click.Path(), metavar="SCORES...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="A measure, as NDCG@10 or MAP, or by the tool's own name; may be repeated.  "
    "[default: all that the tool prints]",
)
@click.option(
    "--tool",
    "tools",
    multiple=True,
    default=("definition",),
    show_default=True,
    help="Whose conventions count; may be repeated; 'all' is every tool.",
)
@click.option("--per-query", is_flag=True, help="Also the figures of every query.")
@click.option(
    "--ties",
    type=click.Choice(TIE_RULES),
    help="Another order for equal scores than the tool's; 'expected' is the exact mean over all "
    "orders, shown with its range.",
)
@input_options
@format_option("table", "json", "csv", "latex", "markdown", "tool")
def evaluate(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tools: tuple[str, ...],
    per_query: bool,
    ties: str | None,
    trec: bool,
    complete: bool,
    reading: Reading,
    missing: Missing,
    output_format: str,
) -> None:
    """Evaluate SCORES, one score a line, for the rows of DATA, a LETOR file.

    With --trec, DATA is qrels and SCORES are runs. All files may be compressed (gzip, bzip2, zstd).

    \b
    Examples:
      rankwise evaluate test.txt my.scores -m NDCG@10 -m MAP
      rankwise evaluate test.txt my.scores --tool letor4 --per-query --format tool
      rankwise evaluate test.txt a.scores b.scores --tool all -m NDCG@10
      rankwise evaluate test.txt my.scores -m NDCG@10 --ties expected
      rankwise evaluate --trec qrels.txt run.txt -m ndcg_cut_10 --tool trec_eval --format json
    """
    chosen = _tools(tools)
    source = JudgedInput(data, trec, complete, reading, missing)
    if output_format == "tool":
        _check_layout(chosen, measures)
    jobs = [(tool, path) for path in scores for tool in chosen]
    outcomes = []
    with progress("evaluating", len(jobs)) as advance:
        for number, (tool, path) in enumerate(jobs):
            judged = source.scored(path)
            outcomes.append(_outcome(source, tool, path, judged, measures, ties, len(jobs) == 1))
            advance(number + 1)
    print_outcomes(outcomes, measures, output_format, per_query)


def _tools(names: Sequence[str]) -> list[Tool]:
    chosen = [find_tool(name) for name in (HOMES if "all" in names else names)]
    return list(dict.fromkeys(chosen))


def _check_layout(tools: Sequence[Tool], measures: Sequence[str]) -> None:
    for tool in tools:
        if tool.layout is None:
            known = ", ".join(name for name in HOMES if find_tool(name).layout is not None)
            raise RankwiseError(
                f"the output of {tool.name} has no layout of its own here; --format tool is for "
                f"{known}"
            )
        if measures and not tool.layout_of_measures:
            raise RankwiseError(
                f"--format tool prints all that {tool.name} prints; leave out -m, or choose "
                "another format"
            )


def _outcome(
    source: JudgedInput,
    tool: Tool,
    path: str,
    judged: JudgedScores,
    measures: Sequence[str],
    ties: str | None,
    alone: bool,
) -> ToolFigures:
    """One tool on one score file; a reason in place of figures where several were asked for."""
    wanted = list(measures) or None
    try:
        source.check(tool)
        evaluation = evaluate_judged(judged, wanted, tool, ties=ties)
        ranges = tie_ranges(judged, wanted, tool) if ties == "expected" else {}
    except RankwiseError as error:
        if alone:
            raise
        return ToolFigures(tool, path, error=str(error))
    return ToolFigures(tool, path, evaluation, ranges, tag=source.tag(path))
