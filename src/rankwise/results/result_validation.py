"""What a result table may contain: every problem of a file is found and named by its row."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from rankwise.errors import RankwiseError, location
from rankwise.measures.measure import family_of, result_name
from rankwise.results.dataset_names import find_spellings
from rankwise.results.result_table import COLUMNS, OPTIONAL_COLUMNS, ResultTable, full_name
from rankwise.sanitize import bounded, visible

LONGEST_NAME = 1_000
LONGEST_REMARK = 20_000
_SHOWN = 20

Kind = Literal["missing", "text", "number", "non-finite", "measure", "range", "duplicate"]


class Record(NamedTuple):
    """One row of a file, not checked yet: the line (or row) it begins on, its cells by column."""

    row: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Problem:
    """What is wrong with one row of a result table, as a sentence."""

    kind: Kind
    row: int
    sentence: str


@dataclass(frozen=True, eq=False)
class Inspection:
    """What a file contains: the rows that can be read as results, and every problem.

    Rows out of range, of an unknown measure or there twice are both in the table and among the
    problems; rows without a finite number or a readable name are only among the problems.
    """

    path: str
    table: ResultTable
    rows: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def spellings(self) -> list[str]:
        """Sentences about data sets that the file names in several ways."""
        return find_spellings(self.table)

    def describe(self, problem: Problem) -> str:
        """The problem's sentence with the file and the row it is about."""
        line = f"{location(self.path, problem.row)}: {problem.sentence}"
        return bounded(visible(line).replace("\n", "\\n"))


class TableError(RankwiseError):
    """A result table cannot be used as it is; the message names the first twenty problems."""

    on_one_line: ClassVar[bool] = False

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection
        shown = [inspection.describe(problem) for problem in inspection.problems[:_SHOWN]]
        rest = len(inspection.problems) - len(shown)
        super().__init__("\n".join([*shown, f"… and {rest} more problems"] if rest else shown))


def inspect_records(records: Iterable[Record], path: str | Path) -> Inspection:
    """Read rows as results; nothing is raised, every problem is collected."""
    problems: list[Problem] = []
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    rows: list[int] = []
    seen: dict[tuple[Any, ...], int] = {}
    for record in records:
        cells = _readable(record, problems)
        if cells is None:
            continue
        _check_range(record.row, cells, problems)
        first = seen.setdefault(_fact(cells), len(rows))
        if first != len(rows):
            problems.append(_duplicate(record.row, cells, rows[first], columns["value"][first]))
        rows.append(record.row)
        for name, column in columns.items():
            column.append(cells[name])
    return Inspection(str(path), ResultTable.from_columns(**columns), tuple(rows), tuple(problems))


def require_valid(inspection: Inspection) -> ResultTable:
    """The table of an inspection that found no problem; raises TableError where it found any."""
    if inspection.problems:
        raise TableError(inspection)
    return inspection.table


def find_problems(table: ResultTable, name: str = "table") -> list[Problem]:
    """Find every problem of a table that was made in memory, by row from 1."""
    records = (Record(row, cells) for row, cells in enumerate(table.rows(), start=1))
    return list(inspect_records(records, name).problems)


def _readable(record: Record, problems: list[Problem]) -> dict[str, Any] | None:
    cells: dict[str, Any] = {}
    before = len(problems)
    for name in COLUMNS:
        cell = record.cells.get(name)
        if cell is None and name in OPTIONAL_COLUMNS:
            cells[name] = None
            continue
        found = _value(cell) if name == "value" else _text(name, cell)
        if isinstance(found, _Refusal):
            problems.append(Problem(found.kind, record.row, found.sentence))
        else:
            cells[name] = found
    if len(problems) > before:
        return None
    cells["measure"] = _measure(record.row, cells["measure"], problems)
    return cells


class _Refusal(NamedTuple):
    kind: Kind
    sentence: str


