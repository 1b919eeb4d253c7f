"""`rankwise measures`, `explain`, `identify` and `reconcile`: which tool's value is it?

`measures` lists every measure and every tool, with their conventions. `explain` says why tools
differ on the same scores, `identify` which tools and conventions give a printed value, and
`reconcile` takes a value of one tool's convention as that of another.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations, product
from typing import Any

import click

from rankwise.cli.measures.evaluate_command import input_options, judged_files
from rankwise.cli.options import (
    format_option,
    measure_option,
    measures_option,
    split_fields,
    table_options,
    tools_option,
)
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.comparison import Reconciliation
from rankwise.comparison import reconcile as reconcile_figure
from rankwise.errors import RankwiseError
from rankwise.measures import (
    FAMILIES,
    Explanation,
    Family,
    Match,
    Mover,
    Reconciled,
    Tool,
    all_tools,
    named_tools,
    parse,
)
from rankwise.measures import explain as explain_difference
from rankwise.measures import identify as identify_figure


@click.command()
@format_option()
def measures(output_format: str) -> None:
    """List the measures with their fields, and the tools with their conventions.

    \b
    Examples:
      rankwise measures
      rankwise measures --format json
    """
    if output_format == "json":
        print_json({"measures": [_family_object(family) for family in FAMILIES],
                    "tools": [_tool_object(tool) for tool in all_tools()]})  # fmt: skip
        return
    rows = [[family.name, family.title, ", ".join(family.aliases)] for family in FAMILIES]
    print_table(["measure", "what it is", "also called"], rows)
    print_table(
        ["tool", "what it is", "measures"],
        [[tool.name, tool.title, ", ".join(tool.conventions)] for tool in all_tools()],
    )


def _family_object(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "title": family.title,
        "aliases": list(family.aliases),
        "cutoff": family.cutoff,
        "fields": dict(family.fields),
        "citation": family.citation,
    }


def _tool_object(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "measures": [str(parse(family, tool.conventions)) for family in tool.conventions],
    }


EXPLAINED_MEASURE = "NDCG@10"


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("scores", type=click.Path(), metavar="SCORES")
@measures_option(f"The measure; may be repeated.  [default: {EXPLAINED_MEASURE}]")
@tools_option("The tools, two or more; repeat, or put commas between.")
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
    asked = list(product(measures or (EXPLAINED_MEASURE,), combinations(chosen, 2)))
    found: list[Explanation] = []
    with progress("explaining", len(asked)) as advance:
        for measure, (one, other) in asked:
            made = explain_difference(source, scores, measure, one, other, queries=queries)
            found.append(made)
            advance(len(found))
    if output_format == "json":
        print_json([_explanation_object(explanation) for explanation in found])
        return
    for explanation in found:
        _print_explanation(explanation)


def _explanation_object(explanation: Explanation) -> dict[str, Any]:
    return {**asdict(explanation), "difference": explanation.difference}


def _print_explanation(explanation: Explanation) -> None:
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
        print_json({"tools": [_match_object(match) for match in tools],
                    "conventions": [_match_object(match) for match in conventions]})  # fmt: skip
    else:
        _print_matches(tools, conventions, limit)
    if matches and output_format == "table":
        note("what it is by other tools: rankwise reconcile with the same DATA, SCORES and --value")
    if not matches:
        note(f"no tool and no convention gives {measure} = {value} on these data")
        click.get_current_context().exit(1)


def _match_object(match: Match) -> dict[str, object]:
    return {"tool": match.tool, "measure": str(match.measure), "value": match.value,
            "complete": match.complete}  # fmt: skip


def _name_match(match: Match, name: str | None) -> str:
    return f"{name} --complete" if match.complete else f"{name}"


def _print_matches(tools: list[Match], conventions: list[Match], limit: int) -> None:
    if tools:
        rows = [
            [_name_match(match, match.tool), f"{match.value:.6f}", str(match.measure)]
            for match in tools
        ]
        print_table(["tool", "value", "its measure"], rows, numeric=[1])
    if conventions:
        rows = [
            [_name_match(match, str(match.measure)), f"{match.value:.6f}"]
            for match in conventions[:limit]
        ]
        print_table(["conventions", "value"], rows, numeric=[1])
    if len(conventions) > limit:
        note(f"{len(conventions) - limit} more combinations of conventions give this figure")


SHOWN_MATCHES = 6
SHOWN_PUBLISHED = 6


@click.command()
@click.argument("data", type=click.Path(), metavar="[DATA]", required=False)
@click.argument("scores", type=click.Path(), metavar="[SCORES]", required=False)
@measure_option("The measure.", default="NDCG@10")
@click.option("--value", help="The figure with the decimals it was printed with.")
@click.option(
    "--from",
    "source",
    metavar="TOOL",
    help="Whose figure it is: a tool, or fields that depart from the definition (empty=1).",
)
@click.option(
    "--to",
    "targets",
    multiple=True,
    callback=split_fields,
    metavar="TOOL",
    help="What to turn it into: tools or fields (empty=skip); may be repeated.  [default: all]",
)
@click.option("--dataset", metavar="NAME", help="Without DATA: a data set of the catalogue.")
@click.option("--fold", type=click.IntRange(min=1), help="Its fold.")
@click.option("--queries", type=click.IntRange(min=1), help="Or: how many test queries there are,")
@click.option("--empty", type=click.IntRange(min=0), help="and how many have nothing relevant.")
@input_options
@format_option()
@table_options("data")
def reconcile(
    data: str | None,
    scores: str | None,
    measure: str,
    value: str | None,
    source: str | None,
    targets: tuple[str, ...],
    dataset: str | None,
    fold: int | None,
    queries: int | None,
    empty: int | None,
    output_format: str,
    **how: Any,
) -> None:
    """Turn a figure of one tool's convention into that of others, as far as that can be done.

    With DATA and SCORES everything is evaluated anew, which is exact; the figure's tool need not
    be known then (see identify). A mean alone can be turned where tools differ in what a query
    without relevant documents counts: that takes the number of queries and of empty ones, counted
    in DATA, known of a --dataset, or given. Where gains, discounts or short queries differ there
    are bounds; for ties and the rest is said what is missing. Exit code 1 where nothing can be
    said of any target.

    \b
    Examples:
      rankwise reconcile --value .5100 -m NDCG@5 --from lightgbm --to empty=skip --dataset web30k --fold 1
      rankwise reconcile --value 0.51 -m NDCG@5 --from yahoo --queries 6306 --empty 189
      rankwise reconcile test.txt --value 0.4136 --from letor4
      rankwise reconcile test.txt my.scores --value 0.4136 --to definition,lightgbm --format json
    """  # noqa: E501
    _check_subject(data, dataset, queries, how)
    found = reconcile_figure(
        value, measure, source, targets,
        data=None if data is None else judged_files(data, **how), scores=scores,
        dataset=dataset, fold=fold, queries=queries, empty=empty,
    )  # fmt: skip
    if output_format == "json":
        print_json(_reconciliation_object(found))
    else:
        _print_reconciliation(found, bool(targets))
    if all(one.how == "missing" for one in found.rows):
        click.get_current_context().exit(1)


def _check_subject(
    data: str | None, dataset: str | None, queries: int | None, how: dict[str, Any]
) -> None:
    given = [
        name
        for name, one in (("DATA", data), ("--dataset", dataset), ("--queries", queries))
        if one is not None
    ]
    if len(given) > 1:
        raise RankwiseError(f"queries are counted once: give one of {' and '.join(given)}")
    if data is None and how["trec"]:
        raise RankwiseError("--trec says how DATA is read; name the qrels")


def _reconciliation_object(found: Reconciliation) -> dict[str, Any]:
    counts = found.counts
    return {
        "measure": found.measure,
        "figure": found.figure,
        "source": found.source,
        "matches": [_match(one) for one in found.matches],
        "queries": None if counts is None else counts.queries,
        "empty": None if counts is None else counts.empty,
        "targets": [_target(one) for one in found.rows],
        "published": [vars(one) for one in found.published],
    }


def _match(one: Match) -> dict[str, Any]:
    return {"tool": one.tool, "measure": str(one.measure), "value": one.value}


def _target(one: Reconciled) -> dict[str, Any]:
    return {
        "target": one.target,
        "measure": None if one.measure is None else str(one.measure),
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "how": one.how,
        "missing": list(one.missing),
        "assumptions": list(one.assumptions),
    }


def _print_reconciliation(found: Reconciliation, asked: bool) -> None:
    """Published figures stand beside those of targets that were asked for."""
    title = f"{found.measure} {found.figure or ''}".strip()
    title += f" by {found.source}" if found.source else ""
    print_table(
        ["by", "figure", "between", "how"],
        [[one.target, _value(one), _bounds(one), _how(one)] for one in found.rows],
        title=title,
        numeric=(1,),
        unbroken=(0, 2),
    )
    if found.figure is not None and found.matches:
        tools = [one.tool for one in found.matches if one.tool is not None]
        others = [str(one.measure) for one in found.matches if one.tool is None]
        named = ", ".join([*tools, *others][:SHOWN_MATCHES])
        note(f"{found.figure} is what these give: {named}")
    if found.counts is not None:
        counts = found.counts
        note(f"{counts.queries:,} queries, {counts.empty:,} of them without a relevant document")
    for assumption in dict.fromkeys(a for one in found.rows for a in one.assumptions):
        note(f"assumed: {assumption}")
    for one in found.published[:SHOWN_PUBLISHED] if asked else ():
        note(f"published by {one.target}: {one.method} {one.value:g}, {one.source}")


def _value(one: Reconciled) -> str:
    return "" if one.value is None else f"{one.value:.4f}"


def _bounds(one: Reconciled) -> str:
    if one.low is None or one.high is None or one.low == one.high:
        return ""
    digits = 4 if one.how == "bounded" else 6
    return f"{one.low:.{digits}f} to {one.high:.{digits}f}"


def _how(one: Reconciled) -> str:
    if one.how == "missing":
        return f"needs {'; '.join(one.missing)}" if one.measure else "; ".join(one.missing)
    return one.how
