"""Reports: figures as data, drawn by renderers; tables; the self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.reports.comparison_files import DEFAULT_TITLE as DEFAULT_TITLE
    from rankwise.reports.comparison_files import ReportFiles as ReportFiles
    from rankwise.reports.comparison_files import report as report
    from rankwise.reports.comparison_report import Report as Report
    from rankwise.reports.dearank_figures import draw_dearank as draw_dearank
    from rankwise.reports.difference_figures import draw_differences as draw_differences
    from rankwise.reports.difference_figures import make_difference_bars as make_difference_bars
    from rankwise.reports.difference_figures import make_difference_table as make_difference_table
    from rankwise.reports.estimate_figures import make_estimate_bars as make_estimate_bars
    from rankwise.reports.estimate_figures import make_hole_figures as make_hole_figures
    from rankwise.reports.estimate_tables import make_error_table as make_error_table
    from rankwise.reports.estimate_tables import make_estimated_table as make_estimated_table
    from rankwise.reports.estimate_tables import make_recovery_table as make_recovery_table
    from rankwise.reports.estimate_tables import make_steps_table as make_steps_table
    from rankwise.reports.estimate_tables import make_truth_table as make_truth_table
    from rankwise.reports.experiment_tables import format_summary as format_summary
    from rankwise.reports.experiment_tables import has_published as has_published
    from rankwise.reports.experiment_tables import has_seeds as has_seeds
    from rankwise.reports.experiment_tables import tabulate_summary as tabulate_summary
    from rankwise.reports.experiment_tables import title_summary as title_summary
    from rankwise.reports.experiment_tables import write_bench as write_bench
    from rankwise.reports.experiment_tables import write_conventions as write_conventions
    from rankwise.reports.experiment_tables import write_tables as write_tables
    from rankwise.reports.explanation_figures import draw_explanation as draw_explanation
    from rankwise.reports.explanation_figures import explanation_figure as explanation_figure
    from rankwise.reports.feedback_figures import draw_offline_study as draw_offline_study
    from rankwise.reports.feedback_figures import draw_online_study as draw_online_study
    from rankwise.reports.figure_formats import FIGURE_FORMATS as FIGURE_FORMATS
    from rankwise.reports.names import LONGEST as LONGEST
    from rankwise.reports.names import shown as shown
    from rankwise.reports.page import make_page as make_page
    from rankwise.reports.page import write_page as write_page
    from rankwise.reports.path_figures import draw_path as draw_path
    from rankwise.reports.path_figures import make_path_figures as make_path_figures
    from rankwise.reports.recommendation_figures import draw_recommendation as draw_recommendation
    from rankwise.reports.recommendation_figures import make_cost_plane as make_cost_plane
    from rankwise.reports.significance_tables import (
        make_significance_tables as make_significance_tables,
    )
    from rankwise.reports.summary_tables import MARGINS as MARGINS
    from rankwise.reports.summary_tables import Margin as Margin
    from rankwise.reports.summary_tables import SummaryMarks as SummaryMarks
    from rankwise.reports.summary_tables import make_summary_table as make_summary_table
    from rankwise.reports.summary_tables import mark_summaries as mark_summaries
    from rankwise.reports.table_formats import Estimate as Estimate
    from rankwise.reports.table_formats import Table as Table
    from rankwise.reports.table_formats import Value as Value
    from rankwise.reports.table_formats import find_numeric as find_numeric
    from rankwise.reports.table_formats import format_cell as format_cell
    from rankwise.reports.table_formats import format_csv as format_csv
    from rankwise.reports.table_formats import format_latex as format_latex
    from rankwise.reports.table_formats import format_markdown as format_markdown
    from rankwise.reports.table_shapes import mark_best as mark_best
    from rankwise.reports.table_shapes import shape_table as shape_table
    from rankwise.reports.tables import make_bias_table as make_bias_table
    from rankwise.reports.tables import make_left_out_table as make_left_out_table
    from rankwise.reports.tables import make_measures_table as make_measures_table
    from rankwise.reports.tables import make_ranking_table as make_ranking_table
    from rankwise.reports.writing import make_report as make_report
    from rankwise.reports.writing import write_report as write_report
else:
    homes = {
        "rankwise.reports.comparison_files": ("DEFAULT_TITLE", "ReportFiles", "report"),
        "rankwise.reports.dearank_figures": ("draw_dearank",),
        "rankwise.reports.difference_figures": (
            "draw_differences",
            "make_difference_bars",
            "make_difference_table",
        ),
        "rankwise.reports.estimate_figures": ("make_estimate_bars", "make_hole_figures"),
        "rankwise.reports.estimate_tables": (
            "make_error_table",
            "make_estimated_table",
            "make_recovery_table",
            "make_steps_table",
            "make_truth_table",
        ),
        "rankwise.reports.experiment_tables": (
            "format_summary",
            "has_published",
            "has_seeds",
            "tabulate_summary",
            "title_summary",
            "write_bench",
            "write_conventions",
            "write_tables",
        ),
        "rankwise.reports.explanation_figures": ("draw_explanation", "explanation_figure"),
        "rankwise.reports.feedback_figures": ("draw_offline_study", "draw_online_study"),
        "rankwise.reports.figure_formats": ("FIGURE_FORMATS",),
        "rankwise.reports.names": ("LONGEST", "shown"),
        "rankwise.reports.page": ("make_page", "write_page"),
        "rankwise.reports.path_figures": ("draw_path", "make_path_figures"),
        "rankwise.reports.recommendation_figures": ("draw_recommendation", "make_cost_plane"),
        "rankwise.reports.comparison_report": ("Report",),
        "rankwise.reports.significance_tables": ("make_significance_tables",),
        "rankwise.reports.summary_tables": (
            "MARGINS",
            "Margin",
            "SummaryMarks",
            "make_summary_table",
            "mark_summaries",
        ),
        "rankwise.reports.table_formats": (
            "Estimate",
            "Table",
            "Value",
            "find_numeric",
            "format_cell",
            "format_csv",
            "format_latex",
            "format_markdown",
        ),
        "rankwise.reports.table_shapes": ("mark_best", "shape_table"),
        "rankwise.reports.tables": (
            "make_bias_table",
            "make_left_out_table",
            "make_measures_table",
            "make_ranking_table",
        ),
        "rankwise.reports.writing": ("make_report", "write_report"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
