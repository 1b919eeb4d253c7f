"""Why tools differ on the same scores, and which of them gives a printed figure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from rankwise.data.scores.evaluation_input import Given, HowJudged
from rankwise.measures.explanation import Explanation
from rankwise.measures.explanation import explain as explain_judged
from rankwise.measures.identification import Match
from rankwise.measures.identification import identify as identify_judged
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import find_tool


def explain(
    judgements: Any,
    scores: Any,
    measure: str,
    first: str | Tool,
    second: str | Tool,
    *,
    queries: int = 10,
    **how: Unpack[HowJudged],
) -> Explanation:
    """Split the difference of two tools' means of a measure into what causes it.

    `judgements`, `scores` and the further keywords are those of `evaluate`; `queries` is how many
    of the queries that move most are told.
    """
    one, other = (find_tool(tool) if isinstance(tool, str) else tool for tool in (first, second))
    judged = Given(judgements, how).judged(scores, one, other)
    return explain_judged(judged, measure, one, other, movers=queries)


def identify(
    judgements: Any, scores: Any, measure: str, value: str, **how: Unpack[HowJudged]
) -> list[Match]:
    """Everything that gives a printed figure: tools first, then conventions that are no tool's.

    `value` is a text with the decimals that were printed, `0.4136` or `43.4%`; the other arguments
    are those of `evaluate`. Where `missing_queries` is `skip` and the run lacks queries, what gives
    the figure with `zero` follows.
    """
    definition = find_tool("definition")
    given = Given(judgements, how)
    judged = given.judged(scores, definition)
    found = identify_judged(judged, measure, value)
    complete = given.completed()
    if complete is None:
        return found
    with_all = complete.judged(scores, definition)
    if with_all.n_queries == judged.n_queries:
        return found
    return [*found, *(replace(one, complete=True)
                      for one in identify_judged(with_all, measure, value))]  # fmt: skip
