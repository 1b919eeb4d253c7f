"""`rankwise model`: look into model files, explain them, write them for other tools.

`show` says where a model came from, and what its features count. `importance`, `contributions`,
`dependence` and `why` say what it looks at. `export` and `verify` write it for other tools, with a
certificate. `cost` says how long scoring takes, by the model and by its exports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.main import LoadingGroup
from rankwise.cli.options import (
    format_option,
    measure_option,
    output_option,
    seed_option,
    table_options,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.models import (
    EXPORTS,
    IMPORTANCE_WAYS,
    Certificate,
    DataAgreement,
    ExportVerification,
    ModelDescription,
    ModelImportance,
    ScoreAgreement,
    ServingTime,
    describe_model,
    explain_order,
    explain_scores,
    export_model,
    measure_cost,
    measure_dependence,
    verify_export,
    weigh_model,
)

if TYPE_CHECKING:
    from rankwise.models import OrderExplanation, PartialDependence


MODEL_COMMANDS = {
    "show": "rankwise.cli.rankers.model_commands:show",
    "export": "rankwise.cli.rankers.model_commands:export_command",
    "verify": "rankwise.cli.rankers.model_commands:verify",
    "cost": "rankwise.cli.rankers.model_commands:cost",
    "importance": "rankwise.cli.rankers.model_commands:importance",
    "contributions": "rankwise.cli.rankers.model_commands:contributions",
    "dependence": "rankwise.cli.rankers.model_commands:dependence",
    "why": "rankwise.cli.rankers.model_commands:why",
}


@click.command(cls=LoadingGroup, homes=MODEL_COMMANDS)
def model() -> None:
    """Look into models, explain them, and write them for search engines and other tools.

    \b
    Examples:
      rankwise model show model.json
      rankwise model export model.json --to onnx --data test.txt -o model.onnx
      rankwise model verify model.onnx --data test.txt
      rankwise model why model.json test.txt --query 17
    """


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
        print_json(_model_facts(found) | {"importance": found.importance})
        return
    rows = [[what, _show_value(value)] for what, value in _model_facts(found).items()]
    print_table(["fact", "value"], rows, title=str(file))
    print_table(["feature", _importance_title(found), ""], _chart(found, features), numeric=(1,))


def _model_facts(found: ModelDescription) -> dict[str, Any]:
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


def _show_value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_show_value(part)}" for key, part in value.items()) or "–"
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


_BAR_CELLS = 24
_features_option = click.option(
    "--features",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many to show.",
)
_query_option = click.option("--query", metavar="ID", help="The query.  [default: the first]")
_figure_option = output_option("Draw the figure into FOLDER.", "FOLDER")
_MODEL = click.argument("model", type=click.Path(path_type=Path))
_DATA = click.argument("data", type=click.Path(path_type=Path))


@click.command()
@_MODEL
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(list(IMPORTANCE_WAYS)),
    default="gain",
    show_default=True,
    help="; ".join(f"{name}: {what}" for name, what in IMPORTANCE_WAYS.items()) + ".",
)
@measure_option("What shuffling a feature costs.", default="NDCG@10")
@tool_option("Whose convention of the measure counts.", default="definition")
@click.option("--per-query", is_flag=True, help="Within each query too.")
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True,
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
@click.option("--documents", type=click.IntRange(min=1), default=10, show_default=True,
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
@click.option("--feature", required=True, metavar="NAME", help="Its name, or its number from 1.")
@click.option("--points", type=click.IntRange(min=2), default=20, show_default=True,
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
@click.option("--above", metavar="ID", help="The upper document.  [default: the first]")
@click.option("--below", metavar="ID", help="The lower document.  [default: the next]")
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


_TARGETS = "\n".join(f"{one.name:<14}{one.readers}" for one in EXPORTS)
_EXPORT_HELP = f"""Write a model for another tool, with a certificate of how it scores there.

Beside FILE stand FILE.features.json, the feature definitions; FILE.golden.csv, 50 rows with their
scores; and FILE.certificate.json: how far scores of the written file are from those of the model,
who computed them, and what becomes of missing values, of precision and of zeros.

\b
{_TARGETS}

\b
Examples:
  rankwise model export model.json --to onnx -o model.onnx
  rankwise model export model.json --to solr --store shop --feature-names names.txt \\
      --data test.txt -o solr.json
