"""The report of a comparison in a folder: tables and page first, then figures for print.

A report is one comparison with its figures, ready to be written as tables, figures with captions
and a page. It tells how it came about: the command that made it, and the day.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from rankwise.comparison.bias import look_for_bias
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.query_values import read_query_tables
from rankwise.comparison.resampling import Bootstrap
from rankwise.comparison.sensitivity import PARTS, Part, leave_out
from rankwise.comparison.significance_tests.query_table import QueryTable
from rankwise.comparison.winning_numbers import WEIGHTS
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.files import made_folder, make_folder, write_text, written_together
from rankwise.measures.measure import sort_measures
from rankwise.reports import comparison_tables
from rankwise.reports.certainty_figures import (
    make_bagplots,
    make_critical_difference,
    make_funnel,
    make_interval_bars,
    make_left_out_grid,
    make_origin_bars,
    make_strength_bars,
    refuse_many,
)
from rankwise.reports.comparison_tables import (
    make_estimated_table,
)
from rankwise.reports.figures import DEFAULT_TITLE, FIGURE_FORMATS, Bars, Figure, Scatter
from rankwise.reports.query_figures import (
    count_datasets,
    find_findings,
    make_query_figures,
    make_value_bars,
)
from rankwise.reports.ranking_figures import (
    RUN_HERE,
    find_own_methods,
    make_estimate_bars,
    make_head_to_head,
    make_heat_map,
    make_planes,
    make_published_planes,
)
from rankwise.tables.table import Table, format_csv, format_latex, format_markdown


@dataclass(frozen=True)
class ReportFiles:
    """A report that was written; `remark` says why there are no figures for print."""

    page: Path
    remark: str | None = None


def report(
    comparison: Comparison,
    folder: str | Path,
    *,
    title: str = DEFAULT_TITLE,
    bootstrap: Bootstrap | None = None,
    formats: Sequence[str] = FIGURE_FORMATS,
    published: bool = False,
    command: str | None = None,
    advance: Callable[[float], None] = lambda done: None,
) -> ReportFiles:
    """Write tables, figures and the page report.html of a comparison into a folder.

    Args:
        comparison: what `compare` gave.
        folder: is made where it is not there.
        title: of the page.
        bootstrap: intervals by `resample_datasets`, which are drawn.
        formats: of the figures for print, png, svg or pdf; none for no figures.
        published: add Figures 1-5 of Tax, Bockting and Hiemstra (2015) as printed.
        command: the command line that asks for it, which the page names with the day.
        advance: is told the share done.

    Figures for print need the extra `figures`; the page does not.
    """
    # What draws and what gives second opinions takes longer to load than a comparison takes.

    made = Provenance(command, find_day())
    content = make_report(comparison, title, bootstrap, published=published, provenance=made)
    page = Path(folder) / "report.html"
    try:
        write_report(content, folder, formats, advance)
    except MissingExtra as error:
        write_report(content, folder, (), advance)
        return ReportFiles(page, f"no figures for print: {error}")
    return ReportFiles(page)


DAY = "SOURCE_DATE_EPOCH"
"""The variable that names another day, in seconds since 1970, so that bytes can be made again."""


@dataclass(frozen=True)
class Provenance:
    """The command, where one made it, and the day on which a report was made."""

    command: str | None = None
    day: date | None = None

    def describe(self) -> str:
        """A sentence, or nothing where nothing is known."""
        when = "" if self.day is None else f" on {self.day.isoformat()}"
        if self.command is None:
            return f"Made{when}." if when else ""
        return f"Made{when} by: {self.command}"


def find_day() -> date:
    """Today in universal time, or the day that `SOURCE_DATE_EPOCH` names."""
    named = os.environ.get(DAY, "")
    if named.isdecimal():
        return datetime.fromtimestamp(int(named), UTC).date()
    return datetime.now(UTC).date()


MEASURES_NAMED = 6

_IDEAL = {
    "observed": "the highest winning number any method reached there",
    "definition": "the number of its rivals there",
}


@dataclass(frozen=True, eq=False)
class Report:
    """What is reported: a comparison, its scatters (`planes`) and all other figures.

    The page draws the planes and the figures of single queries (`query_figures`, from `queries`)
    itself, from what the reader chooses; the other figures it draws as they are. `findings` say
    what came out, `remarks` what the table did not allow, `holes` how well the order would be
    recovered from a sparser table.
    """

    title: str
    comparison: Comparison
    planes: tuple[Scatter | Bars, ...]
    figures: tuple[Figure, ...]
    bootstrap: Bootstrap | None = None
    remarks: tuple[str, ...] = ()
    queries: tuple[QueryTable, ...] = ()
    query_figures: tuple[Figure, ...] = ()
    findings: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def all_figures(self) -> tuple[Figure, ...]:
        """Every figure that is drawn for print, in the order of the page."""
        return (*self.planes, *self.query_figures, *self.figures)

    @property
    def own(self) -> frozenset[str]:
        """The reader's own methods, where there are published ones beside them."""
        return find_own_methods(self.comparison.table)

    def summary(self) -> str:
        """One sentence about what is compared."""
        comparison = self.comparison
        datasets = len(set(comparison.cells.dataset.tolist()))
        measures = sort_measures(comparison.measures)
        named = ", ".join(measures[:MEASURES_NAMED])
        more = len(measures) - MEASURES_NAMED
        return (
            f"{len(comparison.rows):,} methods, {datasets} data set{'s' if datasets != 1 else ''}, "
            f"{len(comparison.cells):,} results in {named}"
            f"{f' and {more} more measures' if more > 0 else ''}."
        )

    def counting(self) -> str:
        """How winning numbers were counted."""
        return (
            "A method wins against each rival with a worse result on the same data set and "
            "measure; its ideal is, summed over them, "
            f"{_IDEAL[self.comparison.ideal]} (rule {self.comparison.ideal!r} of Tax, Bockting and "
            f"Hiemstra 2015, with {self.comparison.dominance} dominance)."
        )


