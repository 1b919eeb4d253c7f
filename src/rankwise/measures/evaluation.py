"""Evaluate scores as any tool does: of data sets, files, arrays, frames, dictionaries.

    import rankwise as rw

    data = rw.read("test.txt")
    result = rw.evaluate(data, scores, ["NDCG@10", "MAP"], tool="letor4")
    result["NDCG@10"].mean, result["NDCG@10"].per_query

`evaluate_judged` does so for judged scores on flat arrays: one tool, many measures. A value is
printed by `shown` where no tool's own layout is asked for, and numbers in the ids of queries are
read as Perl reads them from text: the longest numeric prefix, else 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.evaluation_input import Given, HowJudged, JudgedFiles
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.measure import Measure, measure_list
from rankwise.measures.tool import Tool, ToolRefusal
from rankwise.measures.tools.registry import TOOLS, find_tool
from rankwise.measures.values import average, measure_values, refuse_measure
from rankwise.sanitize import list_some
from rankwise.tables.notebook import Rows, SmallHistogram, Tabular, shortened


def evaluate(
    judgements: Any,
    scores: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
    *,
    ties: str | None = None,
    **how: Unpack[HowJudged],
) -> Evaluation:
    """Evaluate scores as a tool does.

    Args:
        judgements: a `Dataset`; a LETOR file, or with `trec=True` a file of qrels; labels, one per
            document, with `qid` or `group`; a pandas or polars frame with the columns `label`,
            `qid` and perhaps `document`; or dictionaries `{query: {document: label}}`.
        scores: one per row, in the order of the rows; a file with one score a line, or a run beside
            qrels; the name of a column of the frame; or `{query: {document: score}}` beside
            dictionaries.
        measures: names, which may stand in one text with commas between, or `Measure` values; None
            is everything that the tool prints.
        tool: whose conventions count, `definition` by default.
        ties: another rule for tied scores (`rankwise.measures.document_order`).
        how: the further keywords that say how judgements and scores belong together, as
            `rankwise.data.scores.HowJudged` describes them.

    What was odd in files, and which measures no ranking could change, is in `remarks` of the
    evaluation.
    """
    chosen = find_tool(tool) if isinstance(tool, str) else tool
    given = Given(judgements, how)
    judged = given.judged(scores, chosen)
    found = evaluate_judged(judged, measure_list(measures), chosen, ties=ties)
    return replace(found, remarks=(*given.remarks, *found.remarks))


@dataclass(frozen=True)
class FileEvaluation:
    """What one tool said of one score file, or why it said nothing.

    `ranges` are, where ties were taken as `expected`, the lowest and the highest mean that any
    order of tied documents gives; `tag` is the name that a run gives itself.
    """

    tool: Tool
    scores: str
    evaluation: Evaluation | None = None
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    error: str | None = None
    tag: str = ""

    @property
    def results(self) -> dict[str, MeasureResult]:
        """Results by name; none where there is an error."""
        return {} if self.evaluation is None else self.evaluation.results


def evaluate_files(
    source: JudgedFiles,
    scores: Sequence[str | Path],
    measures: str | Iterable[str] | None = None,
    tools: Iterable[str | Tool] = ("definition",),
    *,
    ties: str | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> list[FileEvaluation]:
    """Every score file as every tool evaluates it; the tool `all` is every tool.

    Where several are asked for, what one of them refuses is told in its place.
    """
    chosen = named_tools(tools)
    wanted = measure_list(measures)
    jobs = [(tool, str(path)) for path in scores for tool in chosen]
    found = []
    for number, (tool, path) in enumerate(jobs):
        judged = source.scored(path)
        try:
            source.check(tool)
            evaluation = evaluate_judged(judged, wanted, tool, ties=ties)
            ranges = tie_ranges(judged, wanted, tool) if ties == "expected" else {}
        except RankwiseError as error:
            if len(jobs) == 1:
                raise
            found.append(FileEvaluation(tool, path, error=str(error)))
        else:
            tag = source.tag(path)
            found.append(FileEvaluation(tool, path, evaluation, ranges, tag=tag))
        advance(number + 1)
    return found


def named_tools(names: Iterable[str | Tool]) -> list[Tool]:
    """Tools by name, each once; `all` is every tool."""
    asked = list(names)
    chosen = [
        find_tool(one) if isinstance(one, str) else one
        for one in (TOOLS if "all" in asked else asked)
    ]
    return list(dict.fromkeys(chosen))


def check_layout(tools: Iterable[Tool], measures: Sequence[str]) -> None:
    """Refuse a tool whose printed output is not known, or that prints no chosen measures."""
    for tool in tools:
        if tool.layout is None:
            known = ", ".join(name for name in TOOLS if find_tool(name).layout is not None)
            raise RankwiseError(
                f"the output of {tool.name} has no layout of its own here, only that of {known} has"
            )
        if measures and not tool.layout_of_measures:
            raise RankwiseError(
                f"the layout of {tool.name} has all that it prints, found chosen measures",
                Advice("leave out {}", "measures"),
            )


_MOST_NAMED = 6


class UnknownResult(RankwiseError, KeyError):
    """An evaluation has no result of this name."""


@dataclass(frozen=True, eq=False)
class MeasureResult(Tabular):
    """One measure's figures.

    Attributes:
        measure: what was computed, with all its conventions.
        mean: the figure over all queries, by the measure's own averaging.
        query_ids: the queries in the tool's order.
        values: one per query; NaN where the query has no figure of its own.
    """

    measure: Measure
    mean: float
    query_ids: Sequence[str]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        without = len(self.query_ids) - len(self.per_query)
        rest = f", {without} of them without a figure" if without else ""
        return shortened(
            f"{self.measure}: {self.mean:.4f} over {len(self.query_ids)} queries{rest}"
        )

    @property
    def per_query(self) -> dict[str, float]:
        """The figure of every query that has one."""
        return {
            query: value
            for query, value in zip(self.query_ids, self.values.tolist(), strict=True)
            if value == value
        }

    def _table(self) -> Rows:
        return ("query", "value"), list(self.per_query.items())


@dataclass(frozen=True, eq=False)
class Evaluation(Tabular):
    """What one tool says of one set of scores: results by the name they were asked for by.

    `refused` holds the measures that the tool cannot compute on these data, with the reason;
    `remarks` tell what was odd in the files that the scores were read from, that no retrieved
    document is judged, and which measures have their value whatever the ranking, as all documents
    or none are relevant to them, or all queries too short.
    """

    tool: Tool
    results: dict[str, MeasureResult]
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {mean:.4f}" for name, mean in self.means().items())
        return shortened(f"Evaluation by {self.tool.name}: {figures}")

    def __getitem__(self, name: str) -> MeasureResult:
        """The result of a measure by the name it was asked for by, or by another name for it."""
        if name not in self.results:
            alike = [asked for asked in self.results if _is_name_of(self.tool, asked, name)]
            if len(alike) != 1:
                raise UnknownResult(
                    f"there is no result {name!r}; there are {', '.join(self.results) or 'none'}"
                )
            name = alike[0]
        return self.results[name]

    def means(self) -> dict[str, float]:
        """Name and mean of every measure."""
        return {name: result.mean for name, result in self.results.items()}

    def _table(self) -> Rows:
        """Every query's figures; `all` is the mean."""
        rows: list[tuple[object, ...]] = []
        for name, result in self.results.items():
            rows += [(self.tool.name, name, *pair) for pair in result.per_query.items()]
            rows.append((self.tool.name, name, "all", result.mean))
        return ("tool", "measure", "query", "value"), rows

    def _shown(self) -> Rows:
        rows = [
            (name, one.mean, len(one.query_ids), SmallHistogram.of(one.values.tolist()))
            for name, one in self.results.items()
        ]
        return ("measure", "mean", "queries", "of the queries"), rows


