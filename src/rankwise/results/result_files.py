"""Files of result tables: CSV, TSV, JSON lines and Parquet, in long form, written and read.

Rows are read as records to be checked (`result_validation`): of comma- or tab-separated text, of
one JSON object a line, of Parquet, which needs pyarrow, of data frames of pandas or polars, and of
wide tables, as papers print them: values of one measure, methods by data sets. The sizes of files,
lines and headers are bounded, since files come from anywhere.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, Literal

from rankwise.data.catalog.entries import list_collections
from rankwise.data.formats.arrow_tables import load_for_arrow
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.files import readable, write_text, written_whole
from rankwise.measures.measure import result_name
from rankwise.results.result_table import COLUMNS, REQUIRED_COLUMNS, ResultTable
from rankwise.results.result_validation import Record, find_unprintable
from rankwise.sanitize import cut


def write_results(table: ResultTable, path: str | Path) -> None:
    """Write `table` in the format that the ending of `path` names, whole or not at all.

    Numbers are written so that they are read back exactly. Texts are written as they are: a
    method named `=1+1` is a text here, though a spreadsheet may take it for a formula. Texts that
    `read_results` would refuse are refused here.
    """
    _check_texts(table, path)
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        with written_whole(path) as stream:
            write_parquet(table, stream)
        return
    writers = {".csv": format_csv, ".tsv": format_tsv, ".jsonl": format_json_lines}
    if ending not in writers:
        raise refuse_ending(path)
    write_text(path, writers[ending](table))


def _check_texts(table: ResultTable, path: str | Path) -> None:
    for name in table.columns:
        if name == "value":
            continue
        for text in dict.fromkeys(getattr(table, name).tolist()):
            wrong = None if text is None else find_unprintable(text)
            if wrong is not None:
                raise RankwiseError(
                    f"{path}: a {name} must be printable text, found the character "
                    f"U+{ord(wrong):04X} in {text[:80]!r}; give it another name"
                )


def refuse_ending(path: str | Path) -> RankwiseError:
    """The error about a file whose ending names no format of result tables."""
    return RankwiseError(
        f"{path}: a result table must end in .csv, .tsv, .jsonl or .parquet "
        f"(a wide table in .csv or .tsv)"
    )


def format_csv(table: ResultTable) -> str:
    """The table as comma-separated values with a header."""
    return _format_separated(table, ",")


def format_tsv(table: ResultTable) -> str:
    """The table as tab-separated values with a header."""
    return _format_separated(table, "\t")


def format_json_lines(table: ResultTable) -> str:
    """The table as one JSON object a line."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows())
    return "".join(f"{line}\n" for line in lines)


