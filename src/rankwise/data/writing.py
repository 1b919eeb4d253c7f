"""Write a data set to a file, in the layout that its name ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import NumberStyle, write_letor
from rankwise.data.formats.packed_layout import PACKED, is_packed
from rankwise.errors import Advice, RankwiseError


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    numbers: NumberStyle = "shortest",
    zero_based: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
    float32: bool = False,
) -> None:
    """Write LETOR text (compressed by the endings .gz, .bz2, .zst), Parquet or packed data.

    The last two are told by the endings `.parquet` and `.rwd`. See
    `rankwise.data.formats.letor_writer.write_letor` for the options, which concern text only, and
    `rankwise.data.formats.packed.write_packed` for `float32`, which concerns packed data only.
    """
    if is_packed(path):
        from rankwise.data.formats.packed import write_packed

        return write_packed(dataset, path, float32=float32)
    if float32:
        raise RankwiseError(
            f"single precision is for packed data ({PACKED}), found {Path(path).name}",
            Advice("leave out {}", "float32"),
        )
    if Path(path).suffix.lower() == ".parquet":
        from rankwise.data.formats.parquet import write_parquet

        return write_parquet(dataset, path)
    return write_letor(dataset, path, numbers=numbers, zero_based=zero_based, side_file=side_file)
