"""`rankwise literature`: the figures printed in the papers, their citations, and checks."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import format_option, measures_option, text_format_option
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.results import (
    MARK_KINDS,
    Mark,
    Papers,
    PublishedCheck,
    check_published,
    choose_rows,
    describe_shipped,
    find_papers,
    find_shipped,
    read_marks,
)
from rankwise.sanitize import plain_cell


@click.group()
def literature() -> None:
    """Published results: what is shipped, whose it is, and what to doubt.

    \b
    Examples:
      rankwise literature list
      rankwise literature show dearank_tables_2_to_5 --method ListNet -m MAP
      rankwise literature cite ListNet --format bibtex
      rankwise literature marks --kind feedback
      rankwise literature check results.csv
    """


@literature.command(name="list")
@format_option()
def list_tables(output_format: str) -> None:
    """List the shipped tables with their sizes and the papers they are from.

    \b
    Examples:
      rankwise literature list
      rankwise literature list --format json
    """
    found = describe_shipped()
    if output_format == "json":
        print_json([asdict(one) for one in found])
        return
    print_table(
        ["table", "rows", "methods", "what", "source"],
        [[one.name, one.rows, one.methods, one.title, one.source] for one in found],
        numeric=(1, 2),
        unbroken=(0,),
    )


@literature.command()
@click.argument("table")
@click.option("--method", "methods", multiple=True, help="Only this method (may be repeated).")
@click.option(
    "--dataset", "datasets", multiple=True, help="Only this data set, by short or full name."
)
@measures_option("Only this measure, NDCG@10 say; may be repeated.")
@format_option(own=("csv",))
def show(
    table: str,
    methods: tuple[str, ...],
    datasets: tuple[str, ...],
    measures: tuple[str, ...],
    output_format: str,
) -> None:
    """Print a shipped TABLE, all of it or some.

    \b
    Examples:
      rankwise literature show tax2015_table_b6 --method ListNet
      rankwise literature show dearank_tables_2_to_5 --dataset MQ2007 -m NDCG@10
      rankwise literature show dearank_tables_2_to_5 --format csv > dearank.csv
    """
    known = find_shipped(table)
    rows = choose_rows(table, methods=methods, datasets=datasets, measures=measures)
    if output_format == "json":
        print_json(rows)
    elif output_format == "csv":
        _print_csv(rows)
    else:
        shown = [_narrowed(row) for row in rows]
        cells = [["" if cell is None else cell for cell in row.values()] for row in shown]
        print_table(list(shown[0]), cells, title=f"{known.title} ({known.citation})")
    for remark in known.remarks:
        note(f"note: {remark}")


@literature.command()
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(list(MARK_KINDS)), help="Only this kind."
)
@format_option()
def marks(kinds: tuple[str, ...], output_format: str) -> None:
    """List the marks on published results: what 'compare --credible' leaves out, and why.

    \b
    Examples:
      rankwise literature marks
      rankwise literature marks --kind version --format json
    """
    found = [mark for mark in read_marks() if not kinds or mark.kind in kinds]
    if output_format == "json":
        print_json([asdict(mark) for mark in found])
        return
    print_table(
        ["kind", "method", "where", "source", "why"],
        [[mark.kind, mark.method, _place(mark), mark.source, mark.why] for mark in found],
        unbroken=(0, 1),
    )


@literature.command()
@click.argument("name")
@text_format_option("text", "bibtex")
def cite(name: str, output_format: str) -> None:
    """Print the papers to cite for NAME: a method, a shipped table or the source of a result.

    For a method first the papers that proposed it, then the studies that its published results
    were taken from by Tax, Bockting and Hiemstra (2015).

    \b
    Examples:
      rankwise literature cite LambdaMART
      rankwise literature cite dearank_tables_2_to_5 --format bibtex
      rankwise literature cite 'Lai et al. (2013a) | Laporte et al. (2013)'
    """
    found = find_papers(name)
    if output_format == "bibtex":
        say(found.bibtex())
    else:
        _print_references(found)


@literature.command()
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...")
@measures_option(
    "A measure that is compared; may be repeated.  [default: NDCG@3, NDCG@5, NDCG@10, MAP]",
)
@click.option("--kind", "kinds", multiple=True, help="Only findings of this kind, 'far off' say.")
@format_option()
def check(
    tables: tuple[str, ...], measures: tuple[str, ...], kinds: tuple[str, ...], output_format: str
) -> None:
    """Say what to doubt in published results: TABLE is a file or a shipped table.

    Applies the seven reasons for which Tax, Bockting and Hiemstra (2015) left studies out, as far
    as a table can show them (another protocol, task, data set or measure, no exact figures, a
    baseline above its official run, no baseline), and finds what looks like a slip: one value
    twice, two methods' rows alike, a value far off all rivals. A finding is a reason to look.

    \b
    Examples:
      rankwise literature check results.csv
      rankwise literature check mine.csv dearank_tables_2_to_5 --format json
      rankwise literature check results.csv --kind 'far off' --kind 'value twice'
    """
    found = check_published(*tables, measures=measures, kinds=kinds)
    for remark in found.remarks:
        note(remark)
    if output_format == "json":
        print_json([asdict(one) for one in found.findings])
    else:
        _print_findings(found)


def _place(mark: Mark) -> str:
    return " ".join(part for part in (mark.collection, mark.dataset, mark.measure) if part) or "all"


def _narrowed(row: dict[str, Any]) -> dict[str, Any]:
    """Columns like `map_nwn` and `map_ds` as one, "0.3206/12", so that Table B.6 fits a page."""
    narrow: dict[str, Any] = {}
    for name, cell in row.items():
        whole = name.removesuffix("_ds")
        if whole != name:
            narrow[f"{whole} nwn/ds"] = narrow.pop(f"{whole} nwn")
            if cell is not None:
                narrow[f"{whole} nwn/ds"] = f"{row[f'{whole}_nwn']}/{cell}"
        else:
            narrow[name.removeprefix("cross_").replace("_", " ")] = cell
    return narrow


def _print_csv(rows: Sequence[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: plain_cell(one) for name, one in row.items()} for row in rows)
    say(text.getvalue(), nl=False)


def _print_references(found: Papers) -> None:
    for paper in found.proposed:
        say(paper.text())
    if not found.proposed:
        say("No paper that proposed it is named.")
    if found.sources:
        say("\nIts published results are from:")
    for source in found.sources:
        say(source.text())


def _print_findings(found: PublishedCheck) -> None:
    if found.findings:
        rows = [
            [one.kind, len(one.rows), Path(one.rows[0]).name, one.sentence]
            for one in found.findings
        ]
        print_table(["kind", "rows", "first at", "what"], rows, numeric=(1,))
    say(f"{len(found.findings)} findings in {found.results} results")
