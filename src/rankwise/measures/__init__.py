"""Measures: pure functions on flat arrays, and every tool's convention for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.measures.computing import gains_of as gains_of
    from rankwise.measures.evaluation import Evaluation as Evaluation
    from rankwise.measures.evaluation import MeasureResult as MeasureResult
    from rankwise.measures.evaluation import evaluate as evaluate
    from rankwise.measures.evaluation import tie_ranges as tie_ranges
    from rankwise.measures.explanation import Explanation as Explanation
    from rankwise.measures.explanation import Mover as Mover
    from rankwise.measures.explanation import explain as explain
    from rankwise.measures.families.family import Family as Family
    from rankwise.measures.families.registry import COMPUTED as COMPUTED
    from rankwise.measures.families.registry import FAMILIES as FAMILIES
    from rankwise.measures.identification import Match as Match
    from rankwise.measures.identification import identify as identify
    from rankwise.measures.judged import JudgedScores as JudgedScores
    from rankwise.measures.listing import measure_list as measure_list
    from rankwise.measures.listing import split_names as split_names
    from rankwise.measures.measure import Measure as Measure
    from rankwise.measures.measure import UnknownMeasure as UnknownMeasure
    from rankwise.measures.measure import find_family as find_family
    from rankwise.measures.measure import parse as parse
    from rankwise.measures.names import family_of as family_of
    from rankwise.measures.names import lower_is_better as lower_is_better
    from rankwise.measures.names import result_name as result_name
    from rankwise.measures.own_measures import load_family as load_family
    from rankwise.measures.presentation import shown as shown
    from rankwise.measures.ranked_list import RankedList as RankedList
    from rankwise.measures.reading import ToolRefusal as ToolRefusal
    from rankwise.measures.reconciliation import QueryCounts as QueryCounts
    from rankwise.measures.reconciliation import Reconciled as Reconciled
    from rankwise.measures.tool import Tool as Tool
    from rankwise.measures.tools.registry import TOOLS as TOOLS
    from rankwise.measures.tools.registry import all_tools as all_tools
    from rankwise.measures.tools.registry import find_tool as find_tool
else:
    homes = {
        "rankwise.measures.computing": ("gains_of",),
        "rankwise.measures.evaluation": ("Evaluation", "MeasureResult", "evaluate", "tie_ranges"),
        "rankwise.measures.explanation": ("Explanation", "Mover", "explain"),
        "rankwise.measures.families.family": ("Family",),
        "rankwise.measures.families.registry": ("COMPUTED", "FAMILIES"),
        "rankwise.measures.identification": ("Match", "identify"),
        "rankwise.measures.judged": ("JudgedScores",),
        "rankwise.measures.listing": ("measure_list", "split_names"),
        "rankwise.measures.measure": ("Measure", "UnknownMeasure", "find_family", "parse"),
        "rankwise.measures.names": ("family_of", "lower_is_better", "result_name"),
        "rankwise.measures.own_measures": ("load_family",),
        "rankwise.measures.presentation": ("shown",),
        "rankwise.measures.ranked_list": ("RankedList",),
        "rankwise.measures.reading": ("ToolRefusal",),
        "rankwise.measures.reconciliation": ("QueryCounts", "Reconciled"),
        "rankwise.measures.tool": ("Tool",),
        "rankwise.measures.tools.registry": ("TOOLS", "all_tools", "find_tool"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
