"""`rankwise build stages`: retrieve, then rank, evaluated over the whole corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option, measures_option, seed_option
from rankwise.cli.output import note, print_json, print_table, redirect_prints, shown_stages
from rankwise.experiments import STAGE_MEASURES, evaluate_stages


@click.command("stages")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--ranker", default="ridge-regression", show_default=True, help="The second stage.")
@measures_option(f"Measures of relevant documents.  [default: {','.join(STAGE_MEASURES)}]")
@seed_option()
@format_option()
def stages_command(
    directory: Path, ranker: str, measures: tuple[str, ...], seed: int, output_format: str
) -> None:
    """Evaluate both stages of the build in DIR over the whole corpus: retrieve, then rank.

    The first stage is BM25 with the depth of the build, the second a ranker trained on its folds,
    each query tested in its fold. Every document that was judged relevant counts, also where the
    first stage lost it: the last column is what a perfect second stage would reach.

    \b
    Examples:
      rankwise build stages cranfield
      rankwise build stages cranfield --ranker ranksvm -m MAP,P@10
    """
    with shown_stages() as stage, redirect_prints():
        found = evaluate_stages(
            directory, ranker, measures=measures or STAGE_MEASURES, seed=seed, stage=stage
        )
    if output_format == "json":
        print_json(asdict(found))
        return
    rows = [
        (one.measure, f"{one.retrieved:.4f}", f"{one.ranked:.4f}", f"{one.best:.4f}")
        for one in found.figures
    ]
    columns = ("measure", "BM25", f"then {found.ranker}", "at best")
    print_table(columns, rows, numeric=range(1, 4), unbroken=(0,))
    note(f"{found.recall:.1%} of the relevant documents are among the {found.depth} best by BM25")
