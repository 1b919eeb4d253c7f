"""What laying holes over a dense table found: the facts, and what they say in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankwise.comparison.recovery_summary import Recovery, RecoveryStep
from rankwise.tables.notebook import Rows, Tabular

Kind = Literal["laid", "random"]
KINDS: tuple[Kind, ...] = ("laid", "random")
LEAST_COVERAGE = 0.9

_WHERE = {"laid": "under the pattern", "random": "under random patterns of its margins"}


@dataclass(frozen=True)
class TrueMethod:
    """A method by the dense table: NWN, mean value, and whether it is level with the best."""

    method: str
    nwn: float
    mean_value: float
    level_with_best: bool


@dataclass(frozen=True)
class HoleStudy(Tabular):
    """How well each estimator recovers the dense order under the holes of a pattern.

    Attributes:
        pattern: the name of the pattern.
        truth: the methods by the dense table, best NWN first.
        datasets: those of the dense table that are compared; `measures` are the measures.
        filled: the share of the dense cells that the laid pattern fills, in the mean of all draws.
        results: how many results a method has that has any, in the mean of the same draws.
        recoveries: one for each kind of pattern and estimator: `laid` is the pattern itself,
            `random` has its margins (see `shuffle_holes`).
        steps: the same by the number of results that a method has.
        draws: how many were asked for; `seed` and `confidence` too are as asked for.
        remarks: sentences about what was done and what was left out.
    """

    pattern: str
    truth: tuple[TrueMethod, ...]
    datasets: tuple[str, ...]
    measures: tuple[str, ...]
    filled: float
    results: float
    recoveries: tuple[Recovery, ...]
    steps: tuple[RecoveryStep, ...]
    draws: int
    seed: int
    confidence: float
    remarks: tuple[str, ...]

    def of_kind(self, kind: Kind) -> tuple[Recovery, ...]:
        """The estimators under one kind of pattern, in the order of the registry."""
        return tuple(one for one in self.recoveries if one.pattern == kind)

    def describe(self) -> list[str]:
        """What the figures say, in sentences."""
        said = []
        for kind in KINDS:
            found = self.of_kind(kind)
            said.append(f"{_WHERE[kind]}, {_describe_best(found)}")
            short = [one for one in found if (one.coverage or 1.0) < LEAST_COVERAGE]
            if short:
                named = ", ".join(f"{one.estimator} {one.coverage:.2f}" for one in short)
                claimed, least = 100 * self.confidence, 100 * LEAST_COVERAGE
                said.append(
                    f"{_WHERE[kind]}, intervals that claim {claimed:g} % hold what the dense "
                    f"table says less than {least:g} % of the time: {named}"
                )
        return said

    def __repr__(self) -> str:
        taus = ", ".join(f"{one.estimator} {one.kendall:.3f}" for one in self.of_kind("laid"))
        return (
            f"HoleStudy({len(self.truth)} methods, {len(self.datasets)} data sets, "
            f"{self.filled:.0%} filled; τ: {taus})"
        )

    def _table(self) -> Rows:
        columns = tuple(Recovery.__dataclass_fields__)
        return columns, (tuple(getattr(one, name) for name in columns) for one in self.recoveries)


def _describe_best(found: tuple[Recovery, ...]) -> str:
    nwn = next(one for one in found if one.estimator == "nwn")
    best = max(found, key=lambda one: one.kendall)
    start = f"NWN recovers the dense order with a mean Kendall's τ of {nwn.kendall:.2f}"
    if best is nwn:
        return f"{start}, and no other estimator comes nearer"
    nearest = f"{start}; {best.estimator} comes nearest with {best.kendall:.2f}"
    if best.draws == 1:
        return f"{nearest}, in a single draw"
    return (
        f"{nearest}, {best.gain:.3f} ± {1.96 * best.gain_error:.3f} more on the same "
        f"{best.draws} draws"
    )