def _text(name: str, cell: Any) -> str | _Refusal | None:
    if isinstance(cell, str):
        return _short_text(name, cell) if len(cell) <= _SHORT else _judged_text(name, cell)
    if isinstance(cell, int | float | None):
        return _short_text(name, "" if cell is None else str(cell))
    return _Refusal("text", f"a {name} must be text, found a {type(cell).__name__}")


def _judged_text(name: str, cell: str) -> str | _Refusal | None:
    text = cell.strip()
    # A data set may belong to no collection; no other required name may be empty.
    if not text and name in ("dataset", "method", "measure"):
        return _Refusal("missing", f"every result must have a {name}, the cell is empty")
    longest = LONGEST_REMARK if name in ("source", "note") else LONGEST_NAME
    if len(text) > longest:
        return _Refusal(
            "text", f"a {name} may have at most {longest} characters, found {len(text)}"
        )
    wrong = find_unprintable(text)
    if wrong is not None:
        return _Refusal(
            "text", f"a {name} must be printable text, found the character U+{ord(wrong):04X}"
        )
    return None if not text and name in OPTIONAL_COLUMNS else text


# Most rows repeat a few names; long texts are not worth the memory.
_SHORT = 200
_short_text = lru_cache(maxsize=1 << 16)(_judged_text)


def find_unprintable(text: str) -> str | None:
    """The first character of a text that no table may hold."""
    return next((sign for sign in text if _is_unprintable(sign)), None)


def escape_unprintable(text: str) -> str:
    """A text with the code of each character that no table may hold in its place: `\\u000a`."""
    if text.isprintable():
        return text
    return "".join(f"\\u{ord(sign):04x}" if _is_unprintable(sign) else sign for sign in text)


def _is_unprintable(sign: str) -> bool:
    # Escape sequences and changes of writing direction would act on the terminal or the page.
    return not sign.isprintable() and (
        unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(sign) in _DIRECTIONS
    )


_DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


def _value(cell: Any) -> float | _Refusal:
    text = "" if cell is None else str(cell).strip()
    if not text:
        return _Refusal("missing", "every result must have a value, the cell is empty")
    if len(text) > LONGEST_NAME or not _NUMBER.fullmatch(text):
        if _NOT_FINITE.fullmatch(text):
            return _Refusal("non-finite", f"a value must be finite, found {text}")
        hint = "; write a decimal point" if re.fullmatch(r"[0-9]+,[0-9]+", text) else ""
        return _Refusal("number", f"a value must be a number, found {text[:40]!r}{hint}")
    value = float(text)
    if not math.isfinite(value):
        return _Refusal("non-finite", f"a value must be finite, found {text[:40]}")
    return value


def _measure(row: int, name: str, problems: list[Problem]) -> str:
    try:
        return result_name(name)
    except RankwiseError as error:
        problems.append(Problem("measure", row, str(error)))
        return name


def _check_range(row: int, cells: Mapping[str, Any], problems: list[Problem]) -> None:
    try:
        low, high = family_of(cells["measure"]).range
    except RankwiseError:
        return
    value = cells["value"]
    if low <= value <= high:
        return
    percent = high < value <= 100 * high
    hint = "; if the source prints percent, divide by 100" if percent else ""
    problems.append(
        Problem(
            "range",
            row,
            f"{cells['measure']} must lie from {low:g} to {high:g}, "
            f"found {value:g} ({cells['method']} on "
            f"{full_name(cells['collection'], cells['dataset'])}){hint}",
        )
    )


def _fact(cells: Mapping[str, Any]) -> tuple[Any, ...]:
    names = ("version", "fold", "method", "measure", "tool", "source")
    subject = full_name(cells["collection"], cells["dataset"])
    return (subject, *(cells[name] for name in names))


def _duplicate(row: int, cells: Mapping[str, Any], first: int, value: float) -> Problem:
    same = (
        "the same value" if value == cells["value"] else f"{value:g} there, {cells['value']:g} here"
    )
    return Problem(
        "duplicate",
        row,
        f"{cells['measure']} of {cells['method']} on "
        f"{full_name(cells['collection'], cells['dataset'])} must appear once per source, it also "
        f"appears in row {first} ({same}); remove one or name their sources",
    )
