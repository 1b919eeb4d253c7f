"""Relations between documents as files: hyperlinks, sitemap, similarities."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.index import Index
from rankwise.collection.links import LinkGraph
from rankwise.data.formats.relation_files import read_similarity as read_similarity
from rankwise.errors import FormatError
from rankwise.files import readable, written_whole

_LINES_AT_ONCE = 100_000


HYPERLINKS, SITEMAP = "hyperlinks.tsv", "sitemap.tsv"
_LINK, _STEP = ("source", "target"), ("parent", "child")


def write_hyperlinks(path: Path, index: Index, graph: LinkGraph) -> None:
    """`source<TAB>target`, a line for each link between documents, by their ids."""
    _write_pairs(path, _LINK, index, graph.sources, np.asarray(graph.targets))


def write_sitemap(path: Path, index: Index, parents: NDArray[np.int64]) -> None:
    """`parent<TAB>child`, a line for each page that has a parent, by their ids."""
    children = np.flatnonzero(parents >= 0)
    _write_pairs(path, _STEP, index, parents[children], children)


def read_hyperlinks(path: Path) -> Iterator[tuple[str, str]]:
    """Source and target of each link."""
    return _read_pairs(path, _LINK)


def read_sitemap(path: Path) -> Iterator[tuple[str, str]]:
    """Parent and child of each page that has a parent."""
    return _read_pairs(path, _STEP)


def write_similarity(path: Path, document_ids: Sequence[str], matrix: NDArray[np.float32]) -> None:
    """A compressed numpy archive: `document_ids` as UTF-8 lines, `similarity` in their order."""
    content = io.BytesIO()
    ids = np.frombuffer("\n".join(document_ids).encode("utf-8", "surrogateescape"), np.uint8)
    np.savez_compressed(content, document_ids=ids, similarity=matrix)
    with written_whole(path) as stream:
        stream.write(content.getbuffer())


def _read_pairs(path: Path, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    with readable(path) as stream:
        for number, line in enumerate(stream, 1):
            cells = line.decode("utf-8", "surrogateescape").rstrip("\r\n").split("\t")
            if len(cells) != 2 or (number == 1 and tuple(cells) != names):
                raise FormatError(
                    f"a line must hold {' and '.join(names)}, divided by a tab, under a header of "
                    f"these names; found {line[:60].decode('utf-8', 'replace')!r}",
                    path,
                    number,
                )
            if number > 1:
                yield cells[0], cells[1]


def _write_pairs(
    path: Path,
    names: tuple[str, str],
    index: Index,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> None:
    ids = list(index.document_ids)
    with written_whole(path) as stream:
        stream.write(("\t".join(names) + "\n").encode())
        for begin in range(0, len(first), _LINES_AT_ONCE):
            part = slice(begin, begin + _LINES_AT_ONCE)
            pairs = zip(first[part].tolist(), second[part].tolist(), strict=True)
            text = "".join(f"{ids[one]}\t{ids[other]}\n" for one, other in pairs)
            stream.write(text.encode("utf-8", "surrogateescape"))