def _is_name_of(tool: Tool, asked: str, name: str) -> bool:
    try:
        return tool.measure(name) == tool.measure(asked)
    except RankwiseError:
        return False


def evaluate_judged(
    judged: JudgedScores,
    measures: Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
    *,
    ties: str | None = None,
) -> Evaluation:
    """Evaluate scores as a tool does.

    `measures` are names, the tool's own or common ones in its convention, or `Measure` values,
    which are computed as they are; None is everything that the tool prints. `ties` replaces the
    tool's tie rule. Raises `ToolRefusal` where the tool cannot take the data or computes none of
    the measures.
    """
    chosen = find_tool(tool) if isinstance(tool, str) else tool
    seen = chosen.read(judged)
    asked = list(chosen.printed(seen)) if measures is None else list(measures)
    wanted, refused = _choose_measures(chosen, seen, asked, ties)
    if refused and not wanted:
        raise ToolRefusal(next(iter(refused.values())))
    said = (
        *_tell_unjudged(judged),
        *_tell_all_relevant(seen, wanted),
        *_tell_none_relevant(seen, wanted),
        *_tell_none_long(seen, wanted),
        *_list_alike(chosen, seen, wanted.values()),
    )
    return Evaluation(chosen, _make_results(chosen, seen, wanted), refused, said)


