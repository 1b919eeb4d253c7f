"""Result tables in files: CSV, TSV, JSON lines and Parquet in long form, and wide tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rankwise.results.merging import merge, one_per_cell
from rankwise.results.records import csv_records, json_records
from rankwise.results.table import ResultTable
from rankwise.results.table_writing import refuse_ending, write_results
from rankwise.results.validation import Inspection, Record, checked, inspect_records
from rankwise.results.wide import WideLayout, wide_records

__all__ = [
    "WideLayout",
    "inspect_results",
    "merge",
    "one_per_cell",
    "read_results",
    "write_results",
]


def read_results(path: str | Path, *, wide: WideLayout | None = None) -> ResultTable:
    """The results in a `.csv`, `.tsv`, `.jsonl` or `.parquet` file.

    In long form the columns are those of `ResultTable`; with `wide` a CSV or TSV file is read as
    one measure of methods by data sets. Measures get their one spelling (`ndcg@10` is `NDCG@10`).
    Raises RankwiseError naming file and row of every problem: a missing or unreadable cell, a
    value that is not finite or out of its measure's range, an unknown measure, a result twice.
    The store of an experiment (`.sqlite`) is read as the table of its test measures.
    """
    from rankwise.results.store_connection import is_store

    if is_store(path):
        from rankwise.results.store import Store

        with Store.read(path) as store:
            return store.table()
    return checked(inspect_results(path, wide=wide))


def inspect_results(path: str | Path, *, wide: WideLayout | None = None) -> Inspection:
    """As `read_results`, with the problems beside the usable rows instead of an error.

    A file that has no readable layout at all (encoding, header, quotes) still raises.
    """
    if wide is not None:
        return inspect_records(wide_records(path, _separator(path), wide), path)
    return inspect_records(_reader(path)(path), path)


def _reader(path: str | Path) -> Callable[[str | Path], Iterable[Record]]:
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        from rankwise.results.parquet import parquet_records

        return parquet_records
    if ending in (".jsonl", ".ndjson"):
        return json_records
    separator = _separator(path)

    def read(path: str | Path) -> Iterator[Record]:
        return csv_records(path, separator)

    return read


def _separator(path: str | Path) -> str:
    separators = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
    separator = separators.get(Path(path).suffix.lower())
    if separator is None:
        raise refuse_ending(path)
    return separator
