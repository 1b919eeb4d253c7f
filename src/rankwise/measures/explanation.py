"""Why two tools differ: the difference of their means, split exactly into what causes it.

Every convention belongs to one axis. With v(S) the mean when the axes in S follow the second tool
and all others the first, the part of axis i is its Shapley value

    part_i = sum over S without i of |S|! (p - |S| - 1)! / p! (v(S + i) - v(S))

over the p axes on which the tools differ: the mean of what i changes over all orders in which one
could go from one tool to the other. No order is preferred, and the parts add up to the difference.

Shapley, in Contributions to the Theory of Games II, 1953.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure, find_family
from rankwise.measures.reading import ToolRefusal
from rankwise.measures.tool import Tool
from rankwise.measures.values import average, measure_values, refuse_measure
from rankwise.tables.notebook import Rows, Tabular, shortened

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


def explain(
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
        {axis: (_told(axis, sides[0]), _told(axis, sides[1])) for axis in players},
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


def _told(axis: str, side: _Side) -> str:
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
