"""`rankwise model importance`, `contributions`, `dependence` and `why`: what a model looks at."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.options import (
    format_option,
    measure_option,
    option,
    output_option,
    seed_option,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.cli.table_options import table_options
from rankwise.models import (
    IMPORTANCE_WAYS,
    ModelImportance,
    explain_order,
    explain_scores,
    measure_dependence,
    weigh_model,
)

if TYPE_CHECKING:
    from rankwise.models import OrderExplanation, PartialDependence

_BAR_CELLS = 24
_features_option = option(
    "--features",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many to show.",
)
_query_option = option("--query", metavar="ID", help="The query.  [default: the first]")
_figure_option = output_option("Draw the figure into FOLDER.", "FOLDER")
_MODEL = click.argument("model", type=click.Path(path_type=Path))
_DATA = click.argument("data", type=click.Path(path_type=Path))


@click.command()
@_MODEL
@click.argument("data", required=False, type=click.Path(path_type=Path))
@option(
    "--by",
    type=click.Choice(list(IMPORTANCE_WAYS)),
    default="gain",
    show_default=True,
    help="; ".join(f"{name}: {what}" for name, what in IMPORTANCE_WAYS.items()) + ".",
)
@measure_option("What shuffling a feature costs.", default="NDCG@10")
@tool_option("Whose convention of the measure counts.", default="definition")
@option("--per-query", is_flag=True, help="Within each query too.")
@option("--repeats", type=click.IntRange(min=1), default=3, show_default=True,
        help="How often each feature is shuffled.")  # fmt: skip
@seed_option()
@_features_option
@_figure_option
@format_option()
@table_options("data", features=False)
def importance(
    model: Path, data: Path | None, by: str, measure: str, tool: str, per_query: bool,
    repeats: int, seed: int, features: int, output: Path | None, output_format: str,
) -> None:  # fmt: skip
    """Show how much each feature of MODEL counts; on DATA where these are needed.

    \b
    Examples:
      rankwise model importance model.json
      rankwise model importance model.json test.txt --by permutation -m NDCG@10
      rankwise model importance model.json test.txt --by contributions --per-query --format json
    """
    with progress("weighing"):
        found = weigh_model(
            model, data, by=by, measure=measure, tool=tool, seed=seed, repeats=repeats,
            per_query=per_query,
        )  # fmt: skip
    if output_format == "json":
        print_json(asdict(found))
    else:
        _print_importance(found, features)
    _draw(found, output)


@click.command()
@_MODEL
@_DATA
@_query_option
@option("--documents", type=click.IntRange(min=1), default=10, show_default=True,
        help="How many to show, from the top.")  # fmt: skip
@seed_option("Same seed, same estimate, for models whose contributions are sampled.")
@_features_option
@format_option()
@table_options("data", features=False)
def contributions(
    model: Path, data: Path, query: str | None, documents: int, seed: int, features: int,
    output_format: str,
) -> None:  # fmt: skip
    """Show what each feature contributes to the scores of a query: query-centred Shapley values.

    The contributions of a document add up to its score less the mean score of the query. They are
    exact for trees, stumps and linear models, and estimated for others.

    \b
    Examples:
      rankwise model contributions model.json test.txt --query 17
      rankwise model contributions model.json test.txt --query 17 --format json
    """
    with progress("explaining"):
        found = explain_scores(model, data, query=query, seed=seed)
    if output_format == "json":
        return print_json(asdict(found))
    say(f"query {found.query}: mean score {found.mean_score:.6g}, {_computed(found.exact)}")
    rows = [
        [one.document, f"{one.score:.4g}", _phrase(dict(one.contributions), features)]
        for one in found.documents[:documents]
    ]
    return print_table(["document", "score", "contributions"], rows, numeric=(1,))


@click.command()
@_MODEL
@_DATA
@option("--feature", required=True, metavar="NAME", help="Its name, or its number from 1.")
@option("--points", type=click.IntRange(min=2), default=20, show_default=True,
        help="Values of the feature, at most.")  # fmt: skip
@_figure_option
@format_option()
@table_options("data")
def dependence(
    model: Path, data: Path, feature: str, points: int, output: Path | None, output_format: str
) -> None:
    """Show how the score of MODEL depends on one feature, the others as they are in DATA.

    \b
    Examples:
      rankwise model dependence model.json test.txt --feature 11
      rankwise model dependence model.json shop.parquet --feature price -o figures
    """
    with progress("scoring"):
        found = measure_dependence(model, data, feature, points=points)
    if output_format == "json":
        print_json(asdict(found))
    else:
        _print_dependence(found)
    _draw(found, output)


@click.command()
@_MODEL
@_DATA
@_query_option
@option("--above", metavar="ID", help="The upper document.  [default: the first]")
@option("--below", metavar="ID", help="The lower document.  [default: the next]")
@seed_option("Same seed, same estimate, for models whose contributions are sampled.")
@_features_option
@_figure_option
@format_option()
@table_options("data", features=False)
def why(
    model: Path, data: Path, query: str | None, above: str | None, below: str | None, seed: int,
    features: int, output: Path | None, output_format: str,
) -> None:  # fmt: skip
    """Say why one document is above another for a query: what each feature adds to the difference.

    Documents are named by their ids; where DATA have none, by their numbers within the query.

    \b
    Examples:
      rankwise model why model.json test.txt
      rankwise model why model.json test.txt --query 17 --above d3 --below d8 -o figures
    """
    with progress("explaining"):
        found = explain_order(model, data, query=query, above=above, below=below, seed=seed)
    if output_format == "json":
        print_json({"sentence": found.sentence, **asdict(found)})
    else:
        say(found.sentence)
        _print_order(found, features)
    _draw(found, output)


def _print_importance(found: ModelImportance, count: int) -> None:
    title = f"by {found.by}" + ("" if found.measure is None else f", {found.measure}")
    chosen = list(found.features.items())[:count]
    print_table(
        ["feature", "importance", ""],
        [[name, f"{value:.4g}", bar] for (name, value), bar in _barred(chosen)],
        title=title,
        numeric=(1,),
    )
    if found.queries is not None:
        note(f"{len(found.queries)} queries: their figures are in --format json")


def _print_dependence(found: PartialDependence) -> None:
    rows = [
        ["NULL" if one.value is None else f"{one.value:.6g}", f"{one.mean:+.4g}",
         f"{one.low:+.4g}", f"{one.high:+.4g}"]
        for one in found.points
    ]  # fmt: skip
    title = f"Score by {found.feature}, {found.documents} documents, less its mean"
    print_table(["value", "mean", "10 %", "90 %"], rows, title=title, numeric=(0, 1, 2, 3))


def _print_order(found: OrderExplanation, count: int) -> None:
    chosen = [one for one in found.contributions if one.contribution != 0.0][:count]
    pairs = [(one.feature, one.contribution) for one in chosen]
    rows = [
        [one.feature, _value(one.above), _value(one.below), f"{one.contribution:+.4g}", bar]
        for one, (_, bar) in zip(chosen, _barred(pairs), strict=True)
    ]
    titles = ["feature", found.above, found.below, "contribution", ""]
    print_table(titles, rows, numeric=(1, 2, 3))
    if not found.exact:
        note(_computed(found.exact))


def _value(value: float) -> str:
    return "NULL" if value != value else f"{value:.4g}"


def _barred(pairs: list[tuple[str, float]]) -> list[tuple[tuple[str, float], str]]:
    longest = max((abs(value) for _, value in pairs), default=0.0) or 1.0
    return [
        (
            (name, value),
            ("−" if value < 0 else " ") + "█" * round(abs(value) / longest * _BAR_CELLS),
        )
        for name, value in pairs
    ]


def _phrase(contributions: dict[str, float], count: int) -> str:
    ordered = sorted(contributions.items(), key=lambda one: -abs(one[1]))
    shown = [f"{name} {value:+.3g}" for name, value in ordered[: min(count, 4)] if value != 0.0]
    return ", ".join(shown) or "–"


def _computed(exact: bool) -> str:
    return "contributions are exact" if exact else "contributions are estimated by sampling"


def _draw(
    found: ModelImportance | OrderExplanation | PartialDependence, output: Path | None
) -> None:
    if output is not None:
        from rankwise.reports import draw_explanation

        for path in draw_explanation(found, output):
            note(f"wrote {path}")
