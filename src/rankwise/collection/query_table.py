"""The table of a build's queries, and tables of queries that users give: columns between tabs."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise.errors import FormatError
from rankwise.files import is_file, readable

QUERY_TABLE = "queries.tsv"
_COLUMNS = (
    "query", "class", "words", "documents", "relevant_sampled", "relevant_judged", "text",
)  # fmt: skip

Row = dict[str, str]


def format_query_table(rows: Iterable[tuple[object, ...]]) -> str:
    """`queries.tsv`: a line for each query of the data set, under the names of the columns."""
    return "".join("\t".join(map(str, row)) + "\n" for row in (_COLUMNS, *rows))


def is_query_table(path: Path) -> bool:
    """Whether there is a file that begins as the table of a build does."""
    if not is_file(path):
        return False
    with readable(path) as stream:
        return _split_cells(stream.readline())[:2] == list(_COLUMNS[:2])


def read_table_classes(table: Path) -> dict[str, str] | None:
    """The class of each query in the table of a build; None where there is none, or no class."""
    if not is_query_table(table):
        return None
    classes = {row["query"]: row["class"] for _, row in read_query_rows(table, ("query", "class"))}
    return classes if any(classes.values()) else None


def read_query_rows(
    path: str | Path, needed: tuple[str, ...], *, headed: bool = True
) -> Iterator[tuple[int, Row]]:
    """Line numbers and rows by the names of the header, which must have the `needed` ones.

    Where the header may be missing (`headed` is false), lines of the needed columns alone will do.
    A byte order mark is no part of the first line; blank lines are passed over.
    """
    columns: list[str] = []
    with readable(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            cells = _split_cells(line)
            if not columns and set(needed) <= set(cells):
                columns = cells
                continue
            if not columns and headed:
                raise FormatError(
                    f"the first line must name the columns {', '.join(needed)}, divided by tabs, "
                    f"found {' '.join(cells)[:60]!r}",
                    path,
                    number,
                )
            columns = columns or list(needed)
            if len(cells) != len(columns):
                raise FormatError(
                    f"a line must hold the {len(columns)} columns {', '.join(columns)}, divided "
                    f"by tabs, found {len(cells)} in {' '.join(cells)[:60]!r}",
                    path,
                    number,
                )
            yield number, dict(zip(columns, cells, strict=True))


def _split_cells(line: bytes) -> list[str]:
    plain = line.removeprefix(codecs.BOM_UTF8)
    return plain.decode("utf-8", "replace").strip("\r\n").split("\t")
