"""Reports: figures as data, drawn by renderers; tables; the self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.reports.comparison_files import DEFAULT_TITLE as DEFAULT_TITLE
    from rankwise.reports.comparison_files import ReportFiles as ReportFiles
    from rankwise.reports.comparison_files import report_comparison as report_comparison
    from rankwise.reports.dearank_figures import draw_dearank as draw_dearank
    from rankwise.reports.experiment_tables import ConventionFiles as ConventionFiles
    from rankwise.reports.experiment_tables import format_summary as format_summary
    from rankwise.reports.experiment_tables import has_published as has_published
    from rankwise.reports.experiment_tables import has_seeds as has_seeds
    from rankwise.reports.experiment_tables import tabulate_summary as tabulate_summary
    from rankwise.reports.experiment_tables import title_summary as title_summary
    from rankwise.reports.experiment_tables import write_bench as write_bench
    from rankwise.reports.experiment_tables import write_conventions as write_conventions
    from rankwise.reports.experiment_tables import write_tables as write_tables
    from rankwise.reports.names import LONGEST as LONGEST
    from rankwise.reports.names import shown as shown
    from rankwise.reports.report import Report as Report
    from rankwise.reports.tables import Table as Table
    from rankwise.reports.tables import bias_table as bias_table
    from rankwise.reports.tables import cell_text as cell_text
    from rankwise.reports.tables import csv_text as csv_text
    from rankwise.reports.tables import latex as latex
    from rankwise.reports.tables import left_out_table as left_out_table
    from rankwise.reports.tables import markdown as markdown
    from rankwise.reports.tables import ranking_table as ranking_table
    from rankwise.reports.writing import FIGURE_FORMATS as FIGURE_FORMATS
    from rankwise.reports.writing import make_report as make_report
    from rankwise.reports.writing import write_report as write_report
else:
    homes = {
        "rankwise.reports.comparison_files": ("DEFAULT_TITLE", "ReportFiles", "report_comparison"),
        "rankwise.reports.dearank_figures": ("draw_dearank",),
        "rankwise.reports.experiment_tables": (
            "ConventionFiles",
            "format_summary",
            "has_published",
            "has_seeds",
            "tabulate_summary",
            "title_summary",
            "write_bench",
            "write_conventions",
            "write_tables",
        ),
        "rankwise.reports.names": ("LONGEST", "shown"),
        "rankwise.reports.report": ("Report",),
        "rankwise.reports.tables": (
            "Table",
            "bias_table",
            "cell_text",
            "csv_text",
            "latex",
            "left_out_table",
            "markdown",
            "ranking_table",
        ),
        "rankwise.reports.writing": ("FIGURE_FORMATS", "make_report", "write_report"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
