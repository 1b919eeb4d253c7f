"""`rankwise features path`: a ranker along the parameter that lets features in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import (
    format_option,
    measure_option,
    output_option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.cli.own_rankers import apart
from rankwise.cli.stages import shown_stages
from rankwise.experiments import FeaturePath, trace_path
from rankwise.rankers import find_ranker, make_ranker, parse_settings


@click.command("path")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--ranker",
    "name",
    default="sparserank",
    show_default=True,
    help="What is learnt: a sparse ranker, or any other with --parameter.",
)
@click.option("--parameter", metavar="NAME", help="What to follow.  [default: the ranker's own]")
@click.option(
    "--values",
    multiple=True,
    callback=split_commas,
    metavar="VALUE",
    help="Its values, with commas.  [default: those that tuning tries]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another hyper-parameter (may be repeated).",
)
@measure_option("What is measured on validation parts.", default="MAP")
@tool_option("Whose convention of it.", default="definition")
@seed_option()
@click.option(
    "--names",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of the features, one a line.  [default: the data card beside DIR, if any]",
)
@output_option("Draw the figures into FOLDER.", "FOLDER")
@format_option(own=("csv",))
def path_command(
    directory: Path,
    name: str,
    parameter: str | None,
    values: tuple[str, ...],
    settings: tuple[str, ...],
    output: Path | None,
    output_format: str,
    **how: Any,
) -> None:
    """Follow a sparse ranker on the folds in DIR: which features it keeps, and what that is worth.

    For each fold the ranker is learnt on the training part with every value of the parameter, and
    measured on the validation part; test parts are not looked at. The best value is marked for each
    fold alone: the validation parts of all folds together are the test data.

    \b
    Examples:
      rankwise features path OHSUMED/QueryLevelNorm --ranker fenchelrank -o figures
      rankwise features path MQ2008 --ranker fsmrank --set similarity=0.1 --format csv
      rankwise features path MQ2008 --ranker gas-e --parameter keep --values 1,2,5,10,20
    """
    with shown_stages() as stage, apart():
        ranker = make_ranker(name, **parse_settings(find_ranker(name), settings))
        numbers = [_number(text) for text in values]
        found = trace_path(
            directory, ranker, parameter=parameter, values=numbers, stage=stage, **how
        )
    for remark in found.remarks:
        note(remark)
    _print(found, output_format)
    if output is not None:
        from rankwise.reports import draw_path

        for path in draw_path(found, output):
            note(f"wrote {path}")


def _number(text: str) -> float:
    """A whole number stays one: some parameters count."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--values are numbers, found {text!r}") from None


def _print(found: FeaturePath, output_format: str) -> None:
    if output_format == "json":
        print_json(found.as_dict())
    elif output_format == "csv":
        from rankwise.tables import Table, format_csv

        rows = found.records()
        keys = tuple(rows[0])
        say(format_csv(Table(keys, keys, tuple(tuple(row.values()) for row in rows))), nl=False)
    else:
        _print_table(found)


def _print_table(found: FeaturePath) -> None:
    chosen = found.chosen
    rows = [
        (
            point.fold,
            f"{point.value:g}",
            point.features_kept,
            "–" if point.validation is None else f"{point.validation:.4f}",
            "best" if chosen.get(point.fold) == point.value else "",
            _strongest(found, point.weights),
        )
        for point in found.points
    ]
    print_table(
        ("fold", found.parameter, "kept", f"{found.measure} on validation", "", "largest weights"),
        rows,
        numeric=(0, 1, 2, 3),
        title=f"{found.ranker} along {found.parameter}",
    )


def _strongest(found: FeaturePath, weights: tuple[float, ...], most: int = 3) -> str:
    order = sorted(range(len(weights)), key=lambda number: -abs(weights[number]))
    shown = [number for number in order[:most] if weights[number]]
    return ", ".join(f"{found.name_feature(n + 1)} {weights[n]:+.3g}" for n in shown)
