"""`rankwise results kept|extract`: the models and scores that a store keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.comparison.results_upkeep import store_argument
from rankwise.cli.options import format_option, writable
from rankwise.cli.output import note, print_json, print_table
from rankwise.results import Subject, extract_kept, list_kept, name_subjects
from rankwise.tables import shown


@click.command("kept")
@store_argument
@click.option("--all", "everything", is_flag=True, help="Also of tasks that later ones superseded.")
@format_option()
def kept_command(store: Path, everything: bool, output_format: str) -> None:
    """List the models and scores that STORE keeps: rankwise bench --keep models,scores.

    \b
    Examples:
      rankwise results kept results.sqlite
      rankwise results kept results.sqlite --format json
    """
    found = list_kept(store, superseded=everything)
    if output_format == "json":
        print_json([{**item._asdict(), "name": asdict(item.name)} for item in found])
        return
    called = name_subjects(Subject.of(item.name) for item in found)
    rows = [
        [item.key[:8], f"{called[Subject.of(item.name)]} {item.name.fold}",
         shown(item.name.method), item.name.seed, item.what, f"{item.size / 1e3:,.1f} kB"]
        for item in found
    ]  # fmt: skip
    titles = ["key", "fold", "method", "seed", "kept", "size"]
    print_table(titles, rows, numeric=(3, 5), unbroken=(0, 4))
    if not found:
        note(f"{store} keeps no models or scores: rankwise bench --keep models,scores")


def _file_option(name: str, help_text: str) -> Callable[[Any], Any]:
    return click.option(
        name, type=click.Path(path_type=Path), metavar="FILE", callback=writable, help=help_text
    )


@click.command("extract")
@store_argument
@click.argument("task", metavar="KEY")
@_file_option("--model", "Write the model here: for score, model export.")
@_file_option("--scores", "Write the scores of the test part here, one a line.")
@_file_option("--validation-scores", "The same of the validation part.")
def extract_command(
    store: Path, task: str, model: Path | None, scores: Path | None, validation_scores: Path | None
) -> None:
    """Write the kept model or scores of one task of STORE, by the beginning of its KEY.

    \b
    Examples:
      rankwise results extract results.sqlite 3fa9 --model fold1.json
      rankwise results extract results.sqlite 3fa9 --scores fold1.scores
    """
    written = extract_kept(
        store, task, model=model, scores=scores, validation_scores=validation_scores
    )
    note(f"written: {', '.join(map(str, written))}")
