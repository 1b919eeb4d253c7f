"""One measure, data set or study left out at a time, as one table: Table 4 and Figure 6.

Tax, Bockting and Hiemstra (2015), section 5, print the Pareto optimal methods without one measure
(Table 4) and draw them without one data set (Figure 6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwise.comparison.pareto import find_front
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.sensitivity import (
    WithoutOne,
    leave_out_each_dataset,
    leave_out_each_measure,
    leave_out_each_study,
)
from rankwise.errors import RankwiseError
from rankwise.tabular import Rows, Tabular

Part = Literal["measure", "dataset", "study"]

_LEAVING: dict[str, Callable[[Comparison], list[WithoutOne]]] = {
    "measure": leave_out_each_measure,
    "dataset": leave_out_each_dataset,
    "study": leave_out_each_study,
}
PARTS: tuple[Part, ...] = ("measure", "dataset", "study")


@dataclass(frozen=True)
class LeftOutNumber:
    """A method's numbers without one part, and whether it is then on the front of NWN and IWN.

    `left_out` is None for the numbers with everything. `change` is what NWN gains.
    """

    method: str
    left_out: str | None
    wn: int
    iwn: int
    nwn: float | None
    change: float | None
    pareto: bool


@dataclass(frozen=True)
class Sensitivity(Tabular):
    """How a ranking moves without one part: the numbers of methods, and the front without each.

    `numbers` has for every method first its number with everything and then those that change.
    `fronts` are by what is left out, best NWN first, of all methods.
    """

    part: Part
    numbers: tuple[LeftOutNumber, ...]
    front: tuple[str, ...]
    fronts: dict[str, tuple[str, ...]]

    def __repr__(self) -> str:
        moved = sum(set(front) != set(self.front) for front in self.fronts.values())
        return (
            f"Sensitivity(each {self.part} left out: {len(self.fronts)} times, another front "
            f"{moved} times)"
        )

    def describe(self) -> list[str]:
        """A sentence for each part without which the front is another."""
        sentences = []
        for name, front in self.fronts.items():
            joined = [method for method in front if method not in self.front]
            left = [method for method in self.front if method not in front]
            moves = [f"{', '.join(joined)} on the front"] if joined else []
            moves += [f"{', '.join(left)} off the front"] if left else []
            if moves:
                sentences.append(f"without {name}: {'; '.join(moves)}")
        return sentences

    def _table(self) -> Rows:
        columns = ("method", "left_out", "wn", "iwn", "nwn", "change", "pareto")
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.numbers)


def leave_out(
    comparison: Comparison, part: Part, methods: Sequence[str] | None = None
) -> Sensitivity:
    """Leave out each measure, data set or study in turn, and compare what remains.

    Told are the named methods, by default those on the Pareto front, with the parts in which they
    have results; where a study is left out, with those that change their numbers.
    """
    if part not in _LEAVING:
        raise RankwiseError(f"left out can be one {', '.join(PARTS)}; found {part!r}")
    chosen = list(comparison.front() if methods is None else methods)
    unknown = next((name for name in chosen if name not in comparison.by_method), None)
    if unknown is not None:
        raise RankwiseError(f"there is no method {unknown!r} with a place in this comparison")
    without: dict[str, list[WithoutOne]] = {}
    for one in _LEAVING[part](comparison):
        without.setdefault(one.left_out, []).append(one)
    fronts = {name: _front(comparison, ones) for name, ones in without.items()}
    numbers = [
        number for method in chosen for number in _numbers(comparison, method, without, fronts)
    ]
    return Sensitivity(part, tuple(numbers), comparison.front(), fronts)


def _front(comparison: Comparison, ones: Sequence[WithoutOne]) -> tuple[str, ...]:
    placed = [(one.method, one.iwn, one.nwn) for one in ones if one.nwn is not None]
    placed.sort(key=lambda one: (-one[2], -one[1], one[0]))
    iwn = np.array([one[1] for one in placed], dtype=np.float64)
    nwn = np.array([one[2] for one in placed], dtype=np.float64)
    free = find_front(iwn, nwn, comparison.dominance)
    return tuple(placed[i][0] for i in np.flatnonzero(free).tolist())


def _numbers(
    comparison: Comparison,
    method: str,
    without: dict[str, list[WithoutOne]],
    fronts: dict[str, tuple[str, ...]],
) -> list[LeftOutNumber]:
    whole = comparison.by_method[method]
    found = [LeftOutNumber(method, None, whole.wn, whole.iwn, whole.nwn, None, whole.pareto)]
    for name, ones in without.items():
        for one in ones:
            if one.method == method and one.affected:
                change = None if one.nwn is None else one.nwn - whole.nwn
                pareto = method in fronts[name]
                found.append(LeftOutNumber(method, name, one.wn, one.iwn, one.nwn, change, pareto))
    return found
