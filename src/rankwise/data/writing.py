"""Write a data set to a file, in the layout that its name ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import NumberStyle, write_letor
from rankwise.data.formats.packed_layout import PACKED, is_packed
from rankwise.data.table_file import (
    ARROW_TABLES,
    COMPRESSED_ENDINGS,
    TEXT_TABLES,
    find_ending,
)
from rankwise.errors import Advice, RankwiseError

_OTHER_FORMATS = (
    ".7z", ".arff", ".avro", ".h5", ".hdf5", ".html", ".json", ".jsonl", ".lz4", ".lzma", ".npy",
    ".npz", ".orc", ".pickle", ".pkl", ".pq", ".rar", ".sqlite", ".tar", ".tgz", ".xlsx", ".xml",
    ".zip",
)  # fmt: skip
"""Endings that promise what is not written; those of LETOR text are anybody's choice."""


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    numbers: NumberStyle = "shortest",
    zero_based: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
    float32: bool = False,
) -> None:
    """Write the layout that the file's name ends with, as `read` reads it.

    Tables are `.csv`, `.tsv`, `.parquet` and `.feather`, packed data `.rwd`; every other ending,
    but for those of other formats, is LETOR text. Text is compressed by .gz, .bz2, .xz, .zst. See
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
    ending = find_ending(path)
    if ending in TEXT_TABLES:
        from rankwise.data.formats.text_tables import write_text_table

        return write_text_table(dataset, path, TEXT_TABLES[ending])
    if ending in ARROW_TABLES:
        from rankwise.data.formats.parquet import write_arrow_table

        return write_arrow_table(dataset, path)
    _refuse_other_formats(Path(path))
    return write_letor(dataset, path, numbers=numbers, zero_based=zero_based, side_file=side_file)


def _refuse_other_formats(path: Path) -> None:
    """Refuse a name under which LETOR text would be taken for something else."""
    name = path.with_suffix("") if path.suffix.lower() in COMPRESSED_ENDINGS else path
    ending = name.suffix.lower()
    if ending in _OTHER_FORMATS or (name != path and ending in (*ARROW_TABLES, PACKED)):
        raise RankwiseError(
            f"{path}: data are written as a table (.csv, .tsv, .parquet, .feather), packed (.rwd) "
            "or as LETOR text (.txt and others), text compressed by .gz, .bz2, .xz or .zst, found "
            f"{path.name.removeprefix(name.stem)}; name another file"
        )
