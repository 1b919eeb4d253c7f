"""`rankwise train`: learn a model from a data set and write it to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options import (
    class_column_option,
    measure_option,
    output_option,
    relations_option,
    seed_option,
    tool_option,
    wait_option,
    zero_based_option,
)
from rankwise.cli.output import note, progress
from rankwise.cli.own_rankers import apart
from rankwise.cli.rankers.training_progress import Interruption, interruptible, watching
from rankwise.cli.table_options import table_options
from rankwise.data import ABSENT
from rankwise.errors import RankwiseError
from rankwise.experiments import (
    WAYS,
    fit,
    fit_on_cluster,
    measured_parameters,
    read_parts,
    refuse_unused_classes,
    training_figure,
)
from rankwise.models import save_model
from rankwise.rankers import find_ranker, make_ranker, parse_settings

if TYPE_CHECKING:
    from rankwise.data import Dataset
    from rankwise.models import Model
    from rankwise.rankers import Ranker


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--ranker",
    "name",
    required=True,
    help="The method; see: rankwise rankers list. Your own as module:Name.",
)
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
    "--also",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="OTHER",
    help="Further data to learn from, with DATA's features by name; may be repeated.",
)
@click.option(
    "--way",
    type=click.Choice(WAYS),
    help="How to learn from --also; else pooled.",
)
@click.option(
    "--source-weight",
    type=float,
    metavar="W",
    help="What a document of --also counts beside one of DATA; else the best on validation.",
)
@click.option(
    "--absent",
    type=click.Choice(ABSENT),
    help="Features that --also lacks: zero there, which is usual, or drop them.",
)
@measure_option(
    "What methods that look at a measure train towards, and what is reported at the end."
)
@tool_option("Whose convention of the measure counts, e.g. letor4.")
@seed_option()
@relations_option()
@zero_based_option()
@class_column_option("numbers the classes, for rankers that tell them apart: per-class.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Train over a Dask cluster (tcp://host:8786), whose workers read DATA in shares.",
)
@click.option(
    "--shares", type=click.IntRange(min=1), help="Of DATA on a cluster; else one a worker."
)
@wait_option()
@output_option("The model file.", required=True)
@table_options("data", "validation_file", "also", weights=True)
def train(
    data: Path,
    name: str,
    settings: tuple[str, ...],
    validation_file: Path | None,
    measure: str | None,
    tool: str | None,
    seed: int,
    relations: tuple[Path, ...],
    zero_based: bool,
    class_column: str | None,
    scheduler: str | None,
    shares: int | None,
    wait: str | None,
    output: Path,
    **transfer: Any,
) -> None:
    """Train a method on DATA and write its model.

    A live line shows round, training and validation measure and the time left. Ctrl-C stops after
    the current round and keeps the best model so far; a second Ctrl-C gives up. On a cluster
    (--scheduler) Ctrl-C ends without a model, and where a worker is lost training begins again.

    \b
    Examples:
      rankwise train train.txt --ranker ridge-regression -o model.json
      rankwise train train.txt --ranker lambdamart --validate vali.txt \\
          -m NDCG@10 --tool letor4 --set leaves=15 -o model.json
      rankwise train train.txt --ranker propagation --set of=ranksvm \\
          --relations links.tsv -o model.json
      rankwise train train.txt --ranker mine:MyRanker -o model.json
      rankwise train mine.txt --ranker lambdamart --validate vali.txt \\
          --also theirs.txt --way weighted -o model.json
      rankwise train large.txt --ranker lambdamart --validate vali.txt \\
          --scheduler tcp://head:8786 -o model.json
    """
    chosen = find_ranker(name)
    given = parse_settings(chosen, settings)
    ranker = make_ranker(chosen, **measured_parameters(chosen, measure, tool, given))
    if relations and scheduler is not None:
        raise RankwiseError("--relations are read on one machine only, not with --scheduler")
    if shares is not None and scheduler is None:
        raise RankwiseError("--shares is for training over a cluster, with --scheduler")
    if wait is not None and scheduler is None:
        raise RankwiseError("--wait is for training over a cluster, with --scheduler")
    if scheduler is not None and transfer["also"]:
        raise RankwiseError("--also is for training on this machine, without --scheduler")
    if class_column is not None:
        refuse_unused_classes(ranker)
    if class_column is not None and scheduler is not None:
        raise RankwiseError("--class-column is for training on this machine, without --scheduler")
    if class_column is not None and transfer["also"]:
        raise RankwiseError("--class-column is for training on DATA alone, without --also")
    with interruptible() as interruption:
        if scheduler is None:
            reading = {
                "zero_based": zero_based,
                "class_column": class_column,
                "relations": relations,
            }
            model, parts = _fitted(
                ranker, data, validation_file, reading, seed, interruption, transfer
            )
        else:
            model, parts = _fitted_on_cluster(
                ranker, data, validation_file, interruption,
                zero_based=zero_based, scheduler=scheduler, shares=shares, wait=wait,
            )  # fmt: skip
    stopped_at = model.facts.get("stopped_at_round")
    if stopped_at is not None:
        note(f"stopped in round {stopped_at}; this is the best model up to there")
    for remark in model.facts.get("remarks", ()):
        note(f"note: {remark}")
    if validation_file is None and model.facts.get("remarks"):
        note("name validation data with --validate FILE")
    try:
        save_model(model, output)
        note(f"{output}: {ranker.name}, {model.scorer.n_features} features")
    finally:
        # Of a model of somebody's own that no file can hold, the figures are all there is.
        for what, part in parts.items():
            note(f"{what} {training_figure(model, part, measure, tool)}")


def _fitted(
    ranker: Ranker,
    data: Path,
    validation: Path | None,
    reading: dict[str, Any],
    seed: int,
    interruption: Interruption,
    transfer: Mapping[str, Any],
) -> tuple[Model, dict[str, Dataset]]:
    """The model, and the data by what they were for."""
    with progress("reading"):
        parts = read_parts(data, validation, **reading, say=note, ranker=ranker)
    if interruption.asked:
        raise KeyboardInterrupt
    with watching(ranker.name, interruption) as watch, apart():
        model = fit(
            ranker, *parts, seed=seed, watch=watch, zero_based=reading["zero_based"], **transfer
        )
    return model, dict(zip(("training", "validation"), parts, strict=False))


def _fitted_on_cluster(
    ranker: Ranker,
    data: Path,
    validation: Path | None,
    interruption: Interruption,
    *,
    zero_based: bool,
    **cluster: Any,
) -> tuple[Model, dict[str, Dataset]]:
    """The model, and the validation data, which are all that is read here."""
    judged: list[Dataset] = []
    if validation is not None:
        with progress("reading"):
            judged = read_parts(validation, zero_based=zero_based)

    def give_up() -> None:
        if interruption.asked:
            raise KeyboardInterrupt

    with watching(ranker.name, interruption) as watch, apart():
        model = fit_on_cluster(
            ranker, data, *judged, zero_based=zero_based, watch=watch, tick=give_up, **cluster
        )  # fmt: skip
    return model, dict(zip(("validation",), judged, strict=False))
