"""Why tools differ on the same scores, and which of them gives a printed figure.

The difference of two tools' means is split exactly into what causes it. Every convention belongs to
one axis. With v(S) the mean when the axes in S follow the second tool and all others the first, the
part of axis i is its Shapley value

    part_i = sum over S without i of |S|! (p - |S| - 1)! / p! (v(S + i) - v(S))

over the p axes on which the tools differ: the mean of what i changes over all orders in which one
could go from one tool to the other. No order is preferred, and the parts add up to the difference.

To find what gives a printed figure, every tool that computes the measure is tried, and every
combination of the conventions that tools are known to use, on the data at hand. A figure matches
where it prints the same at the decimals that were given.

Shapley, in Contributions to the Theory of Games II, 1953.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import factorial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.evaluation_input import Given, HowJudged
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.measure import Measure, find_family, parse
from rankwise.measures.tool import Tool, ToolRefusal
from rankwise.measures.tools.registry import TOOLS, find_tool
from rankwise.measures.values import average, measure_values, refuse_measure
from rankwise.tables.notebook import Rows, Tabular, shortened


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


AXES = (
    "gain",
    "discount",
    "ideal list",
    "threshold",
    "empty queries",
    "short queries",
    "ties",
    "cut-off",
    "averaging",
    "reading",
)


@dataclass(frozen=True)
class Mover:
    """A query whose value differs between the tools, and the split of that difference.

    A value is None where the tool has none for the query; it counts as 0 in the split.
    """

    query: str
    first: float | None
    second: float | None
    parts: dict[str, float]


@dataclass(frozen=True)
class Explanation(Tabular):
    """The difference `second_value - first_value`, split by axis; `parts` add up to it.

    `conventions` says for each axis that differs what either tool does. `movers` are the queries
    that move most.
    """

    measure: str
    first: str
    second: str
    first_value: float
    second_value: float
    parts: dict[str, float]
    conventions: dict[str, tuple[str, str]]
    movers: tuple[Mover, ...]

    @property
    def difference(self) -> float:
        """What is to be explained."""
        return self.second_value - self.first_value

    def __repr__(self) -> str:
        return shortened(
            f"{self.measure}: {self.first} {self.first_value:.4f}, {self.second} "
            f"{self.second_value:.4f}, difference {self.difference:+.4f}"
        )

    def _table(self) -> Rows:
        return ("due to", "part", self.first, self.second), [
            (axis, part, *self.conventions.get(axis, ("same", "same")))
            for axis, part in self.parts.items()
        ]


def explain_judged(
    judged: JudgedScores, measure: str, first: Tool, second: Tool, *, movers: int = 10
) -> Explanation:
    """Split the difference between two tools' means of one measure; `movers` queries are shown."""
    sides = (_side(judged, measure, first), _side(judged, measure, second))
    _check_families(measure, *sides)
    players = [axis for axis in AXES if _differs(axis, *sides)]
    game = _Game(sides, players)
    _check_means(game, players, sides)
    return Explanation(
        measure,
        first.name,
        second.name,
        game.mean(frozenset()),
        game.mean(frozenset(players)),
        {**dict.fromkeys(AXES, 0.0), **_shapley(players, game.mean)},
        {
            axis: (_describe_difference(axis, sides[0]), _describe_difference(axis, sides[1]))
            for axis in players
        },
        _movers(game, players, movers),
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """One tool's view: the data as it reads them, and its measure."""

    tool: Tool
    seen: JudgedScores
    names: list[str]
    measure: Measure


def _side(judged: JudgedScores, name: str, tool: Tool) -> _Side:
    seen = tool.read(judged)
    measure = tool.measure(name)
    reason = tool.measure_refusal(measure, seen) or refuse_measure(measure, seen)
    if reason is not None:
        raise ToolRefusal(f"{tool.name}: {reason}")
    return _Side(tool, seen, tool.query_names(seen), measure)


def _check_families(name: str, one: _Side, other: _Side) -> None:
    if one.measure.family != other.measure.family:
        raise RankwiseError(
            f"{name!r} must be the same measure for both tools, found {one.measure} for "
            f"{one.tool.name} and {other.measure} for {other.tool.name}"
        )


def _check_means(game: _Game, players: Sequence[str], sides: tuple[_Side, _Side]) -> None:
    for side, coalition in zip(sides, (frozenset[str](), frozenset(players)), strict=True):
        if not game.has_figure(coalition):
            raise ToolRefusal(f"{side.tool.name} has no figure: it leaves out every query")


def _fields(axis: str, family: str) -> tuple[str, ...]:
    """The fields of a measure that belong to an axis.

    A table of labels limits gains in measures that have gains, and relevance in the others. The
    divisor of P at a cut-off matters for short queries only; that of AP is its ideal.
    """
    found = find_family(family)
    graded = "gain" in found.fields
    ideal_divisor = "relevant" in found.denominators
    return {
        "gain": ("gain", "highest", "table") if graded else (),
        "discount": ("discount",),
        "ideal list": ("denominator",) if ideal_divisor else (),
        "threshold": ("threshold", "strict") if graded else ("threshold", "strict", "table"),
        "empty queries": ("empty",),
        "short queries": ("short",) if ideal_divisor else ("short", "denominator"),
        "ties": ("ties", "comparison"),
        "cut-off": ("cutoff", "level", "level_rule", "persistence"),
        "averaging": ("average", "rounding"),
        "reading": (),
    }[axis]


def _differs(axis: str, one: _Side, other: _Side) -> bool:
    fields = _fields(axis, one.measure.family)
    if any(getattr(one.measure, name) != getattr(other.measure, name) for name in fields):
        return True
    if axis == "ideal list":
        return one.tool.first_ideal != other.tool.first_ideal
    if axis == "empty queries":
        return not _same_number(one.tool.nothing, other.tool.nothing)
    if axis == "averaging":
        return _averaging(one.tool) != _averaging(other.tool)
    return axis == "reading" and not _same_data(one, other)


def _same_number(one: float, other: float) -> bool:
    return one == other or (one != one and other != other)


def _averaging(tool: Tool) -> tuple[Any, ...]:
    return tool.skipped, tool.regroup


def _same_data(one: _Side, other: _Side) -> bool:
    return (
        one.names == other.names
        and np.array_equal(one.seen.query_offsets, other.seen.query_offsets)
        and np.array_equal(one.seen.labels, other.seen.labels, equal_nan=True)
        and np.array_equal(one.seen.scores, other.seen.scores)
        and (one.seen.ideal_labels is None) == (other.seen.ideal_labels is None)
    )


class _Game:
    """v(S): the figures when the axes in S follow the second side."""

    def __init__(self, sides: tuple[_Side, _Side], players: Sequence[str]) -> None:
        self._sides = sides
        self._values: dict[tuple[int, int, Measure], NDArray[np.float64]] = {}
        self._compute(list(_coalitions(players)))

    def mean(self, coalition: frozenset[str]) -> float:
        """The mean over queries; where all are left out, what the chosen side says of nothing.

        A mixture of both sides that no tool computes may leave out every query and say nothing of
        it: it counts as 0. That a tool itself has no figure is refused before (`_check_means`).
        """
        mean = self._mean_or_nothing(coalition)
        return 0.0 if mean != mean else mean

    def has_figure(self, coalition: frozenset[str]) -> bool:
        """Whether there is a mean, or a figure that stands for none."""
        mean = self._mean_or_nothing(coalition)
        return mean == mean

    def _mean_or_nothing(self, coalition: frozenset[str]) -> float:
        _, values, measure, seen = self._averaged(coalition)
        mean = average(values, measure, seen)
        return self._chosen("empty queries", coalition).tool.nothing if mean != mean else mean

    def by_query(self, coalition: frozenset[str]) -> dict[str, float]:
        """The value of every query that has one; one that only counts as 0 has none."""
        names, values, _, _ = self._averaged(coalition)
        pairs = zip(names, values.tolist(), strict=True)
        return {name: value for name, value in pairs if value == value and value != -np.inf}

    def _averaged(
        self, coalition: frozenset[str]
    ) -> tuple[list[str], NDArray[np.float64], Measure, JudgedScores]:
        key = self._key(coalition)
        side = self._sides[key[0]]
        tool = self._chosen("averaging", coalition).tool
        names, values, measure = side.names, self._values[key], key[2]
        skipped = tool.skipped(measure, side.seen)
        if skipped is not None:
            values = np.where(skipped, np.nan, values)
        if tool.regroup is not None:
            names, values = tool.regroup(measure, names, values)
        return names, values, measure, side.seen

    def _compute(self, coalitions: Sequence[frozenset[str]]) -> None:
        """All values that are needed, one pass for each way to read and to take the ideal."""
        wanted: dict[tuple[int, int], dict[Measure, None]] = {}
        for coalition in coalitions:
            reading, ideal, measure = self._key(coalition)
            wanted.setdefault((reading, ideal), {})[measure] = None
        for (reading, ideal), measures in wanted.items():
            seen = self._sides[reading].seen
            ideal_of = self._sides[ideal].tool.ideal_of(seen)
            values = measure_values(seen, list(measures), ideal_of)
            for measure, row in zip(measures, values, strict=True):
                self._values[reading, ideal, measure] = row

    def _key(self, coalition: frozenset[str]) -> tuple[int, int, Measure]:
        reading = int("reading" in coalition)
        ideal = int("ideal list" in coalition)
        return reading, ideal, self._measure(coalition)

    def _measure(self, coalition: frozenset[str]) -> Measure:
        first, second = (side.measure for side in self._sides)
        moved = [name for axis in coalition for name in _fields(axis, first.family)]
        return replace(first, **{name: getattr(second, name) for name in moved})

    def _chosen(self, axis: str, coalition: frozenset[str]) -> _Side:
        return self._sides[int(axis in coalition)]


def _coalitions(players: Sequence[str]) -> Iterator[frozenset[str]]:
    for size in range(len(players) + 1):
        for chosen in combinations(players, size):
            yield frozenset(chosen)


def _shapley(players: Sequence[str], value: Callable[[frozenset[str]], float]) -> dict[str, float]:
    values = {coalition: value(coalition) for coalition in _coalitions(players)}
    count = len(players)
    parts = dict.fromkeys(players, 0.0)
    for coalition, before in values.items():
        size = len(coalition)
        if size < count:
            weight = factorial(size) * factorial(count - size - 1) / factorial(count)
            for axis in players:
                if axis not in coalition:
                    parts[axis] += weight * (values[coalition | {axis}] - before)
    return parts


def _movers(game: _Game, players: Sequence[str], count: int) -> tuple[Mover, ...]:
    """The queries with the largest difference, each split as the mean is."""
    first, second = game.by_query(frozenset()), game.by_query(frozenset(players))
    names = list(dict.fromkeys([*first, *second]))
    moves = {name: second.get(name, 0.0) - first.get(name, 0.0) for name in names}
    chosen = sorted((name for name in names if moves[name]), key=lambda name: -abs(moves[name]))
    tables = {coalition: game.by_query(coalition) for coalition in _coalitions(players)}

    def mover(name: str) -> Mover:
        parts = _shapley(players, lambda coalition: tables[coalition].get(name, 0.0))
        return Mover(name, first.get(name), second.get(name), parts)

    return tuple(mover(name) for name in chosen[:count])


def _describe_difference(axis: str, side: _Side) -> str:
    """What a side does on an axis, in a few words."""
    measure, tool = side.measure, side.tool
    if axis == "reading":
        return f"queries {tool.queries}, documents {tool.documents}"
    if axis == "ideal list" and not _fields(axis, measure.family):
        return "of the id's first run" if tool.first_ideal else "of the query itself"
    words = []
    for name in _fields(axis, measure.family):
        value = getattr(measure, name)
        if value is not None and name != "strict":
            sign = ">" if name == "threshold" and measure.strict else ""
            words.append(
                f"{name}={sign}{value:g}" if isinstance(value, float) else f"{name}={value}"
            )
    return ", ".join(words) or "none"


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
_LONGEST_PRINTED = 40


def identify_judged(judged: JudgedScores, name: str, figure: str) -> list[Match]:
    """Everything that prints `figure`: tools first, then conventions, the textbook's nearest."""
    number, decimals = read_printed(figure)
    candidates = [*_match_tools(judged, name), *_conventions(judged, parse(name))]
    wanted = f"{number:.{decimals}f}"
    return [found for found in candidates if f"{found.value:.{decimals}f}" == wanted]


def read_printed(figure: str) -> tuple[float, int]:
    """The number that a printed figure is, `0.4136` or `43.4%`, and with how many decimals."""
    text = str(figure).strip()
    percent = text.endswith("%")
    text = text.rstrip("% ")
    if len(text) > _LONGEST_PRINTED or not _PRINTED.fullmatch(text):
        raise RankwiseError(f"a printed figure such as 0.4136 is needed, found {figure!r}")
    number = float(text)
    decimals = len(text.partition(".")[2])
    return (number / 100, decimals + 2) if percent else (number, decimals)


def _match_tools(judged: JudgedScores, name: str) -> Iterator[Match]:
    for tool in TOOLS:
        try:
            result = evaluate_judged(judged, [name], find_tool(tool))[name]
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
