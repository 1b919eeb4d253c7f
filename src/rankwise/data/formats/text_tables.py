"""Tables of text: a header, then a row a document, with commas or tabs between the cells.

A cell that is empty, or NA, NULL, None or NaN in any spelling, is NULL.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import BYTE_ORDER_MARK, compressed_writer, read_bytes
from rankwise.data.formats.data_table import refuse_other_bytes, refuse_texts
from rankwise.data.frames import to_columns
from rankwise.data.table_columns import TEXT_TABLES, find_ending
from rankwise.errors import FormatError, RankwiseError
from rankwise.sanitize import brief

MOST_COLUMNS = 100_000
_ROWS_AT_ONCE = 4096
_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
_MISSING = {"", "na", "n/a", "nan", "null", "none", "\\n"}


@dataclass
class _Numbers:
    """A column so far: its numbers, and the first cell that is none."""

    values: array[float] = field(default_factory=lambda: array("d"))
    any_number: bool = False
    first_text: tuple[int, str] | None = None

    def take(self, cells: tuple[str, ...], lines: list[int]) -> None:
        """Add the cells of further rows, which stand in these lines."""
        # Python reads 1_000 as a number, and nobody else does.
        if "_" not in "".join(cells):
            with contextlib.suppress(ValueError):
                self.values.extend(list(map(float, cells)))
                self.any_number = True
                return
        self.values.extend(
            [self._read(cell, line) for cell, line in zip(cells, lines, strict=True)]
        )

    def _read(self, cell: str, line: int) -> float:
        text = cell.strip()
        if text.lower() in _MISSING:
            return float("nan")
        try:
            if "_" in text:
                raise ValueError
            value = float(text)
        except ValueError:
            self.first_text = self.first_text or (line, text)
            return float("nan")
        self.any_number = True
        return value


class TextTable:
    """A file of comma- or tab-separated cells as a table of which data sets are made."""

    index: Collection[str] = ()

    def __init__(self, path: str | Path) -> None:
        self.where = str(path)
        self._path = path
        self._rows = self._read_rows(TEXT_TABLES[find_ending(path) or ".csv"])
        self._first_line, self.names = next(self._rows, (1, []))
        self.names = [name.strip() for name in self.names]
        self._check_header()
        self.n_rows = 0
        self._texts: dict[str, list[str | None]] = {}
        self._numbers: dict[str, _Numbers] = {}

    def load(self, texts: Collection[str], numbers: Collection[str]) -> None:
        """Read the rows, and keep these columns of them."""
        places = {name: place for place, name in enumerate(self.names)}
        self._texts = {name: [] for name in texts}
        self._numbers = {name: _Numbers() for name in numbers}
        while block := list(islice(self._rows, _ROWS_AT_ONCE)):
            lines = [line for line, _ in block]
            columns = list(zip(*(cells for _, cells in block), strict=True))
            for name, kept in self._texts.items():
                kept.extend(cell.strip() or None for cell in columns[places[name]])
            for name, found in self._numbers.items():
                found.take(columns[places[name]], lines)
            self.n_rows += len(block)

    def read_texts(self, name: str) -> list[str | None]:
        """The cells of a column without blanks around them; an empty one is None."""
        return self._texts[name]

    def read_numbers(self, name: str) -> NDArray[np.float64]:
        """The values of a column; the first cell that is no number is refused with its line."""
        found = self._numbers[name]
        if found.first_text is not None:
            line, text = found.first_text
            error = refuse_texts(name, brief(text))
            raise FormatError(error.message, self._path, line, advice=error.advice)
        return np.frombuffer(found.values, dtype=np.float64)

    def holds_texts(self, name: str) -> bool:
        """Whether there are texts in a column and no number."""
        found = self._numbers[name]
        return found.first_text is not None and not found.any_number

    def refuse(self, error: RankwiseError) -> RankwiseError:
        """The error with the name of the file before it."""
        if isinstance(error, FormatError):
            return error
        return FormatError(error.message, self._path, advice=error.advice)

    def _read_rows(self, separator: str) -> Iterator[tuple[int, list[str]]]:
        """The line that each row begins in, and its cells, as many as the header has."""
        reader = csv.reader(io.StringIO(self._decode(), newline=""), delimiter=separator,
                            strict=True)  # fmt: skip
        width, line = 0, 1
        try:
            for cells in reader:
                if cells:
                    width = width or len(cells)
                    if len(cells) != width:
                        raise FormatError(
                            f"every row must have the {width} cells of the header, found "
                            f"{len(cells)}",
                            self._path,
                            line,
                        )
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            raise FormatError(f"the file must be a table of text ({error})", self._path,
                              line) from error  # fmt: skip

    def _decode(self) -> str:
        content = read_bytes(self._path).removeprefix(BYTE_ORDER_MARK)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise FormatError("the file must be text in UTF-8, found other bytes", self._path,
                              line) from error  # fmt: skip

    def _describe_separator(self) -> str:
        """What seems to stand between the cells where that is not what the ending says."""
        header = "".join(self.names)
        other = next((mark for mark in _SEPARATORS if mark in header), None)
        if len(self.names) != 1 or other is None:
            return ""
        ending = find_ending(self._path) or ".csv"
        fitting = next((end for end, mark in TEXT_TABLES.items() if mark == other), None)
        remedy = f"name the file {fitting}" if fitting else "write it with commas or tabs"
        return (
            f"; a {ending} file has {_SEPARATORS[TEXT_TABLES[ending]]} between its cells, this one "
            f"seems to have {_SEPARATORS[other]}: {remedy}"
        )

    def _check_header(self) -> None:
        counts = Counter(filter(None, self.names))
        twice = next((name for name, count in counts.items() if count > 1), None)
        if twice is not None:
            raise FormatError(
                f"columns must have different names, found {brief(twice)} twice", self._path,
                self._first_line,
            )  # fmt: skip
        if not 1 < len(self.names) <= MOST_COLUMNS:
            raise FormatError(
                f"the first line must name 2 to {MOST_COLUMNS:,} columns, found "
                f"{len(self.names):,}{self._describe_separator()}",
                self._path,
                self._first_line,
            )


def write_text_table(dataset: Dataset, path: str | Path, separator: str) -> None:
    """Write one row per document, with the digits that read back to the same numbers."""
    columns = to_columns(dataset)
    with compressed_writer(path) as stream:
        rows = io.StringIO()
        writer = csv.writer(rows, delimiter=separator, lineterminator="\n")
        writer.writerow(columns)
        for begin in range(0, dataset.n_documents, _ROWS_AT_ONCE):
            pieces = (column[begin : begin + _ROWS_AT_ONCE] for column in columns.values())
            writer.writerows(zip(*(map(_as_cell, piece.tolist()) for piece in pieces), strict=True))
            try:
                stream.write(rows.getvalue().encode())
            except UnicodeEncodeError as error:
                raise refuse_other_bytes(path, error) from error
            rows.seek(0)
            rows.truncate()


def _as_cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else repr(value).removesuffix(".0")
