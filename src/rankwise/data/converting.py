"""Files of data in another layout, however large they are where both sides allow it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.formats.packed_layout import is_packed
from rankwise.data.locating import locate
from rankwise.data.reading import is_letor_text, read
from rankwise.data.table_file import find_columns
from rankwise.data.writing import write


def convert(
    source: str | Path,
    target: str | Path,
    *,
    zero_based: bool = False,
    repeated_queries: Literal["error", "merge"] = "error",
    numbers: NumberStyle = "shortest",
    zero_based_out: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
    float32: bool = False,
) -> Dataset:
    """Read `source`, write `target` in the layout that its name ends with, and return the data.

    LETOR text goes to packed data (`.rwd`) piece by piece, and packed data to text or packed data:
    there the features need not fit into memory. The options are those of `read` and `write`.
    """
    source = locate(source)
    unnamed = not any(find_columns(source).named())
    if is_packed(target) and is_letor_text(source) and unnamed and repeated_queries == "error":
        from rankwise.data.formats.letor_packing import pack_letor

        pack_letor(source, target, zero_based=zero_based, float32=float32)
        return read(target)
    dataset = read(source, zero_based=zero_based, repeated_queries=repeated_queries)
    write(
        dataset,
        target,
        numbers=numbers,
        zero_based=zero_based_out,
        side_file=side_file,
        float32=float32,
    )
    return dataset
