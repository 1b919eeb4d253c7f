"""`rankwise evaluate`: the figures of scores, as any tool computes them."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.measures.evaluate_output import print_evaluations, print_results
from rankwise.cli.measures.input_options import input_options, judged_files
from rankwise.cli.options import format_option, measures_option, tools_option
from rankwise.cli.output import note, progress
from rankwise.cli.table_options import table_options
from rankwise.errors import RankwiseError

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
    from rankwise.evaluation import check_layout, evaluate_files, named_tools

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
