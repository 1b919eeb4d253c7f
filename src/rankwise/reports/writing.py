"""A report made from a comparison, and written into a folder: tables, figures, captions, page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rankwise.comparison.bias import look_for_bias
from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.hole_study import HoleStudy
from rankwise.comparison.leaving_out import PARTS, Part, leave_out
from rankwise.comparison.query_table import QueryTable
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.weights import WEIGHTS
from rankwise.errors import RankwiseError
from rankwise.evaluation.query_tables import read_query_tables
from rankwise.files import made_folder, make_folder, write_text, written_together
from rankwise.reports import tables
from rankwise.reports.bias_figures import make_funnel, make_origin_bars
from rankwise.reports.comparison_report import Report
from rankwise.reports.estimate_figures import make_estimate_bars, make_hole_figures
from rankwise.reports.estimate_tables import (
    make_estimated_table,
    make_recovery_table,
    make_steps_table,
    make_truth_table,
)
from rankwise.reports.figure_formats import FIGURE_FORMATS
from rankwise.reports.figures import Figure
from rankwise.reports.findings import count_datasets, find_findings
from rankwise.reports.grids import make_head_to_head, make_heat_map
from rankwise.reports.letor_figures import make_letor_figures
from rankwise.reports.own_methods import RUN_HERE
from rankwise.reports.planes import make_planes
from rankwise.reports.provenance import Provenance
from rankwise.reports.published import make_published_planes
from rankwise.reports.query_figures import make_query_figures
from rankwise.reports.second_opinions import make_critical_difference, make_strength_bars
from rankwise.reports.sensitivity import (
    make_bagplots,
    make_interval_bars,
    make_left_out_grid,
    refuse_many,
)
from rankwise.reports.table_formats import Table, format_csv, format_latex, format_markdown
from rankwise.reports.value_figures import make_value_bars

_WEIGHED = "In the tables and figures {}; what the page counts anew, it counts by results."
_ONE_DATASET = (
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
    holes: HoleStudy | None = None,
) -> Report:
    """The report of a comparison with every figure its table allows.

    Where methods were run here, their values per query are read from the store and drawn. Of one
    data set nothing is drawn that takes data sets as a sample: winning numbers against certainty,
    strengths, funnels. `holes` adds how well its order is recovered from sparser tables;
    `published` adds Figures 1-5 of Tax, Bockting and Hiemstra (2015) as
    printed.
    """
    remarks = list(comparison.remarks)
    if bootstrap is not None:
        remarks += [f"{remark[:1].upper()}{remark[1:]}." for remark in bootstrap.remarks]
    if comparison.weighing is not None:
        remarks.append(_WEIGHED.format(WEIGHTS[comparison.weights]))
    queries = _read_queries(comparison, remarks)
    several = count_datasets(comparison) > 1
    make = _make_figures if several else _make_figures_of_one
    figures = [
        *([make_estimate_bars(comparison.estimated)] if comparison.estimated else []),
        *(make_hole_figures(holes) if holes else ()),
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
        holes,
    )


def _make_figures(
    comparison: Comparison, with_queries: bool, remarks: list[str]
) -> list[Figure | None]:
    return [
        make_head_to_head(comparison),
        _allowed(make_critical_difference, comparison, remarks),
        _allowed(make_strength_bars, comparison, remarks),
        make_bagplots(comparison),
        *(_allowed(partial(make_left_out_grid, part=part), comparison, remarks) for part in PARTS),
        *_make_bias_figures(comparison),
        *make_letor_figures(comparison),
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
    remarks.append(_ONE_DATASET)
    return [
        _allowed(make_critical_difference, comparison, remarks),
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
    ranking = tables.make_ranking_table(report.comparison, report.bootstrap)
    written += _write_table(ranking, home, "ranking")
    written += _write_table(tables.make_measures_table(report.comparison), home, "measures")
    written += _write_estimates(report, home)
    for part in PARTS:
        if _can_leave_out(report.comparison, part):
            found = leave_out(report.comparison, part)
            written += _write_table(tables.make_left_out_table(found), home, f"without-one-{part}")
    if not _was_run_here(report.comparison):
        origins = look_for_bias(report.comparison)
        written += _write_table(tables.make_bias_table(origins), home, "publication-bias")
    if formats:
        written += _write_figures(report, make_folder(home / "figures"), formats, advance)
    return written


def _write_estimates(report: Report, home: Path) -> list[Path]:
    """The ranking by another estimator, and what holes do to all of them, where asked for."""
    found = []
    estimated, holes = report.comparison.estimated, report.holes
    if estimated is not None:
        found.append((make_estimated_table(estimated), f"ranking-by-{estimated.estimator}"))
    if holes is not None:
        found += [
            (make_recovery_table(holes), "holes"),
            (make_steps_table(holes), "holes-by-results"),
            (make_truth_table(holes), "holes-truth"),
        ]
    return [path for table, name in found for path in _write_table(table, home, name)]


def _can_leave_out(comparison: Comparison, part: Part) -> bool:
    if part == "study" and "source" not in comparison.table.columns:
        return False
    try:
        refuse_many(comparison, part)
    except RankwiseError:
        return False
    return True


def _allowed(
    build: Callable[[Comparison], Figure], comparison: Comparison, remarks: list[str]
) -> Figure | None:
    """The figure, or None and the reason among the remarks where the table does not allow it."""
    try:
        return build(comparison)
    except RankwiseError as refusal:
        remarks.append(f"{str(refusal)[:1].upper()}{str(refusal)[1:]}.")
        return None


def _write_page(report: Report, path: Path) -> Path:
    from rankwise.reports.page import write_page

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
    from rankwise.reports.matplotlib_renderer import save

    figures = report.all_figures
    paths = []
    for number, figure in enumerate(figures, start=1):
        paths += save(figure, home, formats)
        advance(number / len(figures))
    captions = [f"{figure.name}\n    {figure.title}. {figure.caption}\n" for figure in figures]
    write_text(home / "captions.txt", "\n".join(captions))
    return [*paths, home / "captions.txt"]
