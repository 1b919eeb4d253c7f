"""`rankwise model cost`: how long scoring takes, by the model and by its exports."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option, option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.models import EXPORTS, ServingTime, measure_cost


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", required=False, type=click.Path(path_type=Path))
@option(
    "--to",
    "targets",
    multiple=True,
    type=click.Choice([one.name for one in EXPORTS]),
    metavar="TARGET",
    help="An export to time (may be repeated).  [default: all that can run here]",
)
@option(
    "--repeats",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Times that everything is timed; medians are shown.",
)
@format_option()
@table_options("data")
def cost(
    model: Path, data: Path | None, targets: tuple[str, ...], repeats: int, output_format: str
) -> None:
    """Time MODEL and its exports: microseconds per document and per query, called from Python.

    DATA are scored where given, else 20 queries of 100 made-up documents. All are timed in turns on
    the same rows; behind each time stands its ratio to the model's own. Models that score whole
    lists have no time for a single document.

    \b
    Examples:
      rankwise model cost model.json
      rankwise model cost model.json test.txt --to onnx --to c
    """
    with progress("timing"):
        found = measure_cost(model, data, targets=targets or None, repeats=repeats)
    if output_format == "json":
        print_json(asdict(found))
        return
    print_table(
        ["scorer", "batch, per document", "per query", "single document", "how"],
        [_row(one) for one in found.times],
        title=f"Microseconds on {found.documents} documents of {found.queries} queries",
        numeric=(1, 2, 3),
    )
    for name, reason in found.skipped.items():
        note(f"{name}: not timed: {reason}")


def _row(one: ServingTime) -> list[str]:
    times = zip((one.batch, one.query, one.single), one.ratio, strict=True)
    return [one.scorer, *(_cell(time, ratio) for time, ratio in times), one.how]


def _cell(time: float | None, ratio: float | None) -> str:
    return "–" if time is None or ratio is None else f"{time:.4g} ({ratio:.3g} ×)"
