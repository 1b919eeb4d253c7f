"""The rows of text files: comma- or tab-separated, or one JSON object a line.

The sizes of files, lines and headers are bounded, since files come from anywhere.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable
from rankwise.results.table import COLUMNS, REQUIRED_COLUMNS
from rankwise.results.validation import Record

LARGEST_FILE = 1 << 30
LONGEST_LINE = 1 << 20
MOST_COLUMNS = 10_000

_OLD_MEASURE = "metric"
"""What the column `measure` was called before; files that were written then are still read."""
_ALIASES = {
    "data set": "dataset",
    "data_set": "dataset",
    "measures": "measure",
    _OLD_MEASURE: "measure",
}


def read_csv(path: str | Path, separator: str) -> Iterator[Record]:
    """The rows of a file in long form; its header is checked."""
    lines = read_csv_rows(path, separator)
    line, header = next(lines, (1, []))
    columns = resolve_columns([" ".join(cell.casefold().split()) for cell in header], path, line)
    for line, cells in lines:
        yield Record(line, dict(zip(columns, cells, strict=True)))


def read_csv_rows(path: str | Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The line that each row begins on, and its cells, as many as the header has."""
    reader = csv.reader(_lines(path), delimiter=separator, strict=True)
    width: int | None = None
    line = 1
    try:
        for cells in reader:
            if cells and width is None:
                width = _checked_width(len(cells), path, line)
            if cells and len(cells) != width:
                raise FormatError(
                    f"every row must have the {width} cells of the header, found {len(cells)}",
                    path,
                    line,
                )
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"the row cannot be split into cells: {error}", path, line) from None


def read_json_lines(path: str | Path) -> Iterator[Record]:
    """The rows of a file with one JSON object a line."""
    for line, text in enumerate(_lines(path), start=1):
        if text.strip():
            cells = _json_object(text, path, line)
            columns = resolve_columns(list(cells), path, line)
            yield Record(line, dict(zip(columns, cells.values(), strict=True)))


def resolve_columns(names: Sequence[str], path: str | Path, line: int | None) -> list[str]:
    """The columns of a file by their present names; `metric` is read as `measure`.

    Refuses columns that are missing, unknown or named twice, and a table with both `metric` and
    `measure`, which may disagree.
    """
    if _OLD_MEASURE in names and "measure" in names:
        raise FormatError(
            f"a result table must name its measures in one column, found 'measure' and "
            f"{_OLD_MEASURE!r}, its older name; remove one of them",
            path,
            line,
        )
    found = [_ALIASES.get(name, name) for name in names]
    _check_columns(found, path, line)
    return found


def _check_columns(names: Sequence[str], path: str | Path, line: int | None) -> None:
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise FormatError(
            f"a result table must have the columns {', '.join(REQUIRED_COLUMNS)}; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            f" (is it a wide table of methods by data sets?)",
            path,
            line,
        )
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        near = get_close_matches(unknown[0][:80], COLUMNS, n=1)
        hint = f"did you mean {near[0]}?" if near else "remove it or move it into note"
        raise FormatError(f"there is no column {unknown[0][:80]!r}; {hint}", path, line)
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"the column {twice} must appear once in the header", path, line)


def _checked_width(width: int, path: str | Path, line: int) -> int:
    if width > MOST_COLUMNS:
        raise FormatError(
            f"a table may have at most {MOST_COLUMNS} columns, found {width}", path, line
        )
    return width


def _json_object(text: str, path: str | Path, line: int) -> dict[str, Any]:
    try:
        # Numbers stay as they are written, so that a value is judged once, as a CSV cell is.
        found = json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        reason = "it is nested too deep" if deep else getattr(error, "msg", str(error))
        raise FormatError(f"the line must be one JSON object: {reason}", path, line) from None
    if not isinstance(found, dict):
        raise FormatError("the line must be one JSON object, found another value", path, line)
    wrong = next((name for name, cell in found.items() if not _is_plain(cell)), None)
    if wrong is not None:
        raise FormatError(f"{wrong[:80]!r} must be a text or a number", path, line)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Each name once: Python's reader would take the last of two values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _is_plain(cell: Any) -> bool:
    return cell is None or isinstance(cell, str)


def _lines(path: str | Path) -> Iterator[str]:
    size = 0
    with readable(path) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
            size += len(line)
            if len(line) > LONGEST_LINE or size > LARGEST_FILE:
                raise RankwiseError(
                    f"{path}: a result table may have {LARGEST_FILE >> 20} MB and lines of "
                    f"{LONGEST_LINE >> 20} MB, line {number} goes beyond"
                )
            yield _decoded(line, path, number)


def _decoded(line: bytes, path: str | Path, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the file must be UTF-8 text, found the byte 0x{line[error.start]:02X}; "
            f"save it as UTF-8",
            path,
            number,
            error.start + 1,
        ) from None
