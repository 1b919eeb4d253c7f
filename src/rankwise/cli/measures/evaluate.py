"""`rankwise evaluate`: the figures of scores, as any tool computes them."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.measures.evaluate_output import print_evaluations
from rankwise.cli.measures.input_options import input_options, judged_files
from rankwise.cli.options import format_option, measures_option, tools_option
from rankwise.cli.output import progress

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
@input_options
@format_option("table", "json", "csv", "latex", "markdown", "tool")
def evaluate(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tools: tuple[str, ...],
    per_query: bool,
    ties: str | None,
    output_format: str,
    **how: Any,
) -> None:
    """Evaluate SCORES, one score a line, for the rows of DATA, a LETOR file.

    With --trec, DATA is qrels and SCORES are runs. All files may be compressed (gzip, bzip2, zstd).

    \b
    Examples:
      rankwise evaluate test.txt my.scores -m NDCG@10,MAP
      rankwise evaluate test.txt my.scores --tool letor4 --per-query --format tool
      rankwise evaluate test.txt a.scores b.scores --tool all -m NDCG@10
      rankwise evaluate test.txt my.scores -m NDCG@10 --ties expected
      rankwise evaluate --trec qrels.txt run.txt -m ndcg_cut_10 --tool trec_eval --format json
    """
    from rankwise.evaluation import check_layout, evaluate_files, named_tools

    chosen = named_tools(tools)
    if output_format == "tool":
        check_layout(chosen, measures)
    source = judged_files(data, **how)
    with progress("evaluating", len(chosen) * len(scores)) as advance:
        found = evaluate_files(source, scores, measures or None, chosen, ties=ties, advance=advance)
    print_evaluations(found, measures, output_format, per_query)
