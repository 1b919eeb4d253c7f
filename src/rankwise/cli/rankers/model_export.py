"""`rankwise model export` and `verify`: models for other tools, with a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option, option, output_option
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.cli.table_options import table_options
from rankwise.models import (
    EXPORTS,
    Certificate,
    DataAgreement,
    ExportVerification,
    ScoreAgreement,
    export_model,
    verify_export,
)

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
@option(
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
        for line in _losses(exported.certificate):
            note(f"{output}: {line}")


@click.command()
@click.argument("export", metavar="EXPORT", type=click.Path(path_type=Path))
@option("--data", type=click.Path(path_type=Path), help="Data to score again from the file.")
@option(
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


def _losses(certificate: Certificate) -> list[str]:
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
    rows = [[f"golden, {group}", *_cells(one)] for group, one in golden.items()]
    if data is not None:
        rows.append([data.file, *_cells(data.scores)])
    titles = ["rows", "number", "equal", "greatest difference", "number on one side only"]
    print_table(titles, rows, numeric=(1, 2, 3, 4))
    if data is not None:
        say(_data_line(data))


def _cells(one: ScoreAgreement) -> list[str]:
    return [str(one.rows), str(one.equal), f"{one.greatest_difference:.3g}", str(one.unlike)]
