"""`rankwise results`: tables of results and the store of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from rankwise.cli.comparison.results_store import STORE_COMMANDS
from rankwise.cli.options import output_option, writable
from rankwise.cli.output import note, say
from rankwise.results import (
    WideLayout,
    inspect_results,
    merge_results,
    read_results,
    write_results,
)


@click.group()
def results() -> None:
    """Tables of results: check, convert, merge. What experiments stored: list, show and more.

    A table has the columns collection, dataset, method, measure, value and, where known, version,
    fold, tool, source, note; its file ends in .csv, .tsv, .jsonl or .parquet.

    \b
    Examples:
      rankwise results check mine.csv
      rankwise results convert wide.csv long.csv --wide NDCG@10 --collection "LETOR 4.0"
      rankwise results merge mine.csv theirs.parquet -o all.csv --conflicts mean
    """


@results.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.pass_context
def check(context: click.Context, files: tuple[str, ...]) -> None:
    """Name every problem of the result tables FILE by its row; exit 1 where there is one.

    A data set that goes by several names (MQ2008, mq-2008) is one of them.

    \b
    Examples:
      rankwise results check mine.csv theirs.jsonl
    """
    wrong = 0
    for file in files:
        inspection = inspect_results(file)
        for problem in inspection.problems:
            say(inspection.describe(problem))
        spellings = inspection.spellings
        for sentence in spellings:
            say(f"{file}: {sentence}")
        found = len(inspection.problems) + len(spellings)
        wrong += found
        note(f"{file}: {inspection.table!r}, {found} problems")
    context.exit(1 if wrong else 0)


@results.command()
@click.argument("source", type=click.Path(), metavar="IN")
@click.argument("target", type=click.Path(), metavar="OUT", callback=writable)
@click.option("--wide", "measure", metavar="MEASURE", help="IN is a wide table of this measure.")
@click.option("--collection", default="", help="The collection of a wide table's data sets.")
@click.option(
    "--rows",
    type=click.Choice(["method", "dataset"]),
    default="method",
    show_default=True,
    help="What a row of a wide table is.",
)
@click.option("--study", help="What to name as the source of a wide table's results.")
def convert(
    source: str,
    target: str,
    measure: str | None,
    collection: str,
    rows: Literal["method", "dataset"],
    study: str | None,
) -> None:
    """Read the result table IN and write it as OUT; the endings name the formats.

    \b
    Examples:
      rankwise results convert results.csv results.parquet
      rankwise results convert paper.csv long.csv --wide MAP --collection "LETOR 3.0"
    """
    wide = None if measure is None else WideLayout(measure, collection, rows, study)
    table = read_results(source, wide=wide)
    write_results(table, target)
    note(f"{target}: {table!r}")


@results.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@output_option("The file to write.", required=True, former=("--out",))
@click.option(
    "--conflicts",
    type=click.Choice(["error", "first", "last", "mean"]),
    default="error",
    show_default=True,
    help="What to do where two values for the same thing differ.",
)
@click.option("--average-folds", is_flag=True, help="Write the means over folds.")
def merge(
    files: tuple[str, ...],
    output: Path,
    conflicts: Literal["error", "first", "last", "mean"],
    average_folds: bool,
) -> None:
    """Put the result tables FILE together into one.

    \b
    Examples:
      rankwise results merge a.csv b.csv -o all.csv
      rankwise results merge runs.csv -o means.csv --average-folds
    """
    tables = [read_results(file) for file in files]
    table = merge_results(tables, conflicts, names=files)
    if average_folds:
        table = table.aggregate_folds()
    write_results(table, output)
    note(f"{output}: {table!r}")


for command in STORE_COMMANDS:
    results.add_command(command)
