"""Read files of text as a stream: lines, their encoding by trying, the files of a folder.

The table of a build's queries, and tables of queries that users give, have columns between tabs.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise.collection.build_folder import is_mark
from rankwise.data.formats.compression import BYTE_ORDER_MARK, DamagedCompression, open_bytes
from rankwise.data.table_columns import COMPRESSED_ENDINGS
from rankwise.errors import FormatError
from rankwise.files import is_file, is_folder, readable, resolve

_LONGEST_LINE = 1 << 26


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines from 1, without their ends; of an endless one the first 64 MiB.

    A byte order mark is no part of the first one.
    """
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            rest = line
            while len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                rest = stream.readline(_LONGEST_LINE)
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield number, line.rstrip(b"\r\n")


def beginning(path: str | Path, size: int = 1 << 14) -> bytes:
    """The first bytes of a file, without byte order mark; of a damaged one what can be read."""
    found = b""
    with contextlib.suppress(DamagedCompression), open_bytes(path) as stream:
        while len(found) < size and (piece := stream.read1(size - len(found))):
            found += piece
    return found.removeprefix(BYTE_ORDER_MARK)


def decoded(content: bytes) -> str:
    """UTF-8 where it is UTF-8, else Latin-1, which old collections use."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def files_below(path: str | Path, leave_out: Iterable[Path] = ()) -> list[Path]:
    """The file itself, or all files of a folder and those below it, in the order of their names.

    Hidden files and folders, those to leave out, and the folders of builds are passed over.
    """
    root = Path(path)
    if not is_folder(root):
        with readable(root):
            return [root]
    found = [
        file
        for file in root.rglob("*")
        if is_file(file) and not any(p.startswith(".") for p in file.relative_to(root).parts)
    ]
    here = resolve(root)
    outside = {one for one in map(Path.resolve, leave_out) if here in one.parents}
    outside |= {resolve(file.parent) for file in found if is_mark(file)}
    if outside:
        found = [file for file in found if outside.isdisjoint(_lineage(resolve(file)))]
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def without_compression(name: str) -> str:
    """The name of a file without the ending that says how it is compressed."""
    ending = next((end for end in COMPRESSED_ENDINGS if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)]


def _lineage(file: Path) -> tuple[Path, ...]:
    return file, *file.parents


QUERY_TABLE = "queries.tsv"
_QUERY_COLUMNS = (
    "query", "class", "words", "documents", "relevant_sampled", "relevant_judged", "text",
)  # fmt: skip

QueryRow = dict[str, str]


def format_query_table(rows: Iterable[tuple[object, ...]]) -> str:
    """`queries.tsv`: a line for each query of the data set, under the names of the columns."""
    return "".join("\t".join(map(str, row)) + "\n" for row in (_QUERY_COLUMNS, *rows))


def is_query_table(path: Path) -> bool:
    """Whether there is a file that begins as the table of a build does."""
    if not is_file(path):
        return False
    with readable(path) as stream:
        return _split_cells(stream.readline())[:2] == list(_QUERY_COLUMNS[:2])


def read_table_classes(table: Path) -> dict[str, str] | None:
    """The class of each query in the table of a build; None where there is none, or no class."""
    if not is_query_table(table):
        return None
    classes = {row["query"]: row["class"] for _, row in read_query_rows(table, ("query", "class"))}
    return classes if any(classes.values()) else None


def read_query_rows(
    path: str | Path, needed: tuple[str, ...], *, headed: bool = True
) -> Iterator[tuple[int, QueryRow]]:
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
