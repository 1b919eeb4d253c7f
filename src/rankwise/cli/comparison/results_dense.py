"""`rankwise results dense`: the dense table of a store, as it is shipped of our own runs."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.comparison.results_upkeep import store_argument
from rankwise.cli.options import format_option, output_option
from rankwise.cli.output import note, print_json, print_table
from rankwise.results import condense_store, name_subjects
from rankwise.tables import shown

_LONGEST_REASON = 300


@click.command("dense")
@store_argument
@output_option("The folder to write the files of the table into.", "DIR", required=True)
@click.option(
    "--data",
    multiple=True,
    metavar="DIR",
    help="Data that STORE was run on, a folder of folds or NAME of the data home: its numbers of "
    "queries, documents and features are told with the table; may be repeated.",
)
@format_option()
def dense(store: Path, output: Path, data: tuple[str, ...], output_format: str) -> None:
    """Condense STORE into a table of all methods on all data sets, with what each run cost.

    Written are rankwise_dense.csv with the means over all folds and seeds, which 'compare' and
    'place' take by the name of the folder; and beside it every run with its time, memory, chosen
    parameters or failure, what the data sets are like, and the values of every query.

    A method that lacks a fold or a seed on a data set has no mean there. Listed are these, with
    the reason. The same store gives the same bytes.

    \b
    Examples:
      rankwise results dense results.sqlite -o mine --data MQ2008
      rankwise place mine.csv --table mine
    """
    table = condense_store(store, output, data=data)
    called = name_subjects(table.subjects())
    rows = [
        (called[subject], method, reason)
        for (subject, method), reason in table.incomplete().items()
    ]
    columns = ("data set", "method", "why it has no mean")
    if output_format == "json":
        names = ("dataset", "method", "reason")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    elif rows:
        cells = [(*map(shown, row[:2]), shown(row[2], _LONGEST_REASON)) for row in rows]
        print_table(columns, cells, unbroken=(0, 1))
    note(f"{output}: {table!r}")
