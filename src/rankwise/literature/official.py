"""The official runs of the benchmarks, against which a study's baselines are held."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.literature.shipped import shipped
from rankwise.results.table import ResultTable

_FINEST = 6

Cell = tuple[str, str, str]


class Official(NamedTuple):
    """An official value, the unit of its last printed digit, and where it is from."""

    value: float
    unit: float
    source: str


def official_values(table: ResultTable) -> dict[Cell, Official]:
    """Official values by data set, method and metric.

    Those are the LETOR baselines reprinted by Jiang and Lin (2014), and beyond them the rows of
    `table` whose source calls itself official.
    """
    reprinted = shipped().where(method=lambda method: not method.startswith("DEARank"))
    own = table.where(source=is_official)
    return {**_values(own), **_values(reprinted)}


def is_official(source: str | None) -> bool:
    """Whether a source calls itself official."""
    return source is not None and "official" in source.casefold()


def cells(table: ResultTable) -> list[Cell]:
    """Per row its data set's full name, method and metric."""
    columns = (table.dataset_names.tolist(), table.method.tolist(), table.metric.tolist())
    return list(zip(*columns, strict=True))


def printed_decimals(value: float) -> int:
    """How many decimals a value was printed with: those its shortest text needs."""
    text = f"{value:.{_FINEST}f}".rstrip("0")
    return len(text.partition(".")[2])


def unit(value: float) -> float:
    """One unit in the last printed digit."""
    return float(10.0 ** -printed_decimals(value))


def _values(table: ResultTable) -> dict[Cell, Official]:
    return {
        cell: Official(value, unit(value), source or "official run")
        for cell, value, source in zip(
            cells(table), table.value.tolist(), table.source.tolist(), strict=True
        )
    }
