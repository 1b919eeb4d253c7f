"""Result tables in files: CSV, TSV, JSON lines and Parquet in long form, and wide tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import write_text, written_whole
from rankwise.results.merging import merge, one_per_cell
from rankwise.results.records import csv_records, json_records
from rankwise.results.table import ResultTable
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
    from rankwise.results.store import is_store

    if is_store(path):
        from rankwise.results.store_reading import result_table

        return result_table(path)
    return checked(inspect_results(path, wide=wide))


def inspect_results(path: str | Path, *, wide: WideLayout | None = None) -> Inspection:
    """As `read_results`, with the problems beside the usable rows instead of an error.

    A file that has no readable layout at all (encoding, header, quotes) still raises.
    """
    if wide is not None:
        return inspect_records(wide_records(path, _separator(path), wide), path)
    return inspect_records(_reader(path)(path), path)


def write_results(table: ResultTable, path: str | Path) -> None:
    """Write `table` in the format its ending names, whole or not at all.

    Numbers are written so that they are read back exactly. Texts are written as they are: a
    method named `=1+1` is a text here, though a spreadsheet may take it for a formula.
    """
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        from rankwise.results.parquet import write_parquet

        with written_whole(path) as stream:
            write_parquet(table, stream)
        return
    writers = {".csv": csv_text, ".tsv": tsv_text, ".jsonl": json_lines}
    writer = writers.get(ending)
    if writer is None:
        raise _unknown_ending(path)
    write_text(path, writer(table))


def csv_text(table: ResultTable) -> str:
    """The table as comma-separated values with a header."""
    return _separated(table, ",")


def tsv_text(table: ResultTable) -> str:
    """The table as tab-separated values with a header."""
    return _separated(table, "\t")


def json_lines(table: ResultTable) -> str:
    """The table as one JSON object a line."""
    import json

    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows())
    return "".join(f"{line}\n" for line in lines)


def _separated(table: ResultTable, separator: str) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(row.values() for row in table.rows())
    return text.getvalue()


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
        raise _unknown_ending(path)
    return separator


def _unknown_ending(path: str | Path) -> RankwiseError:
    return RankwiseError(
        f"{path}: a result table must end in .csv, .tsv, .jsonl or .parquet "
        f"(a wide table in .csv or .tsv)"
    )
