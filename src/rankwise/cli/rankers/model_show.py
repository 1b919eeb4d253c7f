"""`rankwise model show`: where a model came from, and what its features count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import print_json, print_table
from rankwise.models import ModelDescription, describe_model

BAR_WIDTH = 24


@click.command()
@click.argument("file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--features", type=click.IntRange(min=1), default=20, show_default=True, help="Bars to draw."
)
@format_option()
def show(file: Path, features: int, output_format: str) -> None:
    """Show where a model came from, and its weights or feature importance as a chart.

    \b
    Examples:
      rankwise model show model.json
      rankwise model show model.json --features 50
      rankwise model show model.json --format json
    """
    found = describe_model(file)
    if output_format == "json":
        print_json(_facts(found) | {"importance": found.importance})
        return
    rows = [[what, _shown(value)] for what, value in _facts(found).items()]
    print_table(["fact", "value"], rows, title=str(file))
    print_table(["feature", _importance_title(found), ""], _chart(found, features), numeric=(1,))


def _facts(found: ModelDescription) -> dict[str, Any]:
    return {
        "ranker": found.ranker,
        "paper": found.paper,
        "parameters": found.parameters,
        "training": found.training,
        "kind": found.kind,
        "features": found.features,
        "exports": list(found.exports),
        "written by": f"rankwise {found.rankwise_version}",
    }


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_shown(part)}" for key, part in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return str(value)


def _importance_title(found: ModelDescription) -> str:
    return "weight" if found.kind == "linear" else "importance"


def _chart(found: ModelDescription, count: int) -> list[list[str]]:
    """The features that count most, with bars as long as they count; − marks negative weights."""
    ordered = sorted(found.importance.items(), key=lambda one: -abs(one[1]))[:count]
    longest = max((abs(value) for _, value in ordered), default=0.0) or 1.0
    return [
        [name, f"{value:.4g}", _bar(value / longest)] for name, value in ordered if value != 0.0
    ]


def _bar(share: float) -> str:
    return ("−" if share < 0 else " ") + "█" * max(1, round(abs(share) * BAR_WIDTH))
