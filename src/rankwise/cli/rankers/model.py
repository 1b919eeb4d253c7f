"""`rankwise model`: look into model files, and write them for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table
from rankwise.errors import RankwiseError
from rankwise.files import readable, write_text
from rankwise.models import ModelFile, read_model_file
from rankwise.models.exports import EXPORTS, export, exports_of

BAR_WIDTH = 24
_MOST_BYTES_OF_NAMES = 2**24


@click.group()
def model() -> None:
    """Look into models, and write them for RankLib and search engines.

    \b
    Examples:
      rankwise model show model.json
      rankwise model export model.json --to ranklib -o model.xml
    """


@model.command()
@click.argument("file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--features", type=click.IntRange(min=1), default=20, show_default=True, help="Bars to draw."
)
@format_option("table", "json")
def show(file: Path, features: int, output_format: str) -> None:
    """Show where a model came from, and its weights or feature importance as a chart.

    \b
    Examples:
      rankwise model show model.json
      rankwise model show model.json --features 50
      rankwise model show model.json --format json
    """
    found = read_model_file(file)
    if output_format == "json":
        print_json(_facts(found) | {"importance": _importance(found)})
        return
    rows = [[what, _shown(value)] for what, value in _facts(found).items()]
    print_table(["fact", "value"], rows, title=str(file))
    print_table(["feature", _importance_title(found), ""], _chart(found, features), numeric=(1,))


@model.command("export")
@click.argument("file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "layout",
    required=True,
    type=click.Choice([one.name for one in EXPORTS]),
    help="The layout to write.",
)
@click.option(
    "--feature-names",
    type=click.Path(path_type=Path),
    help="A file with one feature name a line, as the search engine knows them.",
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path))
def export_command(file: Path, layout: str, feature_names: Path | None, output: Path) -> None:
    """Write a model for another tool; remarks say where scores differ in their last digits.

    \b
    ranklib       RankLib; Elasticsearch and OpenSearch (model/ranklib)
    linear-json   Elasticsearch and OpenSearch (model/linear)
    xgboost-json  Elasticsearch and OpenSearch (model/xgboost+json)
    solr          Solr's learning-to-rank module

    \b
    Examples:
      rankwise model export model.json --to ranklib -o model.xml
      rankwise model export model.json --to solr --feature-names names.txt -o solr.json
    """
    found = read_model_file(file)
    if feature_names is not None:
        names = _read_names(feature_names, found.model.scorer.n_features)
        found = ModelFile(found.model, found.paper, names, found.rankwise_version)
    exported = export(found, layout)
    write_text(output, exported.text)
    for remark in exported.remarks:
        note(f"{output}: {remark}")


def _facts(found: ModelFile) -> dict[str, Any]:
    kind = found.model.scorer.kind
    return {
        "ranker": found.model.ranker,
        "paper": found.paper,
        "parameters": dict(found.model.parameters),
        "training": dict(found.model.facts),
        "kind": kind,
        "features": found.model.scorer.n_features,
        "exports": list(exports_of(kind)),
        "written by": f"rankwise {found.rankwise_version}",
    }


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={part}" for key, part in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return str(value)


def _importance(found: ModelFile) -> dict[str, float]:
    values = found.model.scorer.importance().tolist()
    return dict(zip(found.names, values, strict=True))


def _importance_title(found: ModelFile) -> str:
    return "weight" if found.model.scorer.kind == "linear" else "importance"


def _chart(found: ModelFile, count: int) -> list[list[str]]:
    """The features that count most, with bars as long as they count; − marks negative weights."""
    values = found.model.scorer.importance()
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    longest = float(np.abs(values).max(initial=0.0)) or 1.0
    return [
        [found.names[place], f"{values[place]:.4g}", _bar(float(values[place]) / longest)]
        for place in order.tolist()
        if values[place] != 0.0
    ]


def _bar(share: float) -> str:
    return ("−" if share < 0 else " ") + "█" * max(1, round(abs(share) * BAR_WIDTH))


def _read_names(path: Path, expected: int) -> tuple[str, ...]:
    with readable(path) as stream:
        content = stream.read(_MOST_BYTES_OF_NAMES)
    names = tuple(line.strip() for line in content.decode("utf-8", "replace").splitlines())
    if len(names) != expected or not all(names):
        raise RankwiseError(
            f"{path}: there must be one name a line for {expected} features, found {len(names)}"
        )
    return names
