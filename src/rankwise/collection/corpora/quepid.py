"""Judgements that Quepid exports: comma-separated tables with a header, whose queries are texts.

A case is exported with a column for the rating, `query,docid,rating`, or in detail with further
columns, `Query Text`, `Doc ID`, `Rating`; a book with a column for each judge. An empty cell is no
judgement.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.errors import FormatError

_QUERY, _DOCUMENT, _RATING = ("query", "querytext"), ("docid",), ("rating",)

Judged = tuple[int, str, str, float, str]
"""Line, query, document, number and judge, who has a name in a book only."""


def is_quepid(path: str | Path) -> bool:
    """Whether a file begins with the header of such a table."""
    for _, line in lines(path):
        if line.strip():
            columns = _read_header(decoded(line))
            return _find(columns, _QUERY) is not None and _find(columns, _DOCUMENT) is not None
    return False


def read_quepid(path: str | Path) -> Iterator[Judged]:
    """The judgements of a table, judge by judge where it has a column for each."""
    texts = (decoded(line) + "\n" for _, line in lines(path))
    reader = csv.reader(texts, strict=True)
    try:
        header = next(reader, [])
        columns = [_plain(name) for name in header]
        query, document = _find(columns, _QUERY), _find(columns, _DOCUMENT)
        if query is None or document is None:
            raise FormatError(
                "the header must name the columns query and docid, divided by commas, found "
                f"{','.join(header)[:60]!r}",
                path,
                1,
            )
        rating = _find(columns, _RATING)
        # Without a rating every other column is a judge.
        rated = [n for n in range(len(header)) if n not in (query, document)]
        judges = {n: header[n].strip() for n in rated} if rating is None else {rating: ""}
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise FormatError(
                    f"every row must have the header's {len(header)} cells, found {len(cells)}",
                    path,
                    reader.line_num,
                )
            for place, judge in judges.items():
                if cell := cells[place].strip():
                    text = " ".join(cells[query].split())
                    number = _read_number(cell, path, reader.line_num)
                    yield reader.line_num, text, cells[document].strip(), number, judge
    except csv.Error as error:
        raise FormatError(f"the file must be a table ({error})", path, reader.line_num) from error


def _read_header(line: str) -> list[str]:
    return [_plain(name) for name in next(csv.reader([line]), [])]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find(columns: list[str], names: tuple[str, ...]) -> int | None:
    return next((place for place, name in enumerate(columns) if name in names), None)


def _read_number(cell: str, path: str | Path, line: int) -> float:
    try:
        return float("nan" if "_" in cell else cell)
    except ValueError:
        raise FormatError(f"a rating must be a number, found {cell[:40]!r}", path, line) from None
