"""`rankwise train`, `tune` and `score`: learn a model, choose its parameters, score data with it.

`train` writes the model to a file. `tune` chooses a ranker's parameters on validation queries, and
trains it with them. The live line of training has the round, the training and validation measure,
and the time left; Ctrl-C stops.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options import (
    class_column_option,
    format_option,
    measure_option,
    output_option,
    relations_option,
    seed_option,
    table_options,
    tool_option,
    wait_option,
    zero_based_option,
)
from rankwise.cli.output import note, print_json, print_table, progress, redirect_prints, say
from rankwise.data import ABSENT, score_lines, write_scores
from rankwise.errors import RankwiseError
from rankwise.experiments import (
    SEARCH_METHODS,
    WAYS,
    TuningProgress,
    TuningResult,
    fit,
    fit_on_cluster,
    measured_parameters,
    parse_fixed,
    parse_grid,
    parse_intervals,
    read_parts,
    refuse_unused_classes,
    training_figure,
)
from rankwise.experiments import tune as tune_ranker
from rankwise.models import save_model
from rankwise.models import score as score_data
from rankwise.rankers import QuietWatch, Round, Watch, find_ranker, make_ranker, parse_settings
from rankwise.sanitize import visible

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
    with watching(ranker.name, interruption) as watch, redirect_prints():
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

    with watching(ranker.name, interruption) as watch, redirect_prints():
        model = fit_on_cluster(
            ranker, data, *judged, zero_based=zero_based, watch=watch, tick=give_up, **cluster
        )  # fmt: skip
    return model, dict(zip(("validation",), judged, strict=False))


DEFAULT_STORE = "tuning.sqlite"


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--ranker", required=True, help="The method; your own as module:Name.")
@click.option(
    "--validate",
    "validation",
    type=click.Path(path_type=Path),
    help="Data that choose the trial, and the round within each.",
)
@click.option(
    "--cross-validate",
    type=click.IntRange(min=2),
    metavar="K",
    help="Cross-validate: DATA's queries in K parts.  [default without validation data: 5]",
)
@click.option(
    "--method",
    type=click.Choice(list(SEARCH_METHODS)),
    default="grid",
    show_default=True,
    help="How combinations are searched.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="One value of it.")
@click.option("--values", multiple=True, metavar="NAME=V,V,…", help="Values to try of it.")
@click.option(
    "--draw", multiple=True, metavar="NAME=LOW:HIGH[:log]", help="An interval to draw it from."
)
@click.option("--trials", type=click.IntRange(min=1), metavar="N", help="So many at most.")
@click.option("--time", metavar="10m", help="Begin no trial after this time of training.")
@measure_option("What chooses the trial, else MAP, and the round, else the ranker's own rule.")
@tool_option("Whose convention of the measure counts.", default="definition")
@seed_option()
@relations_option()
@zero_based_option()
@class_column_option("numbers the classes, for rankers that tell them apart: per-class.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=DEFAULT_STORE,
    show_default=True,
    help="Keeps every trial; the same command continues.",
)
@click.option("--retry", is_flag=True, help="Try trials again that failed before.")
@output_option("The model file.", required=True)
@format_option()
@table_options("data", "validation", weights=True)
def tune(
    data: Path,
    ranker: str,
    validation: Path | None,
    cross_validate: int | None,
    settings: tuple[str, ...],
    values: tuple[str, ...],
    draw: tuple[str, ...],
    store: Path,
    output: Path,
    output_format: str,
    **given: Any,
) -> None:
    """Choose the parameters of a method, and write the model that is trained with them.

    DATA are training data, or a folder with a training and perhaps a validation part, whose test
    part is not read. Without validation data each of five parts of the training queries is judged
    by what learnt from the others. Tried are the values that the method
    declares (rankwise rankers show NAME) unless --set, --values or --draw say otherwise; of a
    wrapped method as of.NAME. Every trial is kept as it ends: the same command continues after
    Ctrl-C or a crash, and with a larger budget goes on where it was.

    \b
    Examples:
      rankwise tune train.txt --ranker lambdamart --validate vali.txt -o model.json
      rankwise tune MQ2008/Fold1 --ranker ranksvm -m NDCG@10 --tool letor4 -o model.json
      rankwise tune train.txt --ranker ridge-regression --cross-validate 5 --method random \\
          --draw regularization=0.001:100:log --trials 20 -o model.json
      rankwise tune train.txt --ranker lambdamart --validate vali.txt --method optuna \\
          --draw learning_rate=0.02:0.3:log --draw leaves=7:63 --time 10m -o model.json
    """
    fixed = parse_fixed(ranker, settings)
    grid = parse_grid(ranker, values, settings)
    intervals = parse_intervals(draw)
    with progress(f"tuning {ranker}", 1.0) as advance, redirect_prints():

        def show(standing: TuningProgress) -> None:
            advance(standing.share or 0.0)

        try:
            found = tune_ranker(
                ranker, data, validation, folds=cross_validate, fixed=fixed, grid=grid,
                draw=intervals, store=store, progress=show, **given,
            )  # fmt: skip
        except KeyboardInterrupt:
            note(f"stopped: the trials that ended are in {store}; the same command continues")
            raise
    if output_format == "json":
        print_json(found.as_dict())
    else:
        _print_trials(found)
    for remark in found.model.facts.get("remarks", ()):
        note(f"note: {remark}")
    kept = sum(trial.kept for trial in found.trials)
    if kept:
        note(f"{kept} of {len(found.trials)} trials were known, and not run again")
    save_model(found.model, output)
    note(f"{output}: {ranker}, trial {found.best.number} of {len(found.trials)}, "
         f"{found.measure} {found.best.value:.4f}; the trials: {store}")  # fmt: skip


def _print_trials(found: TuningResult) -> None:
    varied = found.varied
    rows = [
        (one.number, *(_format_value(one.parameters.get(name)) for name in varied),
         "-" if one.value is None else f"{one.value:.4f}", f"{one.seconds:.2f}", one.reason or "")
        for one in found.trials
    ]  # fmt: skip
    judged = "the validation part" if found.folds == 1 else f"{found.folds} folds"
    print_table(
        ("trial", *varied, found.measure, "seconds", ""),
        rows,
        title=f"{found.ranker}: {found.measure} by {found.tool} on {judged}",
        numeric=range(len(varied) + 3),
        best=[(found.best.number - 1, len(varied) + 1)],
    )


def _format_value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


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


@dataclass
class Interruption:
    """Whether Ctrl-C was pressed."""

    asked: bool = False


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """While this holds, the first Ctrl-C asks training to stop; a second one ends the command."""
    interruption = Interruption()

    def ask(number: int, frame: FrameType | None) -> None:
        if interruption.asked:
            raise KeyboardInterrupt
        interruption.asked = True
        note("\nstopping after this round; Ctrl-C again gives up without a model")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def watching(name: str, interruption: Interruption) -> Iterator[Watch]:
    """A watch that shows every round on a terminal, nothing elsewhere, and obeys Ctrl-C."""
    shown = sys.stderr.isatty()
    with contextlib.ExitStack() as stack:
        show = stack.enter_context(_terminal_line(name)) if shown else _stay_silent

        def watch(progress: Round) -> bool:
            show(progress)
            return interruption.asked

        yield watch if shown else QuietWatch(watch)


def figures(progress: Round) -> str:
    """`training 0.4512  validation 0.4433`, as far as known."""
    known = (("training", progress.training), ("validation", progress.validation))
    return "  ".join(f"{what} {value:.4f}" for what, value in known if value is not None)


def _stay_silent(progress: Round) -> None:
    """Output that goes into a file or a pipe shows no progress."""


@contextlib.contextmanager
def _terminal_line(name: str) -> Iterator[Callable[[Round], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    line = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=16),
        TextColumn("round {task.completed:.0f} of {task.total:.0f}", markup=False),
        TextColumn("{task.fields[figures]}", markup=False),
        TimeRemainingColumn(),
        TextColumn("left", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    task = line.add_task(visible(name), total=1.0, figures="", visible=False)

    def show(progress: Round) -> None:
        line.update(
            task,
            completed=progress.number,
            total=max(progress.total, progress.number),
            figures=figures(progress),
            visible=True,
        )

    with line:
        yield show