_WEIGHTS_REMARK = "In the tables and figures {}; what the page counts anew, it counts by results."
_ONE_DATASET_REMARK = (
    "Of one data set nothing is drawn that takes data sets as a sample (accuracy against "
    "certainty, Bradley-Terry strengths, leaving one out): its results are not independent, and "
    "such figures would set methods apart that no paired test separates."
)


def make_report(
    comparison: Comparison,
    title: str,
    bootstrap: Bootstrap | None = None,
    *,
    published: bool = False,
    provenance: Provenance | None = None,
) -> Report:
    """The report of a comparison with every figure its table allows.

    Where methods were run here, their values per query are read from the store and drawn. Of one
    data set nothing is drawn that takes data sets as a sample: winning numbers against certainty,
    strengths, funnels. `published` adds Figures 1-5 of Tax, Bockting and Hiemstra (2015) as
    printed.
    """
    remarks = list(comparison.remarks)
    if bootstrap is not None:
        remarks += [f"{remark[:1].upper()}{remark[1:]}." for remark in bootstrap.remarks]
    if comparison.weighing is not None:
        remarks.append(_WEIGHTS_REMARK.format(WEIGHTS[comparison.weights]))
    queries = _read_queries(comparison, remarks)
    several = count_datasets(comparison) > 1
    make = _make_figures if several else _make_figures_of_one
    figures = [
        *([make_estimate_bars(comparison.estimated)] if comparison.estimated else []),
        *([make_interval_bars(comparison, bootstrap)] if bootstrap else []),
        *make(comparison, bool(queries), remarks),
        *(make_published_planes() if published else ()),
    ]
    return Report(
        title,
        comparison,
        make_planes(comparison) if several else (),
        tuple(figure for figure in figures if figure is not None),
        bootstrap,
        tuple(remarks),
        queries,
        tuple(
            figure
            for table in queries
            for figure in make_query_figures(table, single=len(queries) == 1)
        ),
        find_findings(comparison, queries),
        provenance or Provenance(),
    )


def _make_figures(
    comparison: Comparison, with_queries: bool, remarks: list[str]
) -> list[Figure | None]:
    return [
        make_head_to_head(comparison),
        _make_where_allowed(make_critical_difference, comparison, remarks),
        _make_where_allowed(make_strength_bars, comparison, remarks),
        make_bagplots(comparison),
        *(
            _make_where_allowed(partial(make_left_out_grid, part=part), comparison, remarks)
            for part in PARTS
        ),
        *_make_bias_figures(comparison),
        make_heat_map(comparison),
    ]


def _make_bias_figures(comparison: Comparison) -> list[Figure | None]:
    if _was_run_here(comparison):
        return []
    found = look_for_bias(comparison)
    return [make_funnel(found), make_origin_bars(found)]


