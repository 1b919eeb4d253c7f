"""Result tables written to files: CSV, TSV, JSON lines and Parquet, in long form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import write_text, written_whole
from rankwise.results.table import ResultTable
from rankwise.results.validation import find_unprintable


def write_results(table: ResultTable, path: str | Path) -> None:
    """Write `table` in the format that the ending of `path` names, whole or not at all.

    Numbers are written so that they are read back exactly. Texts are written as they are: a
    method named `=1+1` is a text here, though a spreadsheet may take it for a formula. Texts that
    `read_results` would refuse are refused here.
    """
    _check_texts(table, path)
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        from rankwise.results.parquet import write_parquet

        with written_whole(path) as stream:
            write_parquet(table, stream)
        return
    writers = {".csv": format_csv, ".tsv": format_tsv, ".jsonl": format_json_lines}
    if ending not in writers:
        raise refuse_ending(path)
    write_text(path, writers[ending](table))


def _check_texts(table: ResultTable, path: str | Path) -> None:
    for name in table.columns:
        if name == "value":
            continue
        for text in dict.fromkeys(getattr(table, name).tolist()):
            wrong = None if text is None else find_unprintable(text)
            if wrong is not None:
                raise RankwiseError(
                    f"{path}: a {name} must be printable text, found the character "
                    f"U+{ord(wrong):04X} in {text[:80]!r}; give it another name"
                )


def refuse_ending(path: str | Path) -> RankwiseError:
    """The error about a file whose ending names no format of result tables."""
    return RankwiseError(
        f"{path}: a result table must end in .csv, .tsv, .jsonl or .parquet "
        f"(a wide table in .csv or .tsv)"
    )


def format_csv(table: ResultTable) -> str:
    """The table as comma-separated values with a header."""
    return _format_separated(table, ",")


def format_tsv(table: ResultTable) -> str:
    """The table as tab-separated values with a header."""
    return _format_separated(table, "\t")


def format_json_lines(table: ResultTable) -> str:
    """The table as one JSON object a line."""
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.rows())
    return "".join(f"{line}\n" for line in lines)


def _format_separated(table: ResultTable, separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(row.values() for row in table.rows())
    return text.getvalue()
