"""`rankwise reconcile`: a figure of one tool's convention as that of another."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.measures.input_options import input_options, judged_files
from rankwise.cli.options import format_option, measure_option, option, split_fields
from rankwise.cli.output import note, print_json, print_table
from rankwise.cli.table_options import table_options
from rankwise.errors import RankwiseError
from rankwise.evaluation import Reconciliation
from rankwise.evaluation import reconcile as reconcile_figure
from rankwise.measures import Match, Reconciled

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
@option(
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
        print_json(_object(found))
    else:
        _print(found, bool(targets))
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


def _object(found: Reconciliation) -> dict[str, Any]:
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


def _print(found: Reconciliation, asked: bool) -> None:
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
