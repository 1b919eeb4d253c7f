"""`rankwise identify`: which tools and conventions give a printed figure?"""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.measures.input_options import input_options, judged_files
from rankwise.cli.options import format_option, measure_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.evaluation import identify as identify_figure
from rankwise.measures import Match


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("scores", type=click.Path(), metavar="SCORES")
@measure_option("The measure.", default="NDCG@10")
@click.option("--value", required=True, help="The figure with the decimals it was printed with.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many conventions to show.",
)
@input_options
@format_option()
@table_options("data")
def identify(
    data: str, scores: str, measure: str, value: str, limit: int, output_format: str, **how: Any
) -> None:
    """Find the tools and conventions that give a printed VALUE for SCORES on DATA.

    Exit code 1 where nothing gives it. With --trec, where SCORES lack queries of DATA, what gives
    VALUE with --complete is found too, and marked so.

    \b
    Examples:
      rankwise identify test.txt my.scores -m NDCG@10 --value 0.4136
      rankwise identify test.txt my.scores -m MAP --value 43.4% --format json
    """
    source = judged_files(data, **how)
    with progress("trying conventions"):
        matches = identify_figure(source, scores, measure, value)
    tools = [match for match in matches if match.tool is not None]
    conventions = [match for match in matches if match.tool is None]
    if output_format == "json":
        print_json({"tools": [_object(match) for match in tools],
                    "conventions": [_object(match) for match in conventions]})  # fmt: skip
    else:
        _print(tools, conventions, limit)
    if matches and output_format == "table":
        note("what it is by other tools: rankwise reconcile with the same DATA, SCORES and --value")
    if not matches:
        note(f"no tool and no convention gives {measure} = {value} on these data")
        click.get_current_context().exit(1)


def _object(match: Match) -> dict[str, object]:
    return {"tool": match.tool, "measure": str(match.measure), "value": match.value,
            "complete": match.complete}  # fmt: skip


def _name(match: Match, name: str | None) -> str:
    return f"{name} --complete" if match.complete else f"{name}"


def _print(tools: list[Match], conventions: list[Match], limit: int) -> None:
    if tools:
        rows = [
            [_name(match, match.tool), f"{match.value:.6f}", str(match.measure)] for match in tools
        ]
        print_table(["tool", "value", "its measure"], rows, numeric=[1])
    if conventions:
        rows = [
            [_name(match, str(match.measure)), f"{match.value:.6f}"]
            for match in conventions[:limit]
        ]
        print_table(["conventions", "value"], rows, numeric=[1])
    if len(conventions) > limit:
        note(f"{len(conventions) - limit} more combinations of conventions give this figure")
