"""A report made from a comparison, and written into a folder: tables, figures, captions, page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rankwise.comparison.bias import look_for_bias
from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.leaving_out import PARTS, leave_out
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.weights import WEIGHTS
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text
from rankwise.reports import tables
from rankwise.reports.bias_figures import make_funnel, make_origin_bars
from rankwise.reports.figure_formats import FIGURE_FORMATS
from rankwise.reports.figures import Figure
from rankwise.reports.grids import make_head_to_head, make_heat_map
from rankwise.reports.planes import make_planes
from rankwise.reports.published import make_published_planes
from rankwise.reports.report import Report
from rankwise.reports.second_opinions import make_critical_difference, make_strength_bars
from rankwise.reports.sensitivity import make_bagplots, make_interval_bars, make_left_out_grid

_WEIGHED = "In the tables and figures {}; what the page counts anew, it counts by results."


def make_report(
    comparison: Comparison,
    title: str,
    bootstrap: Bootstrap | None = None,
    *,
    published: bool = False,
) -> Report:
    """The report of a comparison with every figure its table allows.

    `published` adds Figures 1-5 of Tax, Bockting and Hiemstra (2015) as printed.
    """
    remarks = list(comparison.remarks)
    if bootstrap is not None:
        remarks += [f"{remark[:1].upper()}{remark[1:]}." for remark in bootstrap.remarks]
    if comparison.weighing is not None:
        remarks.append(_WEIGHED.format(WEIGHTS[comparison.weights]))
    figures: list[Figure | None] = [
        make_interval_bars(comparison, bootstrap) if bootstrap else None,
        make_head_to_head(comparison),
        _allowed(make_critical_difference, comparison, remarks),
        _allowed(make_strength_bars, comparison, remarks),
        make_bagplots(comparison),
        *(_allowed(partial(make_left_out_grid, part=part), comparison, remarks) for part in PARTS),
        make_funnel(look_for_bias(comparison)),
        make_origin_bars(look_for_bias(comparison)),
        make_heat_map(comparison),
        *(make_published_planes() if published else ()),
    ]
    drawn = tuple(figure for figure in figures if figure is not None)
    return Report(title, comparison, make_planes(comparison), drawn, bootstrap, tuple(remarks))


def write_report(
    report: Report,
    folder: str | Path,
    formats: Sequence[str] = FIGURE_FORMATS,
    advance: Callable[[float], None] = lambda done: None,
) -> list[Path]:
    """Write everything into `folder` and return the paths; `advance` is told the share done."""
    home = make_folder(folder)
    written = [_write_page(report, home / "report.html")]
    ranking = tables.make_ranking_table(report.comparison, report.bootstrap)
    written += _write_table(ranking, home, "ranking")
    written += _write_table(tables.make_measures_table(report.comparison), home, "measures")
    for part in PARTS:
        if part != "study" or "source" in report.comparison.table.columns:
            found = leave_out(report.comparison, part)
            written += _write_table(tables.make_left_out_table(found), home, f"without-one-{part}")
    origins = look_for_bias(report.comparison)
    written += _write_table(tables.make_bias_table(origins), home, "publication-bias")
    if formats:
        written += _write_figures(report, make_folder(home / "figures"), formats, advance)
    return written


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


def _write_table(table: tables.Table, home: Path, name: str) -> list[Path]:
    texts = {"csv": tables.format_csv, "tex": tables.format_latex, "md": tables.format_markdown}
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

    figures = (*report.planes, *report.figures)
    paths = []
    for number, figure in enumerate(figures, start=1):
        paths += save(figure, home, formats)
        advance(number / len(figures))
    captions = [f"{figure.name}\n    {figure.title}. {figure.caption}\n" for figure in figures]
    write_text(home / "captions.txt", "\n".join(captions))
    return [*paths, home / "captions.txt"]
