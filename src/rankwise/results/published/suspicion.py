"""What a check of published results may find, and the official runs it compares them with.

The baselines of a study are compared with the official runs of the benchmarks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from rankwise.results.comparability import find_units
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_table import ResultTable

SuspicionKind = Literal[
    "other protocol",
    "other task",
    "altered data set",
    "no exact figures",
    "other measure",
    "baseline higher",
    "no baseline",
    "official figure differs",
    "value twice",
    "rows identical",
    "far off",
]

REASONS: dict[SuspicionKind, int] = {
    "other protocol": 1,
    "other task": 2,
    "altered data set": 3,
    "no exact figures": 4,
    "other measure": 5,
    "baseline higher": 6,
    "no baseline": 7,
}
"""The reasons for which Tax et al. (2015, section 2.1) left studies out, by their numbers."""


@dataclass(frozen=True)
class Suspicion:
    """A reason to check the source: its kind, the rows it concerns (from 0), and a sentence."""

    kind: SuspicionKind
    rows: tuple[int, ...]
    sentence: str

    @property
    def reason(self) -> int | None:
        """The number of the reason in the paper; None for a likely error that is none of them."""
        return REASONS.get(self.kind)


FINEST_PRINT = 6

Cell = tuple[str, str, str]


class Official(NamedTuple):
    """An official value, the unit of its last printed digit, and where it is from."""

    value: float
    unit: float
    source: str


def find_official_values(table: ResultTable) -> dict[Cell, Official]:
    """Official values by data set, method and measure.

    These are the LETOR baselines reprinted by Jiang and Lin (2014), and in addition the rows of
    `table` whose source is called official.
    """
    reprinted = read_shipped().where(method=lambda method: not method.startswith("DEARank"))
    own = table.where(source=is_official)
    return {**_collect_values(own), **_collect_values(reprinted)}


def is_official(source: str | None) -> bool:
    """Whether the name of a source contains the word official."""
    return source is not None and "official" in source.casefold()


def name_cells(table: ResultTable) -> list[Cell]:
    """For each row the full name of its data set, its method and its measure."""
    columns = (table.dataset_names.tolist(), table.method.tolist(), table.measure.tolist())
    return list(zip(*columns, strict=True))


def _collect_values(table: ResultTable) -> dict[Cell, Official]:
    return {
        cell: Official(value, unit, source or "official run")
        for cell, value, unit, source in zip(
            name_cells(table),
            table.value.tolist(),
            find_units(table, FINEST_PRINT).tolist(),
            table.source.tolist(),
            strict=True,
        )
    }
