"""Files that name the query after `#` (Internet Mathematics 2009), brought into LETOR's layout."""

from __future__ import annotations

from pathlib import Path

from rankwise.data.formats.compression import compressed_writer, read_bytes
from rankwise.errors import FormatError


def move_queries(source: Path, target: Path) -> None:
    """Write `label index:value … # ID` as `label qid:ID index:value …`."""
    with compressed_writer(target) as stream:
        for number, line in enumerate(read_bytes(source).splitlines(), start=1):
            if line.strip():
                stream.write(_move_query(line, source, number))


def _move_query(line: bytes, source: Path, number: int) -> bytes:
    row, _, comment = line.partition(b"#")
    label, *values = row.split()
    query = comment.split()[:1]
    if not query:
        raise FormatError("a row must end with '#' and its query id, found none", source, number)
    return b" ".join([label, b"qid:" + query[0], *values]) + b"\n"
