"""`rankwise explain`: why tools differ on the same scores."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations, product
from typing import Any

import click

from rankwise.cli.measures.input_options import input_options, judged_files
from rankwise.cli.options import format_option, measures_option, tools_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.errors import RankwiseError
from rankwise.evaluation import explain as explain_difference
from rankwise.evaluation import named_tools
from rankwise.measures import Explanation, Mover

DEFAULT_MEASURE = "NDCG@10"


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("scores", type=click.Path(), metavar="SCORES")
@measures_option(f"The measure; may be repeated.  [default: {DEFAULT_MEASURE}]")
@tools_option("The tools, two or more; repeat, or put commas between.", former=("--tools",))
@click.option(
    "--queries",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many queries to show.",
)
@input_options
@format_option()
@table_options("data")
def explain(
    data: str,
    scores: str,
    measures: tuple[str, ...],
    tools: tuple[str, ...],
    queries: int,
    output_format: str,
    **how: Any,
) -> None:
    """Say why tools give different means of a measure for the same SCORES on DATA.

    The difference is split into the parts due to gain, discount, ideal list, threshold, empty
    queries, short queries, ties, averaging and reading; the parts add up to it.

    \b
    Examples:
      rankwise explain test.txt my.scores -m NDCG@10 --tool letor4,yahoo
      rankwise explain test.txt my.scores -m MAP --tool mslr,letor4,trec_eval --format json
    """
    chosen = named_tools(tools)
    if len(chosen) < 2:
        named = ", ".join(tools) or "none"
        raise RankwiseError(
            f"at least two tools must be named, as in --tool letor4,yahoo; found {named}"
        )
    source = judged_files(data, **how)
    asked = list(product(measures or (DEFAULT_MEASURE,), combinations(chosen, 2)))
    found: list[Explanation] = []
    with progress("explaining", len(asked)) as advance:
        for measure, (one, other) in asked:
            made = explain_difference(source, scores, measure, one, other, queries=queries)
            found.append(made)
            advance(len(found))
    if output_format == "json":
        print_json([_object(explanation) for explanation in found])
        return
    for explanation in found:
        _print(explanation)


def _object(explanation: Explanation) -> dict[str, Any]:
    return {**asdict(explanation), "difference": explanation.difference}


def _print(explanation: Explanation) -> None:
    first, second = explanation.first, explanation.second
    rows = [
        [axis, f"{part:+.4f}", *explanation.conventions.get(axis, ("same", "same"))]
        for axis, part in explanation.parts.items()
    ]
    total = [
        "difference",
        f"{explanation.difference:+.4f}",
        f"{explanation.first_value:.4f}",
        f"{explanation.second_value:.4f}",
    ]
    title = f"{explanation.measure}: {first} {explanation.first_value:.4f}, "
    title += f"{second} {explanation.second_value:.4f}"
    print_table(["due to", "part", first, second], [*rows, total], title=title, numeric=[1])
    if explanation.movers:
        movers = [_mover_row(mover) for mover in explanation.movers]
        print_table(["query", first, second, "mostly due to"], movers,
                    title="queries that move most", numeric=[1, 2])  # fmt: skip
    else:
        note("no query differs")


def _mover_row(mover: Mover) -> list[str]:
    values = ["-" if value is None else f"{value:.4f}" for value in (mover.first, mover.second)]
    largest = sorted(mover.parts.items(), key=lambda item: -abs(item[1]))[:2]
    return [
        mover.query,
        *values,
        ", ".join(f"{axis} {part:+.4f}" for axis, part in largest if part),
    ]
