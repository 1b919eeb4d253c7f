"""The official runs of the benchmarks, against which a study's baselines are held."""

from __future__ import annotations

from collections import defaultdict
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
    """Official values by data set, method and measure.

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
    """Per row its data set's full name, method and measure."""
    columns = (table.dataset_names.tolist(), table.method.tolist(), table.measure.tolist())
    return list(zip(*columns, strict=True))


def printed_decimals(value: float) -> int:
    """How many decimals a value was printed with: those its shortest text needs."""
    text = f"{value:.{_FINEST}f}".rstrip("0")
    return len(text.partition(".")[2])


def units(table: ResultTable) -> list[float]:
    """Per row one unit in the last digit that its source prints.

    The finest value of a source tells, since a value ends in a zero now and then.
    """
    finest: dict[str | None, int] = defaultdict(int)
    for source, value in zip(table.source, table.value.tolist(), strict=True):
        finest[source] = max(finest[source], printed_decimals(value))
    return [float(10.0 ** -finest[source]) for source in table.source]


def _values(table: ResultTable) -> dict[Cell, Official]:
    return {
        cell: Official(value, unit, source or "official run")
        for cell, value, unit, source in zip(
            cells(table), table.value.tolist(), units(table), table.source.tolist(), strict=True
        )
    }
