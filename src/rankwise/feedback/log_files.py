"""Click logs in CSV, TSV and Parquet: query, document, position, click, and what else there is."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.formats.arrow_tables import read_bounded_table
from rankwise.data.reading import read
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.feedback.log import ClickLog, CodedTexts, LogColumns, log_of_columns, name_documents
from rankwise.files import readable, written_whole

NEEDED = ("query", "document", "position", "click")
OPTIONAL = ("session", "time")
_TEXTS = ("query", "document", "session")
_SESSIONS_AT_ONCE = 20_000


def read_log(path: str | Path, data: Dataset | str | Path | None = None) -> ClickLog:
    """Read a click log; every column beyond those that have a meaning is a feature.

    Args:
        path: `.parquet`, `.tsv`, else CSV. Columns: query, document, position (from 1) and click (0
            or 1); where there are, session and time; features under any other names.
        data: the documents with their features and labels, or their file. Documents go by their
            ids, or where the data have none by their numbers in the query. Without data the log
            itself must have the features.
    """
    columns = _read_parquet(path) if Path(path).suffix == ".parquet" else _read_text(path)
    dataset = data if data is None or isinstance(data, Dataset) else read(data)
    try:
        return log_of_columns(columns, dataset)
    except RankwiseError as error:
        raise FormatError(error.message, path, advice=error.advice) from error


def write_log(log: ClickLog, path: str | Path, *, features: bool = False) -> None:
    """Write a click log as the ending of its name says; `features` adds those of the documents."""
    target = Path(path)
    if target.suffix == ".parquet":
        _write_parquet(log, target, features)
        return
    with written_whole(target) as stream:
        stream.write((_separator(target).join(_titles(log, features)) + "\n").encode())
        for lines in _lines(log, _separator(target), features):
            stream.write(lines.encode("utf-8", "surrogateescape"))


def _read_text(path: str | Path) -> LogColumns:
    with readable(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="")
        rows = csv.reader(text, delimiter=_separator(path))
        try:
            titles = [one.strip() for one in next(rows, [])]
            _refuse_titles(titles, path)
            found = list(rows)
        except csv.Error as error:
            raise FormatError(f"a click log must be a table of text ({error})", path) from error
    for number, row in enumerate(found):
        if len(row) != len(titles):
            raise FormatError(
                f"every row must have {len(titles)} cells, found {len(row)}", path, number + 2
            )
    cells = dict(zip(titles, zip(*found, strict=True), strict=True)) if found else {}
    named: dict[str, Any] = {}
    for title in titles:
        texts = np.array(cells.get(title, ()), dtype=np.str_)
        named[title] = CodedTexts.of(texts) if title in _TEXTS else texts
    return _columns(named, path)


def _read_parquet(path: str | Path) -> LogColumns:
    arrow = _arrow()
    with readable(path) as stream:
        try:
            table = read_bounded_table(stream, path, _TEXTS)
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise FormatError(f"the file must be a Parquet table ({error})", path) from error
    _refuse_titles(table.column_names, path)
    empty = next((one for one in _TEXTS if one in table.column_names
                  and table.column(one).null_count), None)  # fmt: skip
    if empty is not None:
        raise FormatError(f"every row must have a {empty}, found rows without", path)
    named = {
        title: _coded(table.column(title)) if title in _TEXTS else table.column(title).to_numpy()
        for title in table.column_names
    }
    return _columns(named, path)


def _coded(column: Any) -> CodedTexts:
    """Texts, or numbers that stand for some, each once and by their number."""
    arrow = _arrow()
    held = column if arrow.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = held.unify_dictionaries().combine_chunks()
    if isinstance(whole, arrow.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else arrow.array([], whole.type)
    names = [str(one) for one in whole.dictionary.to_pylist()]
    return CodedTexts(whole.indices.to_numpy(zero_copy_only=False).astype(np.int64), names)


def _columns(named: dict[str, Any], path: str | Path) -> LogColumns:
    numbers = {title: _numbers(named[title], title, path) for title in named if title not in _TEXTS}
    meant = {*NEEDED, *OPTIONAL}
    return LogColumns(
        named["query"],
        named["document"],
        numbers["position"],
        numbers["click"],
        named.get("session"),
        numbers.get("time"),
        {title: values for title, values in numbers.items() if title not in meant},
    )


def _refuse_titles(titles: list[str], path: str | Path) -> None:
    missing = [one for one in NEEDED if one not in titles]
    if missing:
        raise FormatError(
            f"a click log must have the columns {', '.join(NEEDED)}, {missing[0]} is missing",
            path,
            1,
        )
    twice = next((one for one in titles if titles.count(one) > 1), None)
    if twice is not None:
        raise FormatError(f"every column must have a name of its own, found {twice!r} twice", path)


def _numbers(values: Any, title: str, path: str | Path) -> Any:
    """Numbers as doubles; a time may be one of numpy's, which counts from 1970."""
    if np.issubdtype(values.dtype, np.datetime64):
        return values.astype("datetime64[us]").astype(np.float64) / 1e6
    try:
        return (
            np.where(values == "", "nan", values).astype(np.float64)
            if (values.dtype.kind == "U")
            else values.astype(np.float64)
        )
    except (ValueError, TypeError) as error:
        raise FormatError(
            f"column {title!r} must hold numbers, as all do but {', '.join(_TEXTS)}: {error}", path
        ) from error


