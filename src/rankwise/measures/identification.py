"""Which tools and conventions give a printed figure?

Tried are every tool that computes the measure, and every combination of the conventions that tools
are known to use, on the data at hand. A figure matches where it prints the same at the decimals
that were given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.measures.measure import Measure, find_family, parse
from rankwise.measures.tools.registry import TOOLS, find_tool
from rankwise.measures.values import average, measure_values, refuse_measure

CONVENTIONS: dict[str, tuple[Any, ...]] = {
    "gain": ("exponential", "linear"),
    "discount": ("log2", "letor", "position"),
    "threshold": (1.0, 2.0),
    "empty": (0.0, 1.0, "skip"),
    "short": ("cut", "zero"),
    "ties": ("input", "reversed", "worst", "best", "expected"),
}
_BY_DOCUMENT = ("document-ascending", "document-descending")


@dataclass(frozen=True)
class Match:
    """A way to the figure: a tool, or conventions that are no tool's (tool is None).

    With `complete`, queries that the run lacks count as lists without documents (trec_eval's -c).
    """

    tool: str | None
    measure: Measure
    value: float
    complete: bool = False


# As it stands in a paper: an exponent, nan or a hundred digits stand in none.
_PRINTED = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)", re.ASCII)
_LONGEST = 40


def identify(judged: JudgedScores, name: str, figure: str) -> list[Match]:
    """Everything that prints `figure`: tools first, then conventions, the textbook's nearest."""
    number, decimals = read_printed(figure)
    candidates = [*_tools(judged, name), *_conventions(judged, parse(name))]
    wanted = f"{number:.{decimals}f}"
    return [found for found in candidates if f"{found.value:.{decimals}f}" == wanted]


def read_printed(figure: str) -> tuple[float, int]:
    """The number that a printed figure is, `0.4136` or `43.4%`, and with how many decimals."""
    text = str(figure).strip()
    percent = text.endswith("%")
    text = text.rstrip("% ")
    if len(text) > _LONGEST or not _PRINTED.fullmatch(text):
        raise RankwiseError(f"a printed figure such as 0.4136 is needed, found {figure!r}")
    number = float(text)
    decimals = len(text.partition(".")[2])
    return (number / 100, decimals + 2) if percent else (number, decimals)


def _tools(judged: JudgedScores, name: str) -> Iterator[Match]:
    for tool in TOOLS:
        try:
            result = evaluate(judged, [name], find_tool(tool))[name]
        except RankwiseError:
            continue
        yield Match(tool, result.measure, result.mean)


def _conventions(judged: JudgedScores, measure: Measure) -> Iterator[Match]:
    measures = [
        variant
        for variant in _variants(measure, judged.document_ids is not None)
        if refuse_measure(variant, judged) is None
    ]
    values = measure_values(judged, measures)
    for variant, row in zip(measures, values, strict=True):
        yield Match(None, variant, average(row, variant, judged))


def _variants(measure: Measure, documents: bool) -> list[Measure]:
    """Every combination of conventions, those with few changes from the given measure first."""
    family = find_family(measure.family)
    fields = family.fields
    choices = {
        name: values
        for name, values in CONVENTIONS.items()
        if name in fields and fields[name] is not None and (name != "short" or measure.cutoff)
    }
    if family.denominators:
        choices["denominator"] = family.denominators
    if documents and "ties" in choices:
        choices["ties"] += _BY_DOCUMENT
    if callable(family.compute) and "ties" in choices:
        choices["ties"] = tuple(rule for rule in choices["ties"] if rule != "expected")
    variants = [
        measure.with_fields(**dict(zip(choices, values, strict=True)))
        for values in product(*choices.values())
    ]
    return sorted(dict.fromkeys(variants), key=lambda variant: _changes(measure, variant))


def _changes(one: Measure, other: Measure) -> int:
    fields = find_family(one.family).fields
    return sum(getattr(one, name) != getattr(other, name) for name in fields)
