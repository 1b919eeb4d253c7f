"""What one asks about scores: their figures, why tools differ on them, and whether it is luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.evaluation.evaluating import FileEvaluation as FileEvaluation
    from rankwise.evaluation.evaluating import check_layout as check_layout
    from rankwise.evaluation.evaluating import evaluate as evaluate
    from rankwise.evaluation.evaluating import evaluate_files as evaluate_files
    from rankwise.evaluation.evaluating import named_tools as named_tools
    from rankwise.evaluation.explaining import explain as explain
    from rankwise.evaluation.explaining import identify as identify
    from rankwise.evaluation.files import JudgedFiles as JudgedFiles
    from rankwise.evaluation.given import HowJudged as HowJudged
    from rankwise.evaluation.judging import judge as judge
    from rankwise.evaluation.judging import judge_dataset as judge_dataset
    from rankwise.evaluation.own_queries import tabulate_queries as tabulate_queries
    from rankwise.evaluation.own_results import fill_pattern as fill_pattern
    from rankwise.evaluation.own_results import find_parts as find_parts
    from rankwise.evaluation.own_results import make_rows as make_rows
    from rankwise.evaluation.own_results import tabulate_evaluations as tabulate_evaluations
    from rankwise.evaluation.own_results import tabulate_scores as tabulate_scores
    from rankwise.evaluation.query_check import PartQueries as PartQueries
    from rankwise.evaluation.query_check import QueryCheck as QueryCheck
    from rankwise.evaluation.query_check import ToolEffect as ToolEffect
    from rankwise.evaluation.query_check import check_queries as check_queries
    from rankwise.evaluation.reconciling import Published as Published
    from rankwise.evaluation.reconciling import Reconciliation as Reconciliation
    from rankwise.evaluation.reconciling import reconcile as reconcile
    from rankwise.evaluation.runs import join_run as join_run
    from rankwise.evaluation.significance_scripts import print_as_script as print_as_script
    from rankwise.evaluation.systems import Significance as Significance
    from rankwise.evaluation.systems import evaluate_systems as evaluate_systems
    from rankwise.evaluation.systems import significance as significance
else:
    homes = {
        "rankwise.evaluation.evaluating": (
            "FileEvaluation",
            "check_layout",
            "evaluate",
            "evaluate_files",
            "named_tools",
        ),
        "rankwise.evaluation.explaining": ("explain", "identify"),
        "rankwise.evaluation.files": ("JudgedFiles",),
        "rankwise.evaluation.given": ("HowJudged",),
        "rankwise.evaluation.judging": ("judge", "judge_dataset"),
        "rankwise.evaluation.own_queries": ("tabulate_queries",),
        "rankwise.evaluation.own_results": (
            "fill_pattern",
            "find_parts",
            "make_rows",
            "tabulate_evaluations",
            "tabulate_scores",
        ),
        "rankwise.evaluation.query_check": (
            "PartQueries",
            "QueryCheck",
            "ToolEffect",
            "check_queries",
        ),
        "rankwise.evaluation.reconciling": ("Published", "Reconciliation", "reconcile"),
        "rankwise.evaluation.runs": ("join_run",),
        "rankwise.evaluation.significance_scripts": ("print_as_script",),
        "rankwise.evaluation.systems": ("Significance", "evaluate_systems", "significance"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
