"""Result tables of every kind, read: files in long or wide form, data frames, stores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.files import is_there, reading_failure
from rankwise.results.result_files import (
    WideLayout,
    is_frame,
    read_csv,
    read_frame,
    read_json_lines,
    read_parquet,
    read_wide,
    refuse_ending,
)
from rankwise.results.result_table import ResultTable
from rankwise.results.result_validation import Inspection, Record, inspect_records, require_valid

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_JSON_LINES = (".jsonl", ".ndjson")


def read_results(source: str | Path | Any, *, wide: WideLayout | None = None) -> ResultTable:
    """Read results from a file, a data frame (pandas or polars) or the store of an experiment.

    A file ends in `.csv`, `.tsv`, `.jsonl` or `.parquet`. In long form its columns are those of
    `ResultTable`; with `wide` a CSV or TSV file is read as values of one measure, methods by data
    sets. Measures get their one spelling (`ndcg@10` becomes `NDCG@10`). Raises RankwiseError with
    the file and row of every problem: a missing or unreadable cell, a value that is not finite or
    outside its measure's range, an unknown measure, a result that appears twice.

    Of a store (`.sqlite`) the table has the values on test by each data set's own tool, one row a
    fold; `remarks` of the table name runs that were left aside because later ones replace them.
    """
    from rankwise.results.store.database_file import is_store

    if is_frame(source):
        return require_valid(inspect_records(read_frame(source), "the data frame"))
    if not isinstance(source, str | Path):
        raise RankwiseError(
            "results are read from a file, a store or a data frame of pandas or polars, found "
            f"{type(source).__name__}"
        )
    if is_store(source):
        from rankwise.results.store.store import Store

        with Store.read(source) as store, store.snapshot():
            return replace(store.table(), remarks=tuple(store.remarks()))
    return require_valid(inspect_results(source, wide=wide))


def inspect_results(path: str | Path, *, wide: WideLayout | None = None) -> Inspection:
    """Read a file as `read_results` does, and return its problems beside the usable rows.

    A file that has no readable layout at all (encoding, header, quotes) still raises.
    """
    if not is_there(path):
        # Before its ending is looked at, which a slip may have changed.
        raise RankwiseError(reading_failure(path, FileNotFoundError()))
    if wide is not None:
        return inspect_records(read_wide(path, _separator(path), wide), path)
    return inspect_records(_read_records(path), path)


def _read_records(path: str | Path) -> Iterable[Record]:
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        return read_parquet(path)
    return read_json_lines(path) if ending in _JSON_LINES else read_csv(path, _separator(path))


def _separator(path: str | Path) -> str:
    separator = _SEPARATORS.get(Path(path).suffix.lower())
    if separator is None:
        raise refuse_ending(path)
    return separator
