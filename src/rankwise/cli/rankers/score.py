"""`rankwise score`: the scores that a model gives to the rows of a data set."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.output import note, progress
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.files import write_text
from rankwise.models import ModelFile, read_model_file


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The score file; without it scores go to standard output.",
)
@click.option("--zero-based", is_flag=True, help="Feature indices begin at 0, not 1.")
def score(model: Path, data: Path, output: Path | None, zero_based: bool) -> None:
    """Score the rows of DATA with MODEL: one score a line, in the order of the rows.

    Scores are written with all their digits, so that reading them gives the same numbers.

    \b
    Examples:
      rankwise score model.json test.txt -o scores.txt
      rankwise score model.json test.txt | head
    """
    file = read_model_file(model)
    with progress("scoring"):
        dataset = read(data, zero_based=zero_based, n_features=file.model.scorer.n_features)
        _refuse_other_features(file, dataset)
        scores = file.model.score(dataset)
    text = "".join(f"{value!r}\n" for value in scores.tolist())
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        note(f"{output}: {len(scores)} scores")


def _refuse_other_features(file: ModelFile, dataset: Dataset) -> None:
    """Where both sides name their features, they must be the same ones in the same order."""
    if file.feature_names is None or dataset.feature_names is None:
        return
    pairs = zip(file.feature_names, dataset.feature_names, strict=False)
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs:
            raise RankwiseError(
                f"the data must have the model's features: feature {number} is {ours!r} in the "
                f"model and {theirs!r} in the data"
            )
