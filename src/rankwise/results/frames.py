"""Results in data frames of pandas or polars, as rows to be checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankwise.results.records import resolve_columns
from rankwise.results.validation import Record

_LIBRARIES = ("pandas", "polars")
_NAME = "the data frame"


def is_frame(source: Any) -> bool:
    """Whether `source` is a data frame of pandas or polars; neither is imported to find out."""
    kind = type(source)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] in _LIBRARIES


def read_frame(frame: Any) -> Iterator[Record]:
    """The rows of a frame, counted from 1; a missing cell, None or NaN, is one not given."""
    names = [str(name) for name in frame.columns]
    columns = resolve_columns(names, _NAME, None)
    cells = [frame[name].to_list() for name in frame.columns]
    for row, values in enumerate(zip(*cells, strict=True), start=1):
        yield Record(row, {name: _cell(name, c) for name, c in zip(columns, values, strict=True)})


def _cell(column: str, cell: Any) -> Any:
    # NaN, and pandas' NaT and NA, are the only values that do not equal themselves.
    try:
        given = bool(cell == cell)
    except TypeError:
        given = False
    if not given:
        return None
    # pandas makes floats of the numbers of folds where one of them is missing.
    if column != "value" and isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell
