"""The official runs of the benchmarks, with which a study's baselines are compared."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.literature.shipped import read_shipped
from rankwise.results.precision import find_units
from rankwise.results.table import ResultTable

FINEST = 6

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
    return {**_values(own), **_values(reprinted)}


def is_official(source: str | None) -> bool:
    """Whether the name of a source contains the word official."""
    return source is not None and "official" in source.casefold()


def name_cells(table: ResultTable) -> list[Cell]:
    """For each row the full name of its data set, its method and its measure."""
    columns = (table.dataset_names.tolist(), table.method.tolist(), table.measure.tolist())
    return list(zip(*columns, strict=True))


def _values(table: ResultTable) -> dict[Cell, Official]:
    return {
        cell: Official(value, unit, source or "official run")
        for cell, value, unit, source in zip(
            name_cells(table),
            table.value.tolist(),
            find_units(table, FINEST).tolist(),
            table.source.tolist(),
            strict=True,
        )
    }
