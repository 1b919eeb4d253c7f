"""Write a data set to a file, in the layout that its name ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import NumberStyle, write_letor


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    numbers: NumberStyle = "shortest",
    zero_based: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
) -> None:
    """Write LETOR text (compressed by the endings .gz, .bz2, .zst) or, by `.parquet`, Parquet.

    See `rankwise.data.formats.letor_writer.write_letor` for the options, which concern text only.
    """
    if Path(path).suffix.lower() == ".parquet":
        from rankwise.data.formats.parquet import write_parquet

        return write_parquet(dataset, path)
    return write_letor(dataset, path, numbers=numbers, zero_based=zero_based, side_file=side_file)