def _titles(log: ClickLog, features: bool) -> list[str]:
    time = ["time"] if log.times is not None else []
    return ["session", "query", "document", "position", "click", *time, *_names(log, features)]


def _names(log: ClickLog, features: bool) -> list[str]:
    known = log.dataset.feature_names
    count = log.dataset.n_features if features else 0
    return list(known or (f"feature {number}" for number in range(1, count + 1)))[:count]


def _lines(log: ClickLog, separator: str, features: bool) -> Iterator[str]:
    """The rows as text, some sessions at a time."""
    documents, queries = list(name_documents(log.dataset)), list(log.dataset.query_ids)
    dense = log.dataset.to_dense().features if features else None
    for first in range(0, log.n_sessions, _SESSIONS_AT_ONCE):
        part = log.take_sessions(slice(first, first + _SESSIONS_AT_ONCE))
        sessions = part.session_of_impressions
        cells: list[Any] = [
            (sessions + first + 1).tolist(),
            [queries[one] for one in part.session_queries[sessions].tolist()],
            [documents[row] for row in part.rows.tolist()],
            part.positions.tolist(),
            part.clicks.tolist(),
        ]
        if part.times is not None:
            cells.append(part.times[sessions].tolist())
        if dense is not None:
            cells += [column.tolist() for column in dense[part.rows].T]
        text = io.StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        writer.writerows(zip(*cells, strict=True))
        yield text.getvalue()


def _write_parquet(log: ClickLog, path: Path, features: bool) -> None:
    arrow = _arrow()
    from pyarrow import parquet

    sessions = log.session_of_impressions
    columns: dict[str, Any] = {
        "session": (sessions + 1).astype(np.int32 if log.n_sessions < 2**31 - 1 else np.int64),
        "query": _repeated(list(log.dataset.query_ids), log.session_queries[sessions]),
        "document": _repeated(list(name_documents(log.dataset)), log.rows),
        "position": log.positions.astype(np.int32),
        "click": log.clicks,
    }
    if log.times is not None:
        columns["time"] = log.times[sessions]
    if features:
        dense = log.dataset.to_dense().features[log.rows]
        columns |= {name: dense[:, n] for n, name in enumerate(_names(log, features))}
    with written_whole(path) as stream:
        parquet.write_table(arrow.table(columns), stream, compression="zstd")


def _repeated(names: list[str], places: Any) -> Any:
    """names[place] for every place, each name held once."""
    arrow = _arrow()
    known, codes = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    return arrow.DictionaryArray.from_arrays(
        codes.astype(np.int32)[places], arrow.array(known.tolist())
    )


def _separator(path: str | Path) -> str:
    return "\t" if Path(path).suffix == ".tsv" else ","


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    return pyarrow
