"""LightGBM's and XGBoost's side files: `FILE.query` or `FILE.group`, one row count per line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import read_bytes, shown
from rankwise.data.table_columns import COMPRESSED_ENDINGS
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError
from rankwise.files import write_text

ENDINGS = (".query", ".group")


def read_query_lengths(path: str | Path, n_documents: int) -> tuple[NDArray[np.int64], TextColumn]:
    """First rows and ids (1, 2, …) of the queries of a file whose rows name none."""
    side = find_side_file(path)
    if side is None:
        tried = " or ".join(Path(path).name + ending for ending in ENDINGS)
        raise FormatError(
            f"rows must name their query with qid:ID, or {tried} must stand beside the file; "
            "found neither",
            path,
            1,
        )
    lengths = _counts(side)
    if sum(lengths) != n_documents:
        raise FormatError(
            f"the counts must add up to the {n_documents} rows of {path}, found {sum(lengths)}",
            side,
        )
    starts = np.cumsum([0, *lengths], dtype=np.int64)[:-1]
    return starts, TextColumn.from_texts(str(number + 1) for number in range(len(lengths)))


def find_side_file(path: str | Path) -> Path | None:
    """`FILE.query` or `FILE.group`, also where FILE itself is compressed."""
    whole = Path(path)
    names = [whole.name]
    if whole.suffix.lower() in COMPRESSED_ENDINGS:
        names.append(whole.stem)
    candidates = [whole.with_name(name + ending) for name in names for ending in ENDINGS]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def write_query_lengths(path: str | Path, lengths: NDArray[np.int64]) -> None:
    """One row count per line."""
    write_text(path, "".join(f"{length}\n" for length in lengths.tolist()))


def _counts(side: Path) -> list[int]:
    counts = []
    for number, line in enumerate(read_bytes(side).split(b"\n"), start=1):
        text = line.strip()
        if not text:
            continue
        if not text.isdigit() or len(text) > 15 or int(text) < 1:
            raise FormatError(
                f"a line must hold the number of rows of one query, found {shown(text)}",
                side,
                number,
            )
        counts.append(int(text))
    return counts
