"""Frames of pandas and polars as tables of which data sets are made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.arrays import is_missing
from rankwise.data.formats.table import is_number
from rankwise.data.frames import name_columns, number_column
from rankwise.errors import RankwiseError


def is_frame(given: object) -> bool:
    """Whether this is a frame of pandas or polars, of which neither is imported to know it."""
    kind = type(given)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] in ("pandas", "polars")


class FrameTable:
    """The columns of a frame; the index of one of pandas is none of them."""

    where = "the frame"
    index: Collection[str] = ()

    def __init__(self, frame: Any) -> None:
        self._columns = name_columns(frame)
        self.names = list(self._columns)
        self.n_rows = len(frame)

    def load(self, texts: Collection[str], numbers: Collection[str]) -> None:
        """Nothing: all columns are there."""

    def read_texts(self, name: str) -> list[Any]:
        """The values of a column."""
        return list(self._columns[name])

    def read_numbers(self, name: str) -> NDArray[np.float64]:
        """The values of a column as doubles; dates, times and texts are refused."""
        return number_column(self._columns[name], name)

    def holds_texts(self, name: str) -> bool:
        """Whether a column is of texts, and none of them is a number."""
        column = self._columns[name]
        if str(column.dtype) not in (
            "object",
            "str",
            "string",
            "String",
            "category",
            "Categorical",
        ):
            return False
        found = [value for value in column if not is_missing(value)]
        return bool(found) and all(isinstance(one, str) and not is_number(one) for one in found)

    def refuse(self, error: RankwiseError) -> RankwiseError:
        """The error as it is: a frame has no place."""
        return error