def are_relevant(labels: NDArray[np.float64], measure: Measure) -> NDArray[np.bool_]:
    """Which labels are relevant ones to a measure that has a threshold."""
    threshold = 0.0 if measure.threshold is None else measure.threshold
    above: NDArray[np.bool_] = labels > threshold if measure.strict else labels >= threshold
    return above


def _tell_all_relevant(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    if not len(seen.labels):
        return ()
    least = seen.labels.min(keepdims=True)
    names = [
        name
        for name, measure in wanted.items()
        if measure.threshold is not None and measure.gain is None and are_relevant(least, measure)
    ]
    if not names:
        return ()
    shown = list_some(names, _MOST_NAMED)
    return (
        f"no document is irrelevant to {shown}, as labels begin at {least[0]:g}: every "
        "ranking of them has the same value",
    )


def _tell_none_relevant(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    """Measures to which no document is relevant, as they have one value whatever the ranking."""
    labels = seen.labels[~np.isnan(seen.labels)]
    if not len(labels):
        return ()
    most = labels.max(keepdims=True)
    names = [
        name
        for name, measure in wanted.items()
        if (measure.gain is not None and most[0] <= 0.0)
        or (measure.gain is None and measure.threshold is not None
            and not are_relevant(most, measure)[0])
    ]  # fmt: skip
    if not names:
        return ()
    helps = "; a measure may name a threshold, as MAP(threshold=0.5)" if most[0] > 0.0 else ""
    shown = list_some(names, _MOST_NAMED)
    return (
        f"no document is relevant to {shown}, as labels end at {most[0]:g}: every "
        f"ranking of them has the same value{helps}",
    )


def _tell_none_long(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    """Measures at cut-offs that no query reaches, where such a query has 0 or no value."""
    longest = int(seen.lengths.max(initial=0))
    names = [
        name
        for name, measure in wanted.items()
        if measure.short in ("zero", "absent") and longest < (measure.cutoff or 0)
    ]
    if not names or not longest:
        return ()
    shown = list_some(names, _MOST_NAMED)
    return (
        f"no query is long enough for {shown}, the longest has {longest} documents: "
        "every ranking of them has the same value",
    )


def _tell_unjudged(judged: JudgedScores) -> tuple[str, ...]:
    """A run and judgements whose documents never match, though their queries do."""
    if judged.retrieved is None or judged.document_ids is None:
        return ()
    lengths = judged.lengths
    within = np.arange(len(judged.labels)) - np.repeat(judged.query_offsets[:-1], lengths)
    retrieved = within < np.repeat(judged.retrieved, lengths)
    if not retrieved.any() or retrieved.all() or not np.isnan(judged.labels[retrieved]).all():
        return ()
    found, known = (judged.document_ids[int(np.argmax(rows))] for rows in (retrieved, ~retrieved))
    return (
        f"no retrieved document is judged: the run has documents such as {found!r}, the judgements "
        f"such as {known!r}; are these ids of one collection?",
    )


def _list_alike(tool: Tool, seen: JudgedScores, measures: Iterable[Measure]) -> Iterator[str]:
    """A sentence where scores are different whole numbers that doubles take for equal ones."""
    if all(measure.comparison in (None, "perl") for measure in measures):
        return
    query = np.repeat(np.arange(seen.n_queries), seen.lengths)
    numbers: dict[tuple[int, float], set[int]] = {}
    for row, number in seen.large_integers.items():
        numbers.setdefault((int(query[row]), float(seen.scores[row])), set()).add(number)
    alike = sum(len(different) for different in numbers.values() if len(different) > 1)
    if alike:
        yield (
            f"{alike} scores are whole numbers beyond 2^53 that differ, but not as the doubles "
            f"that {tool.name} compares: they count as tied; give smaller numbers, as their ranks"
        )


def tie_ranges(
    judged: JudgedScores,
    measures: Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
) -> dict[str, tuple[float, float]]:
    """For every measure the lowest and the highest mean that any order of tied documents gives.

    Measures whose ends are not known (`rankwise.measures.computation`) are left out.
    """
    asked = None if measures is None else list(measures)
    try:
        worst = evaluate_judged(judged, asked, tool, ties="worst").means()
        best = evaluate_judged(judged, asked, tool, ties="best").means()
    except ToolRefusal:
        return {}
    return {name: (low, best[name]) for name, low in worst.items()}


def _choose_measures(
    tool: Tool, seen: JudgedScores, asked: Sequence[str | Measure], ties: str | None
) -> tuple[dict[str, Measure], dict[str, str]]:
    """The measures by name, and the reasons for those that the tool refuses."""
    wanted: dict[str, Measure] = {}
    refused: dict[str, str] = {}
    for name in asked:
        try:
            measure = tool.measure(name)
        except ToolRefusal as refusal:
            refused[str(name)] = str(refusal)
            continue
        if ties is not None:
            measure = measure.with_fields(ties=ties)
        reason = tool.measure_refusal(measure, seen) or refuse_measure(measure, seen)
        if reason is None:
            wanted[str(name)] = measure
        else:
            refused[str(name)] = f"{tool.name}: {reason}"
    return wanted, refused


def _make_results(
    tool: Tool, seen: JudgedScores, wanted: dict[str, Measure]
) -> dict[str, MeasureResult]:
    measures = list(wanted.values())
    table = measure_values(seen, measures, tool.ideal_of(seen))
    names = tool.query_names(seen)
    order = _output_order(tool.order, names)
    results = {}
    for name, measure, values in zip(wanted, measures, table, strict=True):
        results[name] = _make_result(tool, seen, measure, values, names, order)
    return results


def _make_result(
    tool: Tool,
    seen: JudgedScores,
    measure: Measure,
    values: NDArray[np.float64],
    names: list[str],
    order: NDArray[np.int64] | None,
) -> MeasureResult:
    skipped = tool.skipped(measure, seen)
    if skipped is not None:
        values = np.where(skipped, np.nan, values)
    if tool.regroup is not None:
        names, values = tool.regroup(measure, names, values)
    mean = average(values, measure, seen)
    if mean != mean:
        mean = tool.nothing
    shown = np.where(np.isneginf(values), np.nan, values)
    if order is not None and len(order) == len(shown):
        names, shown = [names[place] for place in order], shown[order]
    return MeasureResult(measure, mean, names, shown)


def _output_order(rule: str, names: list[str]) -> NDArray[np.int64] | None:

    if rule == "file":
        return None
    if rule == "text":
        keys = [name.encode("utf-8", "surrogateescape") for name in names]
        return np.array(sorted(range(len(names)), key=keys.__getitem__), dtype=np.int64)
    numbers = [perl_number(name) for name in names]
    return np.array(sorted(range(len(names)), key=numbers.__getitem__), dtype=np.int64)


def shown(measure: Measure, value: float) -> str:
    """Four decimals, counts as whole numbers, `-` where there is no figure."""
    if value != value:
        return "-"
    return f"{value:.0f}" if measure.average == "sum" else f"{value:.4f}"


_PERL_NUMBER = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def perl_number(text: str) -> float:
    """The number that a query id counts as where Perl sorts by number."""
    found = _PERL_NUMBER.match(text)
    return float(found[1]) if found else 0.0
