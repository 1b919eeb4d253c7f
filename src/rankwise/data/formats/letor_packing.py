"""LETOR text of any size to packed data: chunk by chunk, the features never in memory together."""

from __future__ import annotations

from pathlib import Path

from rankwise.data.feature_names import find_build_names
from rankwise.data.formats.compression import open_source
from rankwise.data.formats.letor import read_source
from rankwise.data.formats.letor_chunks import Extent, LetorFile
from rankwise.data.formats.packed import packed_writer, refuse_wide
from rankwise.data.sparse_features import ALWAYS_MADE, LARGEST_EXPANSION
from rankwise.errors import FormatError


def pack_letor(
    source: str | Path, target: str | Path, *, zero_based: bool = False, float32: bool = False
) -> None:
    """Write the rows of a LETOR file as packed data; a query that comes back is an error.

    The file is read twice: how many features there are is known at its end only.
    """
    with open_source(source) as text:
        extent = LetorFile(text, 0 if zero_based else 1, 0, None).measure()
        _refuse_sparse(source, extent, text.size)
        with packed_writer(target, extent.width, float32) as writer:
            rows = read_source(text, zero_based=zero_based, sink=writer)
            writer.finish(rows, find_build_names(source, extent.width))


def _refuse_sparse(path: str | Path, extent: Extent, size: int) -> None:
    """Refuse text that would fill a disk, since it writes nearly none of its cells."""
    refuse_wide(extent.width)
    needed = 8 * extent.rows * extent.width
    if needed > max(ALWAYS_MADE, LARGEST_EXPANSION * size):
        raise FormatError(
            f"packed data write every cell, which may take {LARGEST_EXPANSION} times the text, "
            f"found {extent.entries:,} written features in rows that would take "
            f"{needed / 2**30:.1f} GiB; leave such data in LETOR text, which is read sparse",
            path,
        )
