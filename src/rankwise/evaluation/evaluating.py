"""Evaluating scores as any tool does: of data sets, files, arrays, frames, dictionaries.

import rankwise as rw

data = rw.read("test.txt")
result = rw.evaluate(data, scores, ["NDCG@10", "MAP"], tool="letor4")
result["NDCG@10"].mean, result["NDCG@10"].per_query
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from rankwise.data.scores.evaluation_input import Given, HowJudged, JudgedFiles
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.evaluation import Evaluation, MeasureResult, tie_ranges
from rankwise.measures.evaluation import evaluate as evaluate_judged
from rankwise.measures.listing import measure_list
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import TOOLS, find_tool


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
        ties: another rule for tied scores (`rankwise.measures.ranking`).
        how: the further keywords that say how judgements and scores belong together, as
            `rankwise.evaluation.HowJudged` describes them.

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
