"""A printed figure of one tool's convention as that of another: what `rankwise reconcile` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from rankwise.data.catalog.entries import find_entry
from rankwise.data.scores.evaluation_input import Given, HowJudged
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.explanation import Match, identify, read_printed
from rankwise.measures.measure import Measure, family_of, parse, result_name
from rankwise.measures.reconciliation import (
    Figure,
    QueryCounting,
    QueryCounts,
    Reconciled,
    count_by,
    count_queries,
    is_tool,
    reconcile_mean,
    simplify,
)
from rankwise.measures.tool import Tool, ToolRefusal
from rankwise.measures.tools.registry import TOOLS, find_tool
from rankwise.results.published.published_tables import read_shipped
from rankwise.tables.notebook import Rows, Tabular, shortened

MODERN = "modern_results"


@dataclass(frozen=True)
class Published:
    """A published figure of the same data set in the convention that was asked for."""

    target: str
    method: str
    value: float
    source: str


@dataclass(frozen=True)
class Reconciliation(Tabular):
    """A figure and what it is in other conventions.

    Attributes:
        measure: its name, as asked for.
        figure: the figure as printed, None where labels and scores alone were given.
        source: whose convention it follows; None where that was to be found.
        matches: with labels and scores, the tools and conventions that give the printed figure.
        counts: what is known of the queries.
        rows: the figure by each target.
        published: figures of the same data set in the conventions of targets, for comparison.
    """

    measure: str
    figure: str | None
    source: str | None
    matches: tuple[Match, ...]
    counts: QueryCounts | None
    rows: tuple[Reconciled, ...]
    published: tuple[Published, ...] = ()

    def __repr__(self) -> str:
        found = ", ".join(
            f"{one.target} {one.value:.4f}" for one in self.rows if one.value is not None
        )
        return shortened(f"{self.measure} {self.figure or ''} is {found or 'not convertible'}")

    def __getitem__(self, target: str) -> Reconciled:
        """The figure by one of the targets."""
        for one in self.rows:
            if one.target == target:
                return one
        raise KeyError(target)

    def _table(self) -> Rows:
        columns = ("target", "measure", "value", "low", "high", "how", "missing")
        return columns, [
            (
                one.target,
                None if one.measure is None else str(one.measure),
                one.value,
                one.low,
                one.high,
                one.how,
                "; ".join(one.missing),
            )
            for one in self.rows
        ]


def reconcile(
    value: str | float | None = None,
    measure: str = "NDCG@10",
    source: str | None = None,
    targets: Sequence[str] = (),
    *,
    data: Any = None,
    scores: Any = None,
    dataset: str | None = None,
    fold: int | None = None,
    queries: int | None = None,
    empty: int | None = None,
    **how: Unpack[HowJudged],
) -> Reconciliation:
    """Turn a figure of one tool's convention into that of others.

    Args:
        value: the figure: a text with the decimals that were printed, `0.5100` or `51.00%`, or a
            number, which is taken as exact.
        measure: what it is of.
        source: whose convention it follows: a tool, or fields that depart from the definition,
            `empty=skip,gain=linear`.
        targets: tools or fields to turn it into; by default all tools that compute the measure.
        data: labels, as `evaluate` takes judgements: with `scores` everything is evaluated anew,
            which is exact; without them queries are counted.
        scores: as `evaluate` takes them; the source may then be left out, and is identified.
        dataset, fold: instead of data a data set of the catalogue and its fold, whose queries were
            counted.
        queries, empty: instead of these how many test queries there are, and how many of them have
            no relevant document.
        how: the further keywords are those of `evaluate`.
    """
    asked = tuple(targets) or tuple(TOOLS)
    if scores is not None:
        return _reconcile_scores(value, measure, source, asked, data, scores, how)
    if value is None or source is None:
        raise RankwiseError(
            "without scores a figure and the tool that gave it are needed",
            Advice("give {}", "value"),
            Advice("give {}", "source"),
            Advice("give data and scores"),
        )
    counted = count_by(data, dataset, fold, queries, empty, how)
    figure = _read_figure(value)
    one = find_convention(source, measure)[1]
    _refuse_beyond(figure, measure)
    rows = tuple(_reconcile(figure, source, one, name, measure, counted) for name in asked)
    beside = _find_published(dataset, fold, measure, rows) if dataset else ()
    return Reconciliation(measure, str(value), source, (), counted(one), rows, beside)


def _refuse_beyond(figure: Figure, measure: str) -> None:
    low, high = family_of(measure).range
    if not low <= figure.value <= high:
        percent = "; if it is in percent, write so: 51.00%" if high < figure.value <= 100 else ""
        raise RankwiseError(
            f"{measure} must lie from {low:g} to {high:g}, found {figure.value:g}{percent}"
        )


def find_convention(name: str, measure: str) -> tuple[Tool, Measure]:
    """The tool and its measure; fields such as `empty=skip` are those of the definition."""
    if is_tool(name):
        tool = find_tool(name)
        return tool, tool.measure(measure)
    if "=" not in name:
        find_tool(name)
    stem, at, cutoff = measure.partition("@")
    return find_tool("definition"), parse(f"{stem}({name}){at}{cutoff}")


def _read_figure(value: str | float) -> Figure:
    if not isinstance(value, str):
        return Figure(float(value))
    number, decimals = read_printed(value)
    return Figure(number, 10.0**-decimals / 2)


def _reconcile(
    figure: Figure, source: str, one: Measure, name: str, measure: str, counted: QueryCounting
) -> Reconciled:
    try:
        tool, other = find_convention(name, measure)
    except ToolRefusal as refusal:
        return Reconciled(name, None, missing=(str(refusal),))
    given = find_convention(source, measure)[0]
    own = next((each.name for each in (given, tool) if each.regroup or _skips(each)), None)
    if own is not None and given is not tool:
        reason = f"labels and scores: {own} has figures of other queries"
        return Reconciled(name, other, missing=(reason,))
    counts, counts_there = counted(one), counted(other)
    if counts is not None and counts_there is not None and counts.empty != counts_there.empty:
        reason = "labels and scores: other documents are relevant"
        return Reconciled(name, other, missing=(reason,))
    return reconcile_mean(figure, one, other, counts, name)


def _skips(tool: Tool) -> bool:
    return tool.skipped is not Tool.skipped


def _reconcile_scores(
    value: str | float | None,
    measure: str,
    source: str | None,
    targets: Sequence[str],
    data: Any,
    scores: Any,
    how: HowJudged,
) -> Reconciliation:
    if data is None:
        raise RankwiseError("scores are of the documents of data; give both")
    judged = Given(data, how).judged(scores)
    matches = () if value is None else tuple(
        match for match in identify(data, scores, measure, str(value), **how)
        if not match.complete  # The rows below count the queries that are judged here.
    )  # fmt: skip
    if source is not None and value is not None:
        _check_source(judged, measure, source, value)
    elif value is not None and not matches:
        raise RankwiseError(
            f"no tool and no convention gives {measure} = {value} on these data and scores; "
            "see 'rankwise evaluate --tool all'"
        )
    rows = tuple(_evaluate(judged, measure, name) for name in targets)
    told = None if value is None else str(value)
    counts = count_queries(judged, parse(measure)) if "=" not in measure else None
    return Reconciliation(measure, told, source, matches, counts, rows)


def _check_source(judged: JudgedScores, measure: str, source: str, value: str | float) -> None:
    figure = _read_figure(value)
    found = _evaluate(judged, measure, source)
    tolerance = max(figure.half_unit, 1e-12) * (1 + 1e-9)
    if found.value is None or abs(found.value - figure.value) > tolerance:
        got = found.missing[0] if found.value is None else f"{found.value:.6f}"
        raise RankwiseError(
            f"{measure} of these scores by {source} must be {value}, found {got}",
            Advice("leave out {} to find whose figure it is", "source"),
        )


def _evaluate(judged: JudgedScores, measure: str, name: str) -> Reconciled:
    try:
        tool, asked = find_convention(name, measure)
    except ToolRefusal as refusal:
        return Reconciled(name, None, missing=(str(refusal),))
    try:
        mean = evaluate_judged(judged, [asked], tool)[str(asked)].mean
    except RankwiseError as refusal:
        return Reconciled(name, asked, missing=(str(refusal),))
    if mean != mean:
        return Reconciled(name, asked, missing=("the tool leaves out every query",))
    return Reconciled(name, asked, mean, mean, mean, "evaluated")


def _find_published(
    dataset: str, fold: int | None, measure: str, rows: Sequence[Reconciled]
) -> tuple[Published, ...]:
    """Shipped figures of the data set and fold whose convention is that of a target."""
    entry = find_entry(dataset)
    table = read_shipped(MODERN).where(collection=entry.collection, dataset=[entry.title])
    folds = {None} if entry.folds == 1 else {str(fold)}
    there = table.where(fold=folds, version=None)
    labels = tuple(map(float, entry.label_levels))
    found = []
    for one in rows:
        if one.measure is None or one.value is None:
            continue
        wanted = simplify(one.measure, labels)
        for row in there.rows():
            known = find_tool(row["tool"]) if is_tool(row["tool"]) else find_tool("definition")
            if simplify(_named(known, row["measure"]), labels) == replace(wanted):
                found.append(Published(one.target, row["method"], row["value"], row["source"]))
    return tuple(found)


def _named(tool: Tool, name: str) -> Measure:
    return parse(name) if "(" in result_name(name) else tool.measure(name)
