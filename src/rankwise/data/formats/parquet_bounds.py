"""Parquet and Feather that expand no further than data do: a file holds equal values once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO

from rankwise.arrow_source import load_for_arrow
from rankwise.data.formats.decompression import LARGEST_EXPANSION
from rankwise.errors import FormatError

ALWAYS_ALLOWED = 1 << 26


def read_bounded_table(stream: BinaryIO, path: str | Path, texts: tuple[str, ...]) -> Any:
    """The table of an open file; `texts` are columns of texts, however often one is repeated.

    A table may take 100 times the size of its file, and 64 MiB in any case. Texts are counted
    before they are repeated.
    """
    import pyarrow.parquet

    size = os.fstat(stream.fileno()).st_size
    most = max(ALWAYS_ALLOWED, LARGEST_EXPANSION * size)
    source = load_for_arrow(stream)
    facts = pyarrow.parquet.read_metadata(source)
    _refuse(8 * facts.num_rows * facts.num_columns, most, size, path)
    columns = [facts.schema.column(number).path for number in range(facts.num_columns)]
    twice = next((name for name, count in Counter(columns).items() if count > 1), None)
    if twice is not None:
        raise FormatError(f"columns must have different names, found {twice!r} twice", path)
    source.seek(0)
    table = pyarrow.parquet.read_table(source, read_dictionary=sorted({*columns} & {*texts}))
    for name in texts:
        if name in table.column_names:
            _refuse(_text_bytes(table.column(name)), most, size, path)
    return table


def read_bounded_feather(stream: BinaryIO, path: str | Path) -> Any:
    """The table of an open Feather file (version 2, which is Arrow's own), bounded as Parquet is.

    Its batches are counted as they are decompressed, one at a time.
    """
    import pyarrow.ipc

    size = os.fstat(stream.fileno()).st_size
    most = max(ALWAYS_ALLOWED, LARGEST_EXPANSION * size)
    with pyarrow.ipc.open_file(load_for_arrow(stream)) as opened:
        twice = next((n for n, count in Counter(opened.schema.names).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"columns must have different names, found {twice!r} twice", path)
        batches, needed = [], 0
        for number in range(opened.num_record_batches):
            batches.append(opened.get_batch(number))
            needed += max(batches[-1].nbytes, 8 * batches[-1].num_rows * len(opened.schema))
            _refuse(needed, most, size, path)
        table = pyarrow.Table.from_batches(batches, opened.schema)
    table.validate(full=True)
    return table


def _text_bytes(column: Any) -> int:
    """The bytes of all texts of a column; 0 where it holds something else."""
    import pyarrow
    import pyarrow.compute as compute

    total = 0
    for chunk in column.chunks:
        if pyarrow.types.is_dictionary(chunk.type):
            lengths = compute.binary_length(chunk.dictionary)
            total += compute.sum(lengths.take(chunk.indices).cast("int64")).as_py() or 0
    return total


def _refuse(needed: int, most: int, size: int, path: str | Path) -> None:
    if needed > most:
        raise FormatError(
            f"a table may take {LARGEST_EXPANSION} times its file (of {size:,} bytes), and "
            f"{ALWAYS_ALLOWED:,} bytes in any case, this one would take {needed:,}; if it can be "
            "trusted, read it yourself: Dataset.from_frame(pandas.read_parquet(PATH))",
            path,
        )
