"""`rankwise data filter`: data sets without their empty or short queries."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.data.number_styles import numbers_option
from rankwise.cli.options import format_option, writable
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.data import NumberStyle, filter_files, parse_drop


@click.command("filter")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@click.option(
    "--drop",
    required=True,
    metavar="KINDS",
    help="empty: no document has a label above 0; short: fewer than 10 documents; short:k: fewer "
    "than k; several with commas.",
)
@numbers_option
@format_option()
@table_options("source")
def filter_command(
    source: Path, target: Path, drop: str, numbers: NumberStyle, output_format: str
) -> None:
    """Write the file or the folds IN to OUT without the queries that tools disagree on.

    Of a folder every part of every fold is written under its own name, those of all versions where
    the folds are one folder down; OUT must then be new, and other files are not copied.
    'rankwise data check' says what such queries do under each tool. Figures on what is left are
    figures on other data: say so where you give them.

    \b
    Examples:
      rankwise data filter test.txt test-judged.txt --drop empty
      rankwise data filter MQ2008 MQ2008-judged --drop empty,short
      rankwise data filter MQ2008 MQ2008-of-5 --drop short:5
    """
    chosen = parse_drop(drop)
    with progress("filtering") as advance:
        parts = filter_files(
            source, target, chosen, numbers=numbers, advance=lambda done, _: advance(done)
        )
    if output_format == "json":
        print_json([asdict(part) for part in parts])
        return
    rows = [
        (part.output, part.queries, part.kept_queries, part.rows, part.kept_rows) for part in parts
    ]
    columns = ("file", "queries", "kept", "rows", "kept rows")
    print_table(columns, rows, numeric=range(1, 5), unbroken=(0,))
    note("figures on these files are figures on other data than those of IN")
