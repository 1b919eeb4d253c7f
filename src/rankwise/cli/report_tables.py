"""Tables of results in every format: for people, for programs and for papers."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.cli.output import note, print_table, say
from rankwise.tables import Table, find_numeric, format_cell, format_csv
from rankwise.tables.table import WRITERS


def print_report_tables(tables: Sequence[Table], output_format: str) -> None:
    """Print tables one after another, each with the best bold and the second underlined."""
    if output_format in ("latex", "markdown"):  # These write the notes into the table.
        say("\n".join(WRITERS[output_format](one) for one in tables), nl=False)
        return
    if output_format == "csv":
        say("\n".join(map(format_csv, tables)), nl=False)
    for one in tables if output_format == "table" else ():
        rows = [[format_cell(cell) for cell in row] for row in one.rows]
        right = [place for place, is_number in enumerate(find_numeric(one)) if is_number]
        print_table(
            one.titles, rows, title=one.title or None, numeric=right, unbroken=(0,),
            best=one.best, second=one.second,
        )  # fmt: skip
    for sentence in dict.fromkeys(said for one in tables for said in one.notes):
        note(sentence)
