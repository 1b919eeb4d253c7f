"""`rankwise dearank efficiency`: documents ranked by data envelopment analysis itself."""

from __future__ import annotations

import click

from rankwise.cli.options import format_option, table_options, tool_option
from rankwise.cli.output import print_json, print_table, say, shown_stages
from rankwise.experiments import EfficiencyAnalysis, analyse_efficiency


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.option("--query", metavar="ID", help="Show the documents of this query.")
@click.option(
    "--goal",
    type=click.Choice(["benevolent", "aggressive", "any"]),
    default="benevolent",
    show_default=True,
    help="Which of a document's optimal weights judge the others in cross-efficiency.",
)
@tool_option("Whose measures count.", default="definition")
@click.option(
    "--solver",
    type=click.Choice(["compiled", "highs"]),
    default="compiled",
    show_default=True,
    help="Who solves the linear programs.",
)
@format_option()
@table_options("data")
def efficiency(
    data: str, query: str | None, goal: str, tool: str, solver: str, output_format: str
) -> None:
    """Rank the documents of each query of DATA by their efficiency, without labels or training.

    Efficiency (CCR-I) is how far a document gets under its own best weights; many reach 1.
    Super-efficiency tells these apart: against all other documents only, it may exceed 1, without
    bound where a document alone has some feature. Cross-efficiency is the mean over the weights of
    all documents of the query. MAP and NDCG@10 say how well each ranks; ties count as expected.

    \b
    Examples:
      rankwise dearank efficiency Fold1/test.txt --tool letor4
      rankwise dearank efficiency test.txt --query 18219 --goal aggressive
    """
    with shown_stages() as stage:
        found = analyse_efficiency(
            data, query=query, goal=goal, tool=tool, solver=solver, stage=stage
        )
    if output_format == "json":
        print_json(found.as_dict())
        return
    if query is not None:
        _print_documents(found)
    _print_rankings(found)


def _print_documents(found: EfficiencyAnalysis) -> None:
    ways = list(found.scores)
    print_table(
        ["Document", "Label", *(way.capitalize() for way in ways)],
        [
            [number, f"{label:g}", *(f"{found.scores[way][number - 1]:.4f}" for way in ways)]
            for number, label in enumerate(found.labels.tolist(), 1)
        ],
        title=f"Documents of query {found.query_ids[0]}",
        numeric=(0, 1, 2, 3, 4),
    )


def _print_rankings(found: EfficiencyAnalysis) -> None:
    print_table(
        ["Ranked by", "MAP", "NDCG@10"],
        [[one.way, f"{one.map:.4f}", f"{one.ndcg_at_10:.4f}"] for one in found.rankings],
        title=f"Documents by data envelopment analysis alone, {found.goal} judges",
        numeric=(1, 2),
    )
    say(
        f"{found.efficient} of {len(found.labels)} documents are efficient; "
        f"{found.unbounded} have a feature that no other document of their query has"
    )