def _format_separated(table: ResultTable, separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(row.values() for row in table.rows())
    return text.getvalue()


LARGEST_FILE = 1 << 30
LONGEST_LINE = 1 << 20
MOST_COLUMNS = 10_000

_ALIASES = {
    "data set": "dataset",
    "data_set": "dataset",
    "measures": "measure",
    "metric": "measure",
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
    reader = csv.reader(_read_lines(path), delimiter=separator, strict=True)
    width: int | None = None
    line = 1
    try:
        for cells in reader:
            if cells and width is None:
                width = _check_widths(len(cells), path, line)
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
    for line, text in enumerate(_read_lines(path), start=1):
        if text.strip():
            cells = _parse_json_object(text, path, line)
            columns = resolve_columns(list(cells), path, line)
            yield Record(line, dict(zip(columns, cells.values(), strict=True)))


def resolve_columns(names: Sequence[str], path: str | Path, line: int | None) -> list[str]:
    """The columns of a file by our names; refuses missing, unknown and repeated ones."""
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


def _check_widths(width: int, path: str | Path, line: int) -> int:
    if width > MOST_COLUMNS:
        raise FormatError(
            f"a table may have at most {MOST_COLUMNS} columns, found {width}", path, line
        )
    return width


def _parse_json_object(text: str, path: str | Path, line: int) -> dict[str, Any]:
    try:
        # Numbers stay as they are written, so that a value is judged once, as a CSV cell is.
        found = json.loads(
            text,
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=_refuse_repeated_names,
        )
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        reason = "it is nested too deep" if deep else getattr(error, "msg", str(error))
        raise FormatError(f"the line must be one JSON object: {reason}", path, line) from None
    if not isinstance(found, dict):
        raise FormatError("the line must be one JSON object, found another value", path, line)
    wrong = next((name for name, cell in found.items() if not isinstance(cell, str | None)), None)
    if wrong is not None:
        raise FormatError(f"{wrong[:80]!r} must be a text or a number", path, line)
    return found


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Each name once: Python's reader would take the last of two values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _read_lines(path: str | Path) -> Iterator[str]:
    size = 0
    with readable(path) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
            size += len(line)
            if len(line) > LONGEST_LINE or size > LARGEST_FILE:
                raise RankwiseError(
                    f"{path}: a result table may have {LARGEST_FILE >> 20} MB and lines of "
                    f"{LONGEST_LINE >> 20} MB, line {number} goes beyond"
                )
            yield _decode_line(line, path, number)


def _decode_line(line: bytes, path: str | Path, number: int) -> str:
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


_EMPTY_CELLS = {"", "-", "–", "—", "na", "n/a", "none", "nan", "?"}


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
    _check_wide_header(header, path, line)
    for line, (label, *cells) in lines:
        for column, cell in zip(header[1:], cells, strict=True):
            if cell.strip().casefold() not in _EMPTY_CELLS:
                method, dataset = (label, column) if layout.rows == "method" else (column, label)
                yield Record(line, _make_wide_result(method, dataset, cell, layout))


def split_dataset(name: str) -> tuple[str, str]:
    """Collection and data set of a full name: ("LETOR 3.0", "TD2004"); ("", name) if unknown."""
    for collection in list_collections():
        if name.startswith(f"{collection} ") and name.removeprefix(collection).strip():
            return collection, name.removeprefix(collection).strip()
    return "", name


def _make_wide_result(
    method: str, dataset: str, cell: str, layout: WideLayout
) -> dict[str, str | None]:
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


def _check_wide_header(header: list[str], path: str | Path, line: int) -> None:
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


_FRAME_LIBRARIES = ("pandas", "polars")
_FRAME_NAME = "the data frame"


def is_frame(source: Any) -> bool:
    """Whether `source` is a data frame of pandas or polars; neither is imported to find out."""
    kind = type(source)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] in _FRAME_LIBRARIES


def read_frame(frame: Any) -> Iterator[Record]:
    """The rows of a frame, counted from 1; a missing cell, None or NaN, is one not given."""
    names = [str(name) for name in frame.columns]
    columns = resolve_columns(names, _FRAME_NAME, None)
    cells = [frame[name].to_list() for name in frame.columns]
    for row, values in enumerate(zip(*cells, strict=True), start=1):
        yield Record(
            row, {name: _read_frame_cell(name, c) for name, c in zip(columns, values, strict=True)}
        )


def _read_frame_cell(column: str, cell: Any) -> Any:
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


_LINE_END = "\n"


def read_parquet(path: str | Path) -> Iterator[Record]:
    """The rows of a Parquet file, counted from 1; its size is checked before it is unpacked."""
    parquet, arrow_error = _load_pyarrow("reading Parquet")
    with readable(path) as stream:
        try:
            file = parquet.ParquetFile(load_for_arrow(stream))
            _check_parquet_size(file.metadata, path)
            columns = resolve_columns(file.schema_arrow.names, path, None)
            row = 0
            for batch in file.iter_batches():
                for cells in batch.to_pylist():
                    row += 1
                    yield Record(row, dict(zip(columns, cells.values(), strict=True)))
        # Besides its own errors: dates that Python has no year for, lengths that are lies.
        except (arrow_error, ValueError, OverflowError, OSError, KeyError) as error:
            raise FormatError(
                f"the file must be Parquet: {cut(str(error).partition(_LINE_END)[0], 200)}", path
            ) from error


def write_parquet(table: ResultTable, stream: BinaryIO) -> None:
    """Write `table` with text columns and one float64 column."""
    parquet, _ = _load_pyarrow("writing Parquet")
    import pyarrow

    columns: dict[str, Any] = {}
    for name in table.columns:
        kind = pyarrow.float64() if name == "value" else pyarrow.string()
        columns[name] = pyarrow.array(getattr(table, name).tolist(), type=kind)
    parquet.write_table(pyarrow.table(columns), stream)


def _load_pyarrow(purpose: str) -> tuple[Any, type[Exception]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "parquet") from None
    return pyarrow.parquet, pyarrow.ArrowException


def _check_parquet_size(metadata: Any, path: str | Path) -> None:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    if size > LARGEST_FILE:
        raise FormatError(
            f"a result table may unpack to {LARGEST_FILE >> 20} MB, this one to {size >> 20} MB",
            path,
        )
