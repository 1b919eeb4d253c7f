"""`rankwise literature`: the figures printed in the papers, their citations, and checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.literature import Citation, Suspicion
    from rankwise.results.table import ResultTable


@click.group()
def literature() -> None:
    """Published results: what is shipped, whose it is, and what to doubt.

    \b
    Examples:
      rankwise literature list
      rankwise literature show dearank_tables_2_to_5 --method ListNet --metric MAP
      rankwise literature cite ListNet --format bibtex
      rankwise literature check results.csv
    """


@literature.command(name="list")
@format_option("table", "json")
def list_tables(output_format: str) -> None:
    """List the shipped tables with their sizes and the papers they are from.

    \b
    Examples:
      rankwise literature list
      rankwise literature list --format json
    """
    from rankwise.literature import SHIPPED, read_shipped_rows

    counted = [(table, read_shipped_rows(table.name)) for table in SHIPPED]
    if output_format == "json":
        print_json(
            [
                {
                    "name": table.name,
                    "title": table.title,
                    "source": table.citation,
                    "kind": table.kind,
                    "rows": len(rows),
                    "methods": len({row["method"] for row in rows}),
                    "remarks": list(table.remarks),
                }
                for table, rows in counted
            ]
        )
        return
    print_table(
        ["table", "rows", "methods", "what", "source"],
        [
            [
                table.name,
                len(rows),
                len({row["method"] for row in rows}),
                table.title,
                table.citation,
            ]
            for table, rows in counted
        ],
        numeric=(1, 2),
        unbroken=(0,),
    )


@literature.command()
@click.argument("table")
@click.option("--method", "methods", multiple=True, help="Only this method (may be repeated).")
@click.option(
    "--dataset", "datasets", multiple=True, help="Only this data set, by short or full name."
)
@click.option("--metric", "metrics", multiple=True, help="Only this metric, NDCG@10 say.")
@format_option("table", "json", "csv")
def show(
    table: str,
    methods: tuple[str, ...],
    datasets: tuple[str, ...],
    metrics: tuple[str, ...],
    output_format: str,
) -> None:
    """Print a shipped TABLE, all of it or some.

    \b
    Examples:
      rankwise literature show tax2015_table_b6 --method ListNet
      rankwise literature show dearank_tables_2_to_5 --dataset MQ2007 --metric NDCG@10
      rankwise literature show dearank_tables_2_to_5 --format csv > dearank.csv
    """
    from rankwise.literature.shipped import find_shipped

    known = find_shipped(table)
    rows = _shown_rows(known.name, known.kind == "results", methods, datasets, metrics)
    if not rows:
        raise RankwiseError(f"no row of {table} has what was asked for; see it without filters")
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
@click.argument("name")
@format_option("text", "bibtex")
def cite(name: str, output_format: str) -> None:
    """Print the papers to cite for NAME, a method or a shipped table.

    For a method first the papers that proposed it, then the studies that its published results
    were taken from by Tax, Bockting and Hiemstra (2015).

    \b
    Examples:
      rankwise literature cite LambdaMART
      rankwise literature cite dearank_tables_2_to_5 --format bibtex
    """
    from rankwise.literature import SHIPPED, cite_sources, cite_table, find_citations
    from rankwise.literature import cite as cite_method

    if name in {table.name for table in SHIPPED}:
        papers, sources = cite_table(name), []
    else:
        sources = cite_sources(name)
        papers = find_citations(name) if sources else cite_method(name)
    sources = [source for source in sources if source not in papers]
    if output_format == "bibtex":
        click.echo("\n\n".join(entry.bibtex() for entry in [*papers, *sources]))
    else:
        _print_references(papers, sources)


@literature.command()
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="A metric that is compared [default: NDCG@3, NDCG@5, NDCG@10, MAP].",
)
@click.option("--kind", "kinds", multiple=True, help="Only findings of this kind, 'far off' say.")
@format_option("table", "json")
def check(
    tables: tuple[str, ...], metrics: tuple[str, ...], kinds: tuple[str, ...], output_format: str
) -> None:
    """Say what to doubt in published results: TABLE is a file or a shipped table.

    Applies the seven reasons for which Tax, Bockting and Hiemstra (2015) left studies out, as far
    as a table can show them (another protocol, task, data set or metric, no exact figures, a
    baseline above its official run, no baseline), and finds what looks like a slip: one value
    twice, two methods' rows alike, a value far off all rivals. A finding is a reason to look.

    \b
    Examples:
      rankwise literature check results.csv
      rankwise literature check mine.csv dearank_tables_2_to_5 --format json
      rankwise literature check results.csv --kind 'far off' --kind 'value twice'
    """
    from rankwise.literature import find_suspicions
    from rankwise.literature.reasons import PAPER_MEASURES
    from rankwise.measures.names import result_name

    _check_kinds(kinds)
    table, places = _joined(tables)
    compared = [result_name(metric) for metric in metrics] or PAPER_MEASURES
    findings = [
        found for found in find_suspicions(table, compared) if not kinds or found.kind in kinds
    ]
    if output_format == "json":
        print_json([_as_json(finding, places) for finding in findings])
    else:
        _print_findings(findings, places, len(table))


def _shown_rows(
    name: str,
    is_results: bool,
    methods: tuple[str, ...],
    datasets: tuple[str, ...],
    metrics: tuple[str, ...],
) -> list[dict[str, Any]]:
    from rankwise.literature import read_shipped, read_shipped_rows
    from rankwise.measures.names import result_name

    asked = {"method": methods, "dataset": datasets, "measure": tuple(map(result_name, metrics))}
    conditions = {column: wanted for column, wanted in asked.items() if wanted}
    if is_results:
        return read_shipped(name).where(**conditions).rows()
    rows = read_shipped_rows(name)
    unknown = next((column for column in conditions if column not in rows[0]), None)
    if unknown is not None:
        raise RankwiseError(f"{name} has no column {unknown}; it has {', '.join(rows[0])}")
    return [row for row in rows if all(row[c] in wanted for c, wanted in conditions.items())]


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


def _print_csv(rows: list[dict[str, Any]]) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)


def _print_references(papers: list[Citation], sources: list[Citation]) -> None:
    for paper in papers:
        click.echo(paper.text())
    if not papers:
        click.echo("No paper that proposed it is named.")
    if sources:
        click.echo("\nIts published results are from:")
    for source in sources:
        click.echo(source.text())


def _check_kinds(kinds: tuple[str, ...]) -> None:
    from typing import get_args

    from rankwise.literature.suspicion import SuspicionKind

    unknown = next((kind for kind in kinds if kind not in get_args(SuspicionKind)), None)
    if unknown is not None:
        raise RankwiseError(
            f"no finding is of the kind {unknown!r}; kinds are {', '.join(get_args(SuspicionKind))}"
        )


def _joined(names: tuple[str, ...]) -> tuple[ResultTable, list[str]]:
    """The rows of all tables one after another, and where each stands."""
    from rankwise.errors import location
    from rankwise.literature import SHIPPED, read_shipped
    from rankwise.results.merging import stack_results
    from rankwise.results.reading import inspect_results

    parts, places = [], []
    for name in names:
        if name in {table.name for table in SHIPPED} and not Path(name).exists():
            parts.append(read_shipped(name))
            places += [location(name, row + 2) for row in range(len(parts[-1]))]
            continue
        inspection = inspect_results(name)
        for problem in inspection.problems:
            note(inspection.describe(problem))
        parts.append(inspection.table)
        places += [location(name, row) for row in inspection.rows]
    return stack_results(parts), places


def _as_json(finding: Suspicion, places: list[str]) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "reason": finding.reason,
        "rows": [places[row] for row in finding.rows],
        "sentence": finding.sentence,
    }


def _print_findings(findings: list[Suspicion], places: list[str], results: int) -> None:
    if findings:
        print_table(
            ["kind", "rows", "first at", "what"],
            [
                [
                    finding.kind,
                    len(finding.rows),
                    Path(places[finding.rows[0]]).name,
                    finding.sentence,
                ]
                for finding in findings
            ],
            numeric=(1,),
        )
    click.echo(f"{len(findings)} findings in {results} results")
