"""`rankwise score`: the scores that a model gives to the rows of a data set."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import (
    class_column_option,
    output_option,
    relations_option,
    zero_based_option,
)
from rankwise.cli.output import note, progress, say
from rankwise.cli.table_options import table_options
from rankwise.data import score_lines, write_scores
from rankwise.models import score as score_data


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
@output_option("The score file; without it scores go to standard output.")
@relations_option()
@zero_based_option()
@click.option(
    "--absent-as-zero",
    is_flag=True,
    help="DATA are sparse: last features of MODEL that they leave out are 0.",
)
@class_column_option("numbers the classes, for models that tell them apart.")
@table_options("data")
def score(
    model: Path,
    data: Path,
    output: Path | None,
    relations: tuple[Path, ...],
    zero_based: bool,
    absent_as_zero: bool,
    class_column: str | None,
) -> None:
    """Score the rows of DATA with MODEL: one score a line, in the order of the rows.

    Scores are written with all their digits, so that reading them gives the same numbers.

    \b
    Examples:
      rankwise score model.json test.txt -o scores.txt
      rankwise score model.json test.txt | head
      rankwise score model.json test.txt --relations links.tsv -o scores.txt
      rankwise score model.json sparse.txt --absent-as-zero -o scores.txt
    """
    with progress("scoring"):
        scores = score_data(
            model,
            data,
            zero_based=zero_based,
            absent_as_zero=absent_as_zero,
            class_column=class_column,
            relations=relations,
        )
    if output is None:
        say(score_lines(scores), nl=False)
    else:
        write_scores(scores, output)
        note(f"{output}: {len(scores)} scores")
