"""`rankwise features`: which features matter, which can go, and what fewer do to the measures.

`path` follows a ranker along the parameter that lets features in. Effects, choices and weights are
printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from rankwise.cli.options import (
    format_option,
    measure_option,
    output_option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, redirect_prints, say, shown_stages
from rankwise.experiments import (
    EffectFigures,
    FeaturePath,
    FeatureSelection,
    FeatureWeights,
    reduce_features,
    select_features,
    trace_path,
    weigh_features,
)
from rankwise.feature_selection import REDUCTIONS, SELECTIONS
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
    with shown_stages() as stage, redirect_prints():
        ranker = make_ranker(name, **parse_settings(find_ranker(name), settings))
        numbers = [_number(text) for text in values]
        found = trace_path(
            directory, ranker, parameter=parameter, values=numbers, stage=stage, **how
        )
    for remark in found.remarks:
        note(remark)
    _print_path(found, output_format)
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


def _print_path(found: FeaturePath, output_format: str) -> None:
    if output_format == "json":
        print_json(found.as_dict())
    elif output_format == "csv":
        from rankwise.tables import Table, format_csv

        rows = found.records()
        keys = tuple(rows[0])
        say(format_csv(Table(keys, keys, tuple(tuple(row.values()) for row in rows))), nl=False)
    else:
        _print_path_table(found)


def _print_path_table(found: FeaturePath) -> None:
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
    with shown_stages() as stage, redirect_prints():
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
    with shown_stages() as stage, redirect_prints():
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
    with shown_stages() as stage, redirect_prints():
        found = weigh_features(directory, stage=stage, **how)
    _note_all(found.remarks)
    if output_format == "json":
        rows = [asdict(one) for one in found.weights]
        return print_json([{k: v for k, v in row.items() if v is not None} for row in rows])
    return print_weights(found)


def _note_all(remarks: tuple[str, ...]) -> None:
    for remark in remarks:
        note(remark)


def print_choices(found: FeatureSelection) -> None:
    """The features of each fold; where they have names, each named with the folds that have it."""
    rows = [(fold, ", ".join(map(str, numbers))) for fold, numbers in found.features.items()]
    print_table(("fold", f"features, in the order chosen by {found.method}"), rows, numeric=(0,))
    names = found.feature_names
    if names is None:
        return
    folds: dict[int, list[str]] = {}
    for fold, numbers in found.features.items():
        for number in numbers:
            folds.setdefault(number, []).append(str(fold))
    order = sorted(folds, key=lambda number: (-len(folds[number]), number))
    named = [(number, names[number - 1], ", ".join(folds[number])) for number in order]
    print_table(("feature", "name", "in folds"), named, numeric=(0,))


def print_effects(effects: Sequence[EffectFigures], after: str, ranker: str) -> None:
    """Each measure before and after, as a table."""
    rows = [
        (
            effect.measure,
            f"{effect.all_features:.4f}",
            f"{effect.fewer_features:.4f}",
            f"{effect.difference:+.4f}",
            "–" if effect.p_value is None else f"{effect.p_value:.3f}",
        )
        for effect in effects
    ]
    print_table(
        ("measure", "all features", after, "difference", "p (t-test over queries)"),
        rows,
        numeric=(1, 2, 3, 4),
        title=f"{ranker} on the test parts, {effects[0].queries} queries",
    )


def print_weights(found: FeatureWeights) -> None:
    """Every feature with what it tells alone and in the ranker."""
    named = any(one.name is not None for one in found.weights)
    rows = [
        (
            one.feature,
            *((one.name,) if named else ()),
            f"{one.alone:.4f}{' ↓' if one.ascending else '  '}",
            f"{one.loss:+.4f}",
        )
        for one in found.weights
    ]
    headings = [
        "feature",
        *(["name"] if named else []),
        f"{found.measure} alone",
        f"{found.measure} lost when shuffled",
    ]
    numeric = (0, 2, 3) if named else (0, 1, 2)
    print_table(headings, rows, numeric=numeric, title=f"{found.ranker}, {found.folds} folds")
