"""Wide tables, as papers print them: values of one measure, methods by data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rankwise.data.catalog.published import list_collections
from rankwise.errors import FormatError
from rankwise.measures.names import result_name
from rankwise.results.records import read_csv_rows
from rankwise.results.validation import Record

_NOTHING = {"", "-", "–", "—", "na", "n/a", "none", "nan", "?"}


@dataclass(frozen=True)
class WideLayout:
    """How to read a wide table.

    Attributes:
        measure: the one measure of all its values.
        collection: the collection of all its data sets; where empty, a data set's own name tells
            ("LETOR 3.0 TD2004" is TD2004 of LETOR 3.0), or it belongs to none.
        rows: whether a row is a method (columns are data sets) or a data set.
        source: what to name as the source of the rows.
    """

    measure: str
    collection: str = ""
    rows: Literal["method", "dataset"] = "method"
    source: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", result_name(self.measure))


def read_wide(path: str | Path, separator: str, layout: WideLayout) -> Iterator[Record]:
    """One record for each filled cell; empty cells, dashes and "n/a" are missing results."""
    lines = read_csv_rows(path, separator)
    line, header = next(lines, (1, []))
    _check_header(header, path, line)
    for line, (label, *cells) in lines:
        for column, cell in zip(header[1:], cells, strict=True):
            if cell.strip().casefold() not in _NOTHING:
                method, dataset = (label, column) if layout.rows == "method" else (column, label)
                yield Record(line, _result(method, dataset, cell, layout))


def split_dataset(name: str) -> tuple[str, str]:
    """Collection and data set of a full name: ("LETOR 3.0", "TD2004"); ("", name) if unknown."""
    for collection in list_collections():
        if name.startswith(f"{collection} ") and name.removeprefix(collection).strip():
            return collection, name.removeprefix(collection).strip()
    return "", name


def _result(method: str, dataset: str, cell: str, layout: WideLayout) -> dict[str, str | None]:
    collection, name = (layout.collection, dataset.strip())
    if not collection:
        collection, name = split_dataset(name)
    return {
        "collection": collection,
        "dataset": name,
        "method": method,
        "measure": layout.measure,
        "value": cell,
        "source": layout.source,
    }


def _check_header(header: list[str], path: str | Path, line: int) -> None:
    names = [cell.strip() for cell in header]
    if len(names) < 2:
        raise FormatError(
            "a wide table must have a column of names and at least one column of values", path, line
        )
    empty = next((number for number, name in enumerate(names) if number and not name), None)
    if empty is not None:
        raise FormatError("every column of a wide table must be named", path, line, empty + 1)
    twice = next((name for name in names[1:] if names[1:].count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"the column {twice!r} must appear once in the header", path, line)
