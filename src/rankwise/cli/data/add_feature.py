"""`rankwise data add-feature`: an external score becomes a feature."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.data.number_styles import numbers_option
from rankwise.cli.options import format_option, writable
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.data import NumberStyle, add_feature_to_files


@click.command("add-feature")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@click.option("--name", metavar="NAME", help="What the feature is called; else as RUN is.")
@click.option(
    "--missing",
    type=float,
    metavar="VALUE",
    help="What documents that RUN lacks have; else NULL.",
)
@click.option("--score-column", metavar="NAME", help="Of a table RUN: the column of the scores.")
@numbers_option
@format_option()
@table_options("source")
def add_feature_command(
    source: Path,
    run: Path,
    target: Path,
    name: str | None,
    missing: float | None,
    score_column: str | None,
    numbers: NumberStyle,
    output_format: str,
) -> None:
    """Write the file or the folds IN to OUT with the scores of RUN as one more feature, the last.

    RUN is a TREC run (a dense retriever's, say), a table with the columns query, document and
    score, or a file of one score a row as 'rankwise score' writes it. Rows are found by the ids of
    queries and documents; of LETOR text these are in the comments (#docid = X). Of a folder every
    part of every fold is written, and OUT must be new.

    \b
    Examples:
      rankwise data add-feature test.txt dense.run test-dense.txt --name dense
      rankwise data add-feature MQ2008 dense.run MQ2008-dense --missing 0
      rankwise data add-feature shop.csv cosine.csv shop.parquet --score-column cosine
    """
    with progress("adding") as advance:
        found = add_feature_to_files(
            source, run, target, name=name, score_column=score_column, numbers=numbers,
            missing=math.nan if missing is None else missing,
            advance=lambda done, _: advance(done),
        )  # fmt: skip
    if output_format == "json":
        print_json(asdict(found))
        return
    rows = [(part.output, part.rows, part.matched, part.missing) for part in found.parts]
    print_table(("file", "rows", "with a score", "without"), rows, numeric=range(1, 4),
                unbroken=(0,))  # fmt: skip
    filled = "NULL" if missing is None else f"{missing:g}"
    lacking = sum(part.missing for part in found.parts)
    note(f"{found.name} is feature {found.number}; {lacking:,} rows without a score have {filled}")
    if found.unused:
        note(f"{found.unused:,} documents of {run} are not among the data")
