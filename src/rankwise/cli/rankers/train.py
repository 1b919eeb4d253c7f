"""`rankwise train`: learn a model from a data set and write it to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from rankwise.cli.output import note, progress
from rankwise.cli.rankers.training_progress import Interruption, interruptible, watching
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.models import save_model
from rankwise.rankers.parameters import parameters_of, parse_value
from rankwise.rankers.ranker import Model, Ranker
from rankwise.rankers.registry import find_ranker


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--ranker", "name", required=True, help="The method; see: rankwise rankers list.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A hyper-parameter (may be repeated); see: rankwise rankers show NAME.",
)
@click.option(
    "--validate",
    "validation_file",
    type=click.Path(path_type=Path),
    help="Data that choose the round or stop training early.",
)
@click.option(
    "--measure",
    help="What methods that look at a measure train towards, and what is reported at the end.",
)
@click.option("--tool", help="Whose convention of the measure counts, e.g. letor4.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--zero-based", is_flag=True, help="Feature indices begin at 0, not 1.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Train over a Dask cluster (tcp://host:8786), whose workers read DATA in shares.",
)
@click.option(
    "--shares", type=click.IntRange(min=1), help="Of DATA on a cluster; else one a worker."
)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The model file."
)
def train(
    data: Path,
    name: str,
    settings: tuple[str, ...],
    validation_file: Path | None,
    measure: str | None,
    tool: str | None,
    seed: int,
    zero_based: bool,
    scheduler: str | None,
    shares: int | None,
    output: Path,
) -> None:
    """Train a method on DATA and write its model.

    A live line shows round, training and validation measure and the time left. Ctrl-C stops after
    the current round and keeps the best model so far; a second Ctrl-C gives up. On a cluster
    (--scheduler) Ctrl-C ends without a model.

    \b
    Examples:
      rankwise train train.txt --ranker ridge-regression -o model.json
      rankwise train train.txt --ranker lambdamart --validate vali.txt \\
          --measure NDCG@10 --tool letor4 --set leaves=15 -o model.json
      rankwise train large.txt --ranker lambdamart --validate vali.txt \\
          --scheduler tcp://head:8786 -o model.json
    """
    ranker = configured(find_ranker(name), settings, measure, tool)
    _refuse_unwritable(output)
    if shares is not None and scheduler is None:
        raise RankwiseError("--shares is for training over a cluster, with --scheduler")
    with interruptible() as interruption:
        if scheduler is None:
            model, parts = _fitted(ranker, data, validation_file, zero_based, seed, interruption)
        else:
            from rankwise.cli.rankers.train_cluster import fitted_on_cluster

            model, parts = fitted_on_cluster(
                ranker, data, validation_file, zero_based, scheduler, shares, interruption
            )
    if interruption.stopped_at is not None:
        model = replace(model, facts={**model.facts, "stopped_at_round": interruption.stopped_at})
        note(f"stopped in round {interruption.stopped_at}; this is the best model up to there")
    names = parts["training"].feature_names if "training" in parts else None
    save_model(model, output, feature_names=names)
    note(f"{output}: {ranker.name}, {model.scorer.n_features} features")
    for what, part in parts.items():
        note(f"{what} {_figure(ranker, model, part, measure, tool)}")


def configured(
    ranker: type[Ranker], settings: Sequence[str], measure: str | None, tool: str | None
) -> Ranker:
    """The ranker with the hyper-parameters of the command line."""
    declared = {one.name: one for one in parameters_of(ranker)}
    values: dict[str, Any] = {
        key: value
        for key, value in (("measure", measure), ("tool", tool))
        if value is not None and key in declared
    }
    given: set[str] = set()
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise RankwiseError(f"--set must be written name=value, found {setting!r}")
        if key not in declared:
            near = get_close_matches(key, declared, n=1)
            known = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(declared)}"
            raise RankwiseError(f"{ranker.name} has no parameter {key!r}; {known}")
        if key in given:
            raise RankwiseError(f"--set {key} must be given once, found it twice")
        given.add(key)
        values[key] = parse_value(declared[key], text, ranker.name)
    return ranker(**values)


def _refuse_unwritable(output: Path) -> None:
    """Better before training than after it."""
    if output.is_dir():
        raise RankwiseError(f"cannot write {output}: it is a directory; name a file in it")
    if not output.parent.is_dir():
        raise RankwiseError(f"cannot write {output}: the folder {output.parent} does not exist")


def _fitted(
    ranker: Ranker,
    data: Path,
    validation: Path | None,
    zero_based: bool,
    seed: int,
    interruption: Interruption,
) -> tuple[Model, dict[str, Dataset]]:
    """The model, and the data by what they were for."""
    with progress("reading"):
        parts = _read_parts(data, validation, zero_based)
    if interruption.asked:
        raise KeyboardInterrupt
    with watching(ranker.name, interruption) as watch:
        model = ranker.fit(*parts, seed=seed, watch=watch)
    return model, dict(zip(("training", "validation"), parts, strict=False))


def _read_parts(data: Path, validation: Path | None, zero_based: bool) -> list[Dataset]:
    """Training and perhaps validation data, equally wide: sparse files leave last features out."""
    files = [data] if validation is None else [data, validation]
    parts = [read(file, zero_based=zero_based) for file in files]
    width = max(part.n_features for part in parts)
    return [part.widened(width) for part in parts]


def _figure(
    ranker: Ranker, model: Model, part: Dataset, measure: str | None, tool: str | None
) -> str:
    from rankwise.evaluation import evaluate

    parameters = ranker.parameters()
    wanted = measure or parameters.get("measure", "MAP")
    convention = tool or parameters.get("tool", "definition")
    mean = evaluate(part, model.score(part), [wanted], convention)[wanted].mean
    return f"{wanted} ({convention}): {mean:.4f}"