"""


@click.command("export", help=_EXPORT_HELP)
@click.argument("file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "layout",
    required=True,
    type=click.Choice([one.name for one in EXPORTS]),
    metavar="TARGET",
    help="Who is to read it: one of the names above.",
)
@click.option(
    "--feature-names",
    type=click.Path(path_type=Path),
    help="A file with one feature name a line, as the search engine knows them.",
)
@click.option("--store", help="What the search engine calls the set of its features.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Data whose scores and orders are compared too: how many queries change?",
)
@output_option("The file for the other tool.", required=True)
def export_command(
    file: Path,
    layout: str,
    feature_names: Path | None,
    store: str | None,
    data: Path | None,
    output: Path,
) -> None:
    """Write the file and what stands beside it; say what is lost."""
    with progress("exporting"):
        exported = export_model(
            file, layout, output, feature_names=feature_names, store=store, data=data
        )
    for remark in exported.remarks:
        note(f"{output}: {remark}")
    if exported.certificate is not None:
        for line in _describe_losses(exported.certificate):
            note(f"{output}: {line}")


@click.command()
@click.argument("export", metavar="EXPORT", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Data to score again from the file.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="The model file.  [default: where the certificate says]",
)
@format_option()
@click.pass_context
@table_options("data")
def verify(
    context: click.Context, export: Path, data: Path | None, model: Path | None, output_format: str
) -> None:
    """Score again from an exported file and compare with its model.

    The real runtime scores where this machine has it (onnxruntime, treelite, lightgbm, a C
    compiler, Python, Java with JPMML), else our reading of the engine's arithmetic; the answer says
    which. Exported C and Python are run. Exit code 1 where the file is not the one that its
    certificate describes, where a row of the data does not score as the model does, or a golden
    row not as the certificate says.

    \b
    Examples:
      rankwise model verify model.onnx
      rankwise model verify solr.json --data test.txt
    """
    with progress("scoring"):
        found = verify_export(export, data, model=model)
    if output_format == "json":
        print_json(asdict(found))
    else:
        say(f"{export} ({found.target}) {_verdict(found)}: {found.computed_by}")
        _print_agreement(found.golden, found.data)
    context.exit(0 if found.agrees else 1)


def _verdict(found: ExportVerification) -> str:
    if found.agrees:
        return "scores as its model does"
    if found.changed:
        return "is NOT the file that its certificate describes, export it again"
    return "does NOT score as its model does"


def _describe_losses(certificate: Certificate) -> list[str]:
    """What happened to scores, in sentences; nothing where all are equal."""
    lines = [certificate.computed_by]
    if not certificate.golden:
        return lines
    between = certificate.golden["between"].greatest_difference
    lines[0] += f"; rows between thresholds differ by at most {between:.3g}"
    nulls = certificate.golden["NULL"]
    if nulls.unlike or nulls.greatest_difference > max(1e-4, 10 * between):
        lines.append(
            f"missing values are lost: {certificate.treatment['missing']}; of {nulls.rows} rows "
            f"with NULL {nulls.rows - nulls.equal} score otherwise, by up to "
            f"{nulls.greatest_difference:.3g}"
        )
    if "single" in certificate.treatment["precision"]:
        beside = max(certificate.golden[one].greatest_difference for one in ("at", "beside"))
        lines.append(
            f"{certificate.treatment['precision']}: rows at or beside thresholds differ by up to "
            f"{beside:.3g}"
        )
    if certificate.data is not None:
        lines.append(_data_line(certificate.data))
    return lines


def _data_line(data: DataAgreement) -> str:
    orders = data.orders
    return (
        f"{data.file}: the first ten change in {orders.first_ten_changed} of {orders.queries} "
        f"queries, the order in {orders.changed}; scores differ by up to "
        f"{data.scores.greatest_difference:.3g}; {data.with_null} of {data.scores.rows} rows have "
        "NULL"
    )


def _print_agreement(golden: Mapping[str, ScoreAgreement], data: DataAgreement | None) -> None:
    rows = [[f"golden, {group}", *_agreement_cells(one)] for group, one in golden.items()]
    if data is not None:
        rows.append([data.file, *_agreement_cells(data.scores)])
    titles = ["rows", "number", "equal", "greatest difference", "number on one side only"]
    print_table(titles, rows, numeric=(1, 2, 3, 4))
    if data is not None:
        say(_data_line(data))


def _agreement_cells(one: ScoreAgreement) -> list[str]:
    return [str(one.rows), str(one.equal), f"{one.greatest_difference:.3g}", str(one.unlike)]


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option(
    "--to",
    "targets",
    multiple=True,
    type=click.Choice([one.name for one in EXPORTS]),
    metavar="TARGET",
    help="An export to time (may be repeated).  [default: all that can run here]",
)
@click.option(
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
        [_time_row(one) for one in found.times],
        title=f"Microseconds on {found.documents} documents of {found.queries} queries",
        numeric=(1, 2, 3),
    )
    for name, reason in found.skipped.items():
        note(f"{name}: not timed: {reason}")


def _time_row(one: ServingTime) -> list[str]:
    times = zip((one.batch, one.query, one.single), one.ratio, strict=True)
    return [one.scorer, *(_time_cell(time, ratio) for time, ratio in times), one.how]


def _time_cell(time: float | None, ratio: float | None) -> str:
    return "–" if time is None or ratio is None else f"{time:.4g} ({ratio:.3g} ×)"
