"""`rankwise results bundle`: document, models and script of a method in one archive."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.comparison.results_upkeep import store_argument
from rankwise.cli.options import format_option, output_option
from rankwise.cli.output import print_json, print_table
from rankwise.experiments import write_bundle


@click.command("bundle")
@store_argument
@click.option("--method", required=True, help="Whose results, as the store calls it.")
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A model file of the method; may be repeated. Else those that STORE keeps.",
)
@output_option("The archive, a zip file.", required=True)
@format_option()
def bundle(
    store: Path, method: str, models: tuple[Path, ...], output: Path, output_format: str
) -> None:
    """Pack what LETOR asks of submitted results: a document, the models, and a script.

    README.md has the settings and figures of every fold, results.csv the figures of every tool,
    reproduce.sh the commands that train with these settings, score and evaluate again. The same
    store and models give the same bytes.

    \b
    Examples:
      rankwise results bundle results.sqlite --method listnet -o listnet.zip
      rankwise results bundle results.sqlite --method listnet --model fold1.json -o listnet.zip
    """
    found = write_bundle(store, method, output, models=models)
    if output_format == "json":
        print_json(asdict(found))
        return
    rows = [("output", found.output), ("method", found.method), ("tasks", found.tasks),
            ("files", ", ".join(found.files))]  # fmt: skip
    print_table(("", ""), rows, unbroken=(0,))
