"""`rankwise compare`: which method is best across benchmarks, as tables, figures and a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rankwise.cli.comparison.result_tables import ideal_option, measures_option
from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.reports.names import shown

if TYPE_CHECKING:
    from rankwise.comparison.bootstrap import Bootstrap
    from rankwise.comparison.ranking import Comparison
    from rankwise.reports.tables import Table


@click.command()
@click.argument("tables", nargs=-1, type=click.Path(), metavar="[TABLE]...")
@measures_option
@ideal_option
@click.option(
    "--dominance",
    type=click.Choice(["weak", "strict"]),
    default="weak",
    show_default=True,
    help="To dominate is to be no worse on both axes and better on one, or better on both.",
)
@click.option(
    "--conflicts",
    type=click.Choice(["error", "first", "last", "mean"]),
    default="error",
    show_default=True,
    help="What to do with two values for one method, data set and measure.",
)
@click.option(
    "--bootstrap",
    "resamples",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="N",
    help="Draw the data sets anew N times: intervals of NWN, probability to be on the front.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="For --bootstrap."
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write tables, figures and the page report.html into this folder.",
)
@click.option(
    "--figures",
    "figure_formats",
    default="png,svg,pdf",
    show_default=True,
    metavar="FORMATS",
    help="Formats of the figures for print in --out, separated by commas; none for no figures.",
)
@click.option("--title", default="Comparison of ranking methods", help="The title of the page.")
@format_option("table", "json", "csv", "latex", "markdown")
def compare(
    tables: tuple[str, ...],
    measures: tuple[str, ...],
    ideal: Literal["observed", "definition"],
    dominance: Literal["weak", "strict"],
    conflicts: Literal["error", "first", "last", "mean"],
    resamples: int,
    seed: int,
    folder: str | None,
    figure_formats: str,
    title: str,
    output_format: str,
) -> None:
    """Rank the methods of result tables by Normalized Winning Number, and find the Pareto front.

    TABLE is a file of results (.csv, .tsv, .jsonl, .parquet), the store of an experiment (.sqlite)
    or the name of a shipped table (see 'rankwise literature list'). Without one, the results
    printed in the papers are compared, and --out adds Figures 1-5 of Tax, Bockting and Hiemstra
    (2015) with their 87 methods. Methods of a store that lack folds or seeds are left out, and
    said; a data set in several versions counts as several data sets.

    For one measure the front is that of NWN against the number of data sets, for several together
    of NWN against the Ideal Winning Number, as in that paper.

    \b
    Examples:
      rankwise compare
      rankwise compare results.csv --measure NDCG@10
      rankwise compare results.sqlite dearank_tables_2_to_5 --out report
      rankwise compare results.csv --bootstrap 1000 --format json
    """
    from rankwise.comparison import compare_results

    formats = _formats(figure_formats)
    if not tables:
        note("comparing the shipped results of Jiang and Lin (2014), Tables 2-5; see --help")
    comparison = compare_results(
        *tables, measures=measures, ideal=ideal, dominance=dominance, conflicts=conflicts
    )
    for remark in comparison.remarks:
        note(remark)
    intervals = _intervals(comparison, resamples, seed)
    _print(comparison, intervals, output_format)
    if folder is not None:
        _write(comparison, intervals, title, folder, formats, published=not tables)


def _formats(text: str) -> list[str]:
    from rankwise.reports.writing import FIGURE_FORMATS

    wanted = [part.strip().lower() for part in text.split(",") if part.strip()]
    if wanted == ["none"]:
        return []
    unknown = [part for part in wanted if part not in FIGURE_FORMATS]
    if unknown or not wanted:
        raise RankwiseError(
            f"--figures takes {', '.join(FIGURE_FORMATS)} separated by commas, or none; "
            f"found {text!r}"
        )
    return list(dict.fromkeys(wanted))


def _intervals(comparison: Comparison, resamples: int, seed: int) -> Bootstrap | None:
    from rankwise.comparison.bootstrap import resample_datasets

    if not resamples:
        return None
    with progress("drawing the data sets anew", resamples) as advance:
        return resample_datasets(comparison, resamples, seed, advance=advance)


def _print(comparison: Comparison, intervals: Bootstrap | None, output_format: str) -> None:
    from rankwise.reports import tables

    table = tables.make_ranking_table(comparison, intervals)
    if output_format == "json":
        print_json(_objects(table))
    elif output_format == "table":
        _print_ranking(table, comparison)
    else:
        writers = {
            "csv": tables.format_csv,
            "latex": tables.format_latex,
            "markdown": tables.format_markdown,
        }
        click.echo(writers[output_format](table), nl=False)


def _objects(table: Table) -> list[dict[str, object]]:
    """One object a method; the rank is its place in the list."""
    keys = ("method", "wn", "iwn", "nwn", "datasets", "pareto", "rank2")
    more = [key for key in table.keys if key not in (*keys, "rank")]
    rows = (dict(zip(table.keys, row, strict=True)) for row in table.rows)
    return [{key: row[key] for key in (*keys, *more)} for row in rows]


def _print_ranking(table: Table, comparison: Comparison) -> None:
    from rankwise.reports.tables import format_cell

    pareto, rank2 = table.keys.index("pareto"), table.keys.index("rank2")
    columns = [title for place, title in enumerate(table.titles) if place not in (pareto, rank2)]
    rows = [
        [
            *(format_cell(cell) for place, cell in enumerate(row) if place not in (pareto, rank2)),
            "Pareto" if row[pareto] else "rank 2" if row[rank2] else "",
        ]
        for row in table.rows
    ]
    numeric = [place for place in range(len(columns)) if place != 1]
    print_table([*columns, "Front"], rows, numeric=numeric)
    ranked = comparison.ranking
    click.echo(f"Pareto front: {', '.join(shown(row.method) for row in ranked if row.pareto)}")
    second = ", ".join(shown(row.method) for row in ranked if row.rank2)
    click.echo(f"Rank-2 front: {second or 'none'}")
    if comparison.unplaced:
        named = ", ".join(shown(name) for name in comparison.unplaced)
        note(f"without a rival to be compared with: {named}")


def _write(
    comparison: Comparison,
    intervals: Bootstrap | None,
    title: str,
    folder: str,
    formats: list[str],
    *,
    published: bool,
) -> None:
    from rankwise.reports.writing import make_report, write_report

    report = make_report(comparison, title, intervals, published=published)
    beside = "tables and figures" if formats else "tables"
    with progress("drawing figures", 1.0) as advance:
        try:
            write_report(report, folder, formats, advance)
        except MissingExtra as error:
            # Tables and page need no drawing library and are written first.
            note(f"no figures for print: {error}")
            beside = "tables"
    note(f"written: {Path(folder) / 'report.html'}, with {beside} beside it")
