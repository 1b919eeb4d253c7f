"""`rankwise features`: which features matter, which can go, and what fewer do to the measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from rankwise.cli.options import (
    format_option,
    measure_option,
    output_option,
    seed_option,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table
from rankwise.cli.own_rankers import apart
from rankwise.cli.rankers.features_output import print_choices, print_effects, print_weights
from rankwise.cli.rankers.features_path import path_command
from rankwise.cli.stages import shown_stages
from rankwise.experiments import FeatureSelection, reduce_features, select_features, weigh_features
from rankwise.feature_selection import REDUCTIONS, SELECTIONS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_SELECT_HELP = f"""Keep the best features of the folds in DIR and show the effect on the measures.

For each fold the features are chosen on its training part; a ranker is learnt there with all
features and with the chosen ones, and both are measured on the test part. With -o the folds are
written with the chosen features, and features.tsv says which of them was which.

\b
Methods:
{chr(10).join(f"  {name:<8} {summary}" for name, summary in SELECTIONS.items())}

\b
Examples:
  rankwise features select OHSUMED/QueryLevelNorm --keep 10
  rankwise features select MQ2008 --keep 5 --method best -m NDCG@10
  rankwise features select MQ2008 --keep 3 --method forward -o MQ2008-3
"""

_REDUCE_HELP = f"""Combine the features of the folds in DIR into fewer and show the effect.

The directions are learnt on each fold's training part and applied to all three parts.

\b
Methods:
{chr(10).join(f"  {name:<8} {summary}" for name, summary in REDUCTIONS.items())}

\b
Examples:
  rankwise features reduce OHSUMED/QueryLevelNorm --to 10
  rankwise features reduce OHSUMED/QueryLevelNorm --to 3 --method pls -o reduced
"""

_IMPORTANCE_HELP = """Rank the features of the folds in DIR by how much they tell.

Alone: the measure on the training part when documents are ranked by the feature only (with ↓ where
small values rank first). In the ranker: what the measure loses on the test part when the feature is
shuffled within each query. Both are means over the folds.

\b
Examples:
  rankwise features importance OHSUMED/QueryLevelNorm
  rankwise features importance MQ2008 -m NDCG@10 --ranker ranksvm-primal
"""


@click.group()
def features() -> None:
    """Select, reduce, weigh and follow the features of data sets in folds."""


features.add_command(path_command)


def _shared_options(command: Decorated) -> Decorated:
    options = (
        click.argument("directory", metavar="DIR", type=click.Path(path_type=Path)),
        measure_option("What is to be kept high.", default="MAP"),
        tool_option("Whose convention of it.", default="definition"),
        click.option(
            "--ranker",
            default="ridge-regression",
            show_default=True,
            help="What is learnt: a registered ranker, or your own as module:Name.",
        ),
        seed_option(),
        format_option(),
    )
    for option in reversed(options):
        command = option(command)
    return command


_names_option = click.option(
    "--names",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of the features, one a line.  [default: the data card beside DIR, if any]",
)
_output_option = output_option("Write the folds with the new features to this folder.", "OUT")


@features.command("select", help=_SELECT_HELP)
@_shared_options
@_names_option
@click.option("--keep", required=True, type=click.IntRange(min=1), help="How many features.")
@click.option(
    "--method", type=click.Choice(list(SELECTIONS)), default="gas", show_default=True, help="How."
)
@click.option(
    "--similarity-weight",
    type=click.FloatRange(min=0),
    help="gas: how much being like a chosen feature counts against one.  "
    "[default: what is best on validation]",
)
@_output_option
def select_command(directory: Path, keep: int, method: str, output_format: str, **how: Any) -> None:
    """Choose on training parts, learn twice, compare on test parts."""
    with shown_stages() as stage, apart():
        found = select_features(directory, keep, method, stage=stage, **how)
    _note_all(found.remarks)
    if output_format == "json":
        return print_json(_selection(found))
    print_choices(found)
    return print_effects(found.effects, f"{keep} features", found.ranker)


def _selection(found: FeatureSelection) -> dict[str, object]:
    names = found.feature_names
    used = sorted({n for numbers in found.features.values() for n in numbers})
    named = {} if names is None else {"names": {n: names[n - 1] for n in used}}
    effect = [asdict(one) for one in found.effects]
    return {"method": found.method, "features": found.features, **named, "effect": effect}


@features.command("reduce", help=_REDUCE_HELP)
@_shared_options
@click.option("--to", "keep", required=True, type=click.IntRange(min=1), help="How many features.")
@click.option(
    "--method", type=click.Choice(list(REDUCTIONS)), default="pca", show_default=True, help="How."
)
@_output_option
def reduce_command(directory: Path, keep: int, method: str, output_format: str, **how: Any) -> None:
    """Fit on training parts, learn twice, compare on test parts."""
    with shown_stages() as stage, apart():
        found = reduce_features(directory, keep, method, stage=stage, **how)
    _note_all(found.remarks)
    if output_format == "json":
        facts = {"method": method, "kept": found.kept, "explained": found.explained}
        return print_json({**facts, "effect": [asdict(one) for one in found.effects]})
    rows = [(number, f"{100 * sum(shares):.1f}") for number, shares in found.explained.items()]
    print_table(("fold", "% of the variance within queries"), rows, numeric=(0, 1))
    return print_effects(found.effects, f"{found.kept} by {method}", found.ranker)


@features.command("importance", help=_IMPORTANCE_HELP)
@_shared_options
@_names_option
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How often each feature is shuffled.",
)
def importance_command(directory: Path, output_format: str, **how: Any) -> None:
    """Weigh features alone and in a ranker, over the folds."""
    with shown_stages() as stage, apart():
        found = weigh_features(directory, stage=stage, **how)
    _note_all(found.remarks)
    if output_format == "json":
        rows = [asdict(one) for one in found.weights]
        return print_json([{k: v for k, v in row.items() if v is not None} for row in rows])
    return print_weights(found)


def _note_all(remarks: tuple[str, ...]) -> None:
    for remark in remarks:
        note(remark)