def _was_run_here(comparison: Comparison) -> bool:
    """Whether all methods were: nobody published them."""
    sources = {source for source in comparison.table.source.tolist() if source is not None}
    return bool(sources) and all(source.startswith(RUN_HERE) for source in sources)


def _make_figures_of_one(
    comparison: Comparison, with_queries: bool, remarks: list[str]
) -> list[Figure | None]:
    """What one data set allows; the strengths of its methods would look surer than they are."""
    remarks.append(_ONE_DATASET_REMARK)
    return [
        _make_where_allowed(make_critical_difference, comparison, remarks),
        *(() if with_queries else make_value_bars(comparison)),
        make_heat_map(comparison),
    ]


def _read_queries(comparison: Comparison, remarks: list[str]) -> tuple[QueryTable, ...]:
    """Values per query, or none and the reason among the remarks."""
    try:
        return read_query_tables(comparison)
    except RankwiseError as refusal:
        remarks.append(f"No values per query: {refusal}.")
        return ()


def write_report(
    report: Report,
    folder: str | Path,
    formats: Sequence[str] = FIGURE_FORMATS,
    advance: Callable[[float], None] = lambda done: None,
) -> list[Path]:
    """Write everything into `folder`, or nothing, and return the paths.

    `advance` is told the share done.
    """
    page = Path(folder) / "report.html"
    with made_folder(folder), written_together(page) as home:
        written = _write_all(report, home, formats, advance)
        return [page.parent / path.relative_to(home) for path in written]


def _write_all(
    report: Report, home: Path, formats: Sequence[str], advance: Callable[[float], None]
) -> list[Path]:
    written = [_write_page(report, home / "report.html")]
    ranking = comparison_tables.make_ranking_table(report.comparison, report.bootstrap)
    written += _write_table(ranking, home, "ranking")
    written += _write_table(
        comparison_tables.make_measures_table(report.comparison), home, "measures"
    )
    written += _write_estimates(report, home)
    for part in PARTS:
        if _can_leave_out(report.comparison, part):
            found = leave_out(report.comparison, part)
            written += _write_table(
                comparison_tables.make_left_out_table(found), home, f"without-one-{part}"
            )
    if not _was_run_here(report.comparison):
        origins = look_for_bias(report.comparison)
        written += _write_table(
            comparison_tables.make_bias_table(origins), home, "publication-bias"
        )
    if formats:
        written += _write_figures(report, make_folder(home / "figures"), formats, advance)
    return written


def _write_estimates(report: Report, home: Path) -> list[Path]:
    """The ranking by another estimator, where asked for."""
    estimated = report.comparison.estimated
    if estimated is None:
        return []
    return _write_table(make_estimated_table(estimated), home, f"ranking-by-{estimated.estimator}")


def _can_leave_out(comparison: Comparison, part: Part) -> bool:
    if part == "study" and "source" not in comparison.table.columns:
        return False
    try:
        refuse_many(comparison, part)
    except RankwiseError:
        return False
    return True


def _make_where_allowed(
    build: Callable[[Comparison], Figure], comparison: Comparison, remarks: list[str]
) -> Figure | None:
    """The figure, or None and the reason among the remarks where the table does not allow it."""
    try:
        return build(comparison)
    except RankwiseError as refusal:
        remarks.append(f"{str(refusal)[:1].upper()}{str(refusal)[1:]}.")
        return None


def _write_page(report: Report, path: Path) -> Path:
    from rankwise.reports.page.content import write_page

    write_page(report, path)
    return path


def _write_table(table: Table, home: Path, name: str) -> list[Path]:
    texts = {"csv": format_csv, "tex": format_latex, "md": format_markdown}
    paths = []
    for ending, write in texts.items():
        path = home / f"{name}.{ending}"
        write_text(path, write(table))
        paths.append(path)
    return paths


def _write_figures(
    report: Report, home: Path, formats: Sequence[str], advance: Callable[[float], None]
) -> list[Path]:
    from rankwise.reports.drawing.renderer import save

    figures = report.all_figures
    paths = []
    for number, figure in enumerate(figures, start=1):
        paths += save(figure, home, formats)
        advance(number / len(figures))
    captions = [f"{figure.name}\n    {figure.title}. {figure.caption}\n" for figure in figures]
    write_text(home / "captions.txt", "\n".join(captions))
    return [*paths, home / "captions.txt"]
