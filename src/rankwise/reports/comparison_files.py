"""The report of a comparison in a folder: tables and page first, then figures for print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.hole_study import HoleStudy
from rankwise.comparison.ranking import Comparison
from rankwise.errors import MissingExtra
from rankwise.reports.figure_formats import FIGURE_FORMATS
from rankwise.reports.provenance import Provenance, find_day

DEFAULT_TITLE = "Comparison of ranking methods"


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
    holes: HoleStudy | None = None,
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
        holes: what `lay_holes` found, which is drawn too.
        formats: of the figures for print, png, svg or pdf; none for no figures.
        published: add Figures 1-5 of Tax, Bockting and Hiemstra (2015) as printed.
        command: the command line that asks for it, which the page names with the day.
        advance: is told the share done.

    Figures for print need the extra `figures`; the page does not.
    """
    # What draws and what gives second opinions takes longer to load than a comparison takes.
    from rankwise.reports.writing import make_report, write_report

    made = Provenance(command, find_day())
    content = make_report(
        comparison, title, bootstrap, published=published, provenance=made, holes=holes
    )
    page = Path(folder) / "report.html"
    try:
        write_report(content, folder, formats, advance)
    except MissingExtra as error:
        write_report(content, folder, (), advance)
        return ReportFiles(page, f"no figures for print: {error}")
    return ReportFiles(page)
