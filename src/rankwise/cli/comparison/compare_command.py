"""`rankwise compare`: which method is best across benchmarks, as tables, figures and a page.

With --by it prints rankings by other estimators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.comparison.comparison_options import (
    bias_option,
    by_option,
    choice_options,
    compared_measures_option,
    credible_option,
    ideal_option,
    leave_out_option,
    own_scores_options,
    tabulate_own,
    weights_option,
)
from rankwise.cli.main import typed_command
from rankwise.cli.options import format_option, output_option, seed_option, shape_options
from rankwise.cli.output import note, print_json, print_report_tables, print_table, progress, say
from rankwise.comparison import (
    DEFAULT_TABLE,
    NWN_INTERVALS,
    Bootstrap,
    Comparison,
    EstimatedRanking,
    NwnInterval,
    PublicationBias,
    Sensitivity,
    leave_out,
    look_for_bias,
    resample_datasets,
)
from rankwise.comparison import compare as compare_results
from rankwise.errors import RankwiseError
from rankwise.reports import (
    DEFAULT_TITLE,
    FIGURE_FORMATS,
    make_bias_table,
    make_estimated_table,
    make_left_out_table,
    make_ranking_table,
)
from rankwise.tables import Table, Value, format_cell, shape_table, shown


@click.command()
@click.argument("tables", nargs=-1, type=click.Path(), metavar="[TABLE]...")
@own_scores_options
@compared_measures_option
@choice_options
@credible_option
@weights_option
@leave_out_option
@bias_option
@by_option
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
    help="Draw the data sets anew N times: intervals of NWN, share of draws on the front.",
)
@click.option(
    "--interval",
    type=click.Choice(NWN_INTERVALS),
    default="spread",
    show_default=True,
    help="With --bootstrap: intervals by the scatter over data sets, or percentiles of the draws.",
)
@seed_option("For --bootstrap.")
@output_option("Write tables, figures and the page report.html into this folder.", "DIR")
@click.option(
    "--figures",
    "figure_formats",
    default="png,svg,pdf",
    show_default=True,
    metavar="FORMATS",
    help="Formats of the figures for print in --output, separated by commas; none for no figures.",
)
@click.option("--title", default=DEFAULT_TITLE, help="The title of the page.")
@shape_options
@format_option(own=("csv", "latex", "markdown"))
def compare(
    tables: tuple[str, ...],
    measures: tuple[str, ...],
    methods: tuple[str, ...],
    left_out: Any,
    bias: bool,
    resamples: int,
    interval: NwnInterval,
    seed: int,
    output: Path | None,
    figure_formats: str,
    title: str,
    columns: str | None,
    transpose: bool,
    output_format: str,
    data: str | None,
    scores: str | None,
    name: str | None,
    tool: str | None,
    trec: bool,
    **rules: Any,
) -> None:
    """Rank the methods of result tables by Normalized Winning Number, and find the Pareto front.

    TABLE is a file of results (.csv, .tsv, .jsonl, .parquet), the store of an experiment (.sqlite),
    the folder that 'rankwise results dense' wrote, or the name of a shipped table (see 'rankwise
    literature list'). Without one, the 87 methods of Tax, Bockting and Hiemstra (2015) are compared
    by the 1,050 published results that they collected. Methods of a store that lack folds or seeds
    are left out, and said; a data set in several versions counts as several data sets, but as one
    where they are drawn anew.

    --leave-out repeats their Table 4 (measure) and Figure 6 (dataset); with it or --bias the
    formats other than table print its figures in place of the ranking. --by ranks by another
    estimator, with intervals.

    For one measure the front is that of NWN against the number of data sets, for several together
    of NWN against the Ideal Winning Number, as in that paper.

    \b
    Examples:
      rankwise compare
      rankwise compare --credible --leave-out measure
      rankwise compare --collection 'LETOR 3.0' --weights datasets
      rankwise compare --bias
      rankwise compare --by scaled-mixed-model
      rankwise compare results.csv -m NDCG@10
      rankwise compare results.sqlite dearank_tables_2_to_5 -o report
      rankwise compare results.csv --bootstrap 1000 --format json
      rankwise compare results.csv --format latex --columns method,nwn,datasets
      rankwise compare --data MQ2008 --scores 'fold{fold}.scores' --name mine
    """
    if interval != NWN_INTERVALS[0] and not resamples:
        raise RankwiseError("--interval is of --bootstrap N; add that or leave it out")
    formats = _formats(figure_formats)
    if left_out and bias and output_format != "table":
        raise RankwiseError(
            f"--format {output_format} prints one table; ask for one of --leave-out and --bias"
        )
    chosen = methods or data or rules["collections"] or rules["datasets"] or rules["credible"]
    of_paper = not (tables or chosen)
    if not tables:
        note("comparing the results collected by Tax, Bockting and Hiemstra (2015); see --help")
    named = [name for part in methods for name in part.split(",") if name.strip()]
    own = tabulate_own(data, scores, measures, name=name, tool=tool, trec=trec)
    sources = tables if own is None else (*(tables or (DEFAULT_TABLE,)), own)
    comparison = compare_results(*sources, measures=measures, methods=named, **rules)
    for remark in comparison.remarks:
        note(remark)
    intervals = _intervals(comparison, resamples, seed, interval)
    for remark in () if intervals is None else intervals.remarks:
        note(remark)
    sensitivity = None
    if left_out:
        with progress(f"leaving out each {left_out}"):
            sensitivity = leave_out(comparison, left_out)
    origins = look_for_bias(comparison) if bias else None
    if output_format == "table" or not (sensitivity or origins):
        _print(comparison, intervals, output_format, (columns, transpose))
    if sensitivity is not None:
        _print_sensitivity(sensitivity, output_format, (columns, transpose))
    if origins is not None:
        _print_bias(origins, output_format, (columns, transpose))
    if output is not None:
        # What draws takes longer to load than a ranking to print.
        from rankwise.reports import report

        with progress("drawing figures", 1.0) as advance:
            written = report(
                comparison, output, title=title, bootstrap=intervals,
                formats=formats, published=of_paper, command=typed_command(), advance=advance,
            )  # fmt: skip
        if written.remark is not None:
            note(written.remark)
        beside = "tables and figures" if formats and written.remark is None else "tables"
        note(f"written: {written.page}, with {beside} beside it")


def _formats(text: str) -> list[str]:
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


def _intervals(
    comparison: Comparison, resamples: int, seed: int, kind: NwnInterval
) -> Bootstrap | None:
    if not resamples:
        return None
    with progress("drawing the data sets anew", resamples) as advance:
        return resample_datasets(comparison, resamples, seed, advance=advance, interval=kind)


def _print(
    comparison: Comparison, intervals: Bootstrap | None, output_format: str, shape: Shape
) -> None:
    if comparison.estimated is not None:
        print_estimated(comparison.estimated, comparison.remarks, output_format, shape)
        return
    table = make_ranking_table(comparison, intervals)
    if output_format == "json":
        print_json(_objects(table, comparison.remarks))
    elif output_format == "table" and shape == (None, False):
        _print_ranking(table, comparison)
    else:
        print_report_tables(shape_table(table, *shape), output_format)


def _print_sensitivity(found: Sensitivity, output_format: str, shape: Shape) -> None:
    table = make_left_out_table(found)
    if output_format == "json":
        print_json([dict(zip(table.keys, row, strict=True)) for row in table.rows])
    elif output_format == "table":
        _print_plain(table, f"The methods on the front with each {found.part} left out", (0, 1))
        for sentence in found.describe():
            say(shown(sentence, 400))
    else:
        print_report_tables(shape_table(table, *shape), output_format)


def _print_bias(found: PublicationBias, output_format: str, shape: Shape) -> None:
    table = make_bias_table(found)
    if output_format == "json":
        print_json(asdict(found))
    elif output_format == "table":
        rows = [
            [
                f"{step.first}{f' to {step.last}' if step.last else ' or more'}",
                step.methods,
                "" if step.mean_nwn is None else f"{step.mean_nwn:.4f}",
                step.above,
                step.below,
            ]
            for step in found.funnel
        ]
        title = f"NWN by the number of results, against a funnel around {found.centre:.4f}"
        columns = ["Results", "Methods", "Mean NWN", "Above the funnel", "Below it"]
        print_table(columns, rows, title=title, numeric=(1, 2, 3, 4))
        groups = [
            [_ORIGINS[one.origin], one.methods, one.results, format_cell(one.nwn)]
            for one in found.groups
        ]
        title = "Results by who published them: the authors of the method, or others"
        print_table(
            ["Published by", "Methods", "Results", "NWN"], groups, title=title, numeric=(1, 2, 3)
        )
        if found.both:
            both = [[format_cell(getattr(one, key)) for key in _BOTH] for one in found.both]
            names = ["Method", "Own", "NWN own", "Others", "NWN others", "Gain"]
            print_table(names, both, numeric=(1, 2, 3, 4, 5))
        for sentence in found.describe():
            say(sentence)
    else:
        print_report_tables(shape_table(table, *shape), output_format)


_BOTH = ("method", "own_results", "own_nwn", "others_results", "others_nwn", "gain")
_ORIGINS = {"own": "its authors", "others": "others", "unclear": "both or not named"}


def _print_plain(table: Table, title: str, texts: tuple[int, ...]) -> None:
    numeric = [place for place in range(len(table.keys)) if place not in texts]
    rows = [[format_cell(cell) for cell in row] for row in table.rows]
    print_table(list(table.titles), rows, title=title, numeric=numeric)


def _objects(table: Table, remarks: Sequence[str]) -> list[dict[str, object]]:
    """One object a method; the rank is its place in the list.

    Where something was left out each says so, as no method should be read without it.
    """
    said = {"remarks": list(remarks)} if remarks else {}
    keys = ("method", "wn", "iwn", "nwn", "datasets", "pareto", "rank2")
    more = [key for key in table.keys if key not in (*keys, "rank")]
    rows = (dict(zip(table.keys, row, strict=True)) for row in table.rows)
    return [{**{key: row[key] for key in (*keys, *more)}, **said} for row in rows]


def _empty_warnings(table: Table) -> set[int]:
    """The column of warnings where no interval has one: a missing interval shows without it."""
    if "warning" not in table.keys:
        return set()
    place, lower = table.keys.index("warning"), table.keys.index("nwn_lower")
    doubted = any(row[place] and row[lower] is not None for row in table.rows)
    return set() if doubted else {place}


def _print_ranking(table: Table, comparison: Comparison) -> None:
    pareto, rank2 = table.keys.index("pareto"), table.keys.index("rank2")
    hidden = {pareto, rank2} | _empty_warnings(table)
    kept = [place for place in range(len(table.keys)) if place not in hidden]
    rows = [
        [
            *(format_cell(row[place]) for place in kept),
            "Pareto" if row[pareto] else "rank 2" if row[rank2] else "",
        ]
        for row in table.rows
    ]
    texts = ("method", "warning")
    numeric = [column for column, place in enumerate(kept) if table.keys[place] not in texts]
    names = [*(table.titles[place] for place in kept), "Front"]
    best = {(row, kept.index(column)) for row, column in table.best}
    print_table(names, rows, numeric=numeric, best=best)
    ranked = comparison.ranking
    say(f"Pareto front: {', '.join(shown(row.method) for row in ranked if row.pareto)}")
    second = ", ".join(shown(row.method) for row in ranked if row.rank2)
    say(f"Rank-2 front: {second or 'none'}")
    if comparison.unplaced:
        named = ", ".join(shown(name) for name in comparison.unplaced)
        note(f"without a rival to be compared with: {named}")


Shape = tuple[str | None, bool]
"""Which columns of a table are printed, and whether it is turned."""


def print_estimated(
    found: EstimatedRanking, remarks: tuple[str, ...], output_format: str, shape: Shape
) -> None:
    """The ranking by an estimator in any format."""
    table = make_estimated_table(found)
    if output_format == "json":
        print_json({**asdict(found), "remarks": [*remarks, *found.remarks]})
    elif output_format == "table" and shape == (None, False):
        doubted = any(one.warning and one.lower is not None for one in found.rows)
        kept = [place for place, key in enumerate(table.keys) if doubted or key != "warning"]
        _print_plain_table(_take_columns(table, kept), "", ("method", "warning"))
        for remark in found.remarks:
            note(remark)
    else:
        print_report_tables(shape_table(table, *shape), output_format)


def _take_columns(table: Table, columns: list[int]) -> Table:
    return Table(
        tuple(table.keys[place] for place in columns),
        tuple(table.titles[place] for place in columns),
        tuple(tuple(row[place] for place in columns) for row in table.rows),
    )


def _print_plain_table(table: Table, title: str, texts: tuple[str, ...], digits: int = 4) -> None:
    numeric = [place for place, key in enumerate(table.keys) if key not in texts]
    rows = [[_format_cell(cell, digits) for cell in row] for row in table.rows]
    print_table(list(table.titles), rows, title=title or None, numeric=numeric, unbroken=(0,))


def _format_cell(cell: Value, digits: int) -> str:
    return f"{cell:.{digits}f}" if isinstance(cell, float) else format_cell(cell)
