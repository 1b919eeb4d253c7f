"""`rankwise tune`: choose a ranker's parameters on validation queries, and train it with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import (
    class_column_option,
    format_option,
    measure_option,
    option,
    output_option,
    relations_option,
    seed_option,
    tool_option,
    zero_based_option,
)
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.own_rankers import apart
from rankwise.cli.table_options import table_options
from rankwise.experiments import (
    SEARCH_METHODS,
    TuningProgress,
    TuningResult,
    parse_fixed,
    parse_grid,
    parse_intervals,
)
from rankwise.experiments import (
    tune as tune_ranker,
)
from rankwise.models import save_model

DEFAULT_STORE = "tuning.sqlite"


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--ranker", required=True, help="The method; your own as module:Name.")
@option(
    "--validate",
    "validation",
    type=click.Path(path_type=Path),
    former=("--validation",),
    help="Data that choose the trial, and the round within each.",
)
@option(
    "--cross-validate",
    former=("--folds",),
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
    with progress(f"tuning {ranker}", 1.0) as advance, apart():

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
        (one.number, *(_write(one.parameters.get(name)) for name in varied),
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


def _write(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
