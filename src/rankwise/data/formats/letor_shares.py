"""Shares of one LETOR file: cut at query boundaries, each read without reading the rest.

Cutting looks only around as many places as there are shares, so it costs the same for a file of
any size; several machines can then read one file, each its own part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import ByteSource, open_source
from rankwise.data.formats.decompression import is_compressed
from rankwise.data.formats.letor import read_source
from rankwise.data.formats.letor_lines import LOOK_BYTES, first_words
from rankwise.data.formats.packed_layout import is_packed
from rankwise.data.table_file import is_table
from rankwise.errors import FormatError, RankwiseError

_LOOK_BYTES = LOOK_BYTES
_QUERY = b"qid:"


@dataclass(frozen=True)
class LetorShare:
    """Whole queries of a LETOR file: its bytes `begin` to before `end`."""

    path: Path
    begin: int
    end: int
    zero_based: bool = False

    def read(self, threads: int | None = None) -> Dataset:
        """The queries of this share, as wide as the largest index in it.

        A wrong line is named by its number in the whole file. A query that comes back in another
        share cannot be seen from here: whoever joins shares compares their query ids.
        """
        with open_source(self.path, self.begin, self.end) as source:
            return read_source(source, zero_based=self.zero_based, threads=threads)


def cut_into_shares(
    path: str | Path, count: int, *, zero_based: bool = False
) -> tuple[LetorShare, ...]:
    """At most `count` shares of about equally many bytes that together are the whole file.

    There are fewer where queries are longer than such a share. The file must be plain text whose
    rows name their queries.
    """
    if count < 1:
        raise RankwiseError(f"a file must be cut into at least one share, found {count}")
    file = Path(path).absolute()
    if is_compressed(file):
        raise RankwiseError(
            f"{file}: a compressed file cannot be read in shares, since it can only be read from "
            "its beginning; decompress it first"
        )
    if is_table(file) or is_packed(file):
        raise RankwiseError(
            f"{file}: shares are cut from LETOR text, found "
            f"{'packed data' if is_packed(file) else 'a table'}; write it as text first: "
            "rankwise data convert IN OUT"
        )
    with open_source(file) as source:
        _refuse_without_queries(source)
        length = source.size - 1
        inner = {_next_query(source, length * number // count) for number in range(1, count)}
    cuts = [0, *sorted(inner - {length}), length]
    return tuple(LetorShare(file, *span, zero_based) for span in pairwise(cuts))


def _refuse_without_queries(source: ByteSource) -> None:
    """A file whose first row has features where its query should be has no queries anywhere."""
    second = next((words[1] for _, words in first_words(source, 0, _LOOK_BYTES)), b"")
    if b":" in second and not second.startswith(_QUERY):
        raise FormatError(
            "a file that is read in shares must name the query of every row by qid:, found a "
            f"first row without; write the queries of {Path(source.path).name}.query into it",
            source.path,
        )


def _next_query(source: ByteSource, position: int) -> int:
    """Where the query begins that follows the one of the first row from `position` on.

    A row whose query cannot be read is passed over here: reading its share tells what is wrong.
    """
    first = None
    for begin, (_, query) in first_words(source, position, _LOOK_BYTES):
        if not query.startswith(_QUERY):
            continue
        if first is not None and query != first:
            return begin
        first = query
    return source.size - 1
