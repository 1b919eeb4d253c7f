"""Measures: pure functions on flat arrays, and every tool's convention for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.measures.evaluation import Evaluation as Evaluation
    from rankwise.measures.evaluation import MeasureResult as MeasureResult
    from rankwise.measures.explain import Explanation as Explanation
    from rankwise.measures.explain import Mover as Mover
    from rankwise.measures.families.family import Family as Family
    from rankwise.measures.families.registry import FAMILIES as FAMILIES
    from rankwise.measures.identify import Match as Match
    from rankwise.measures.listing import measure_list as measure_list
    from rankwise.measures.listing import split_names as split_names
    from rankwise.measures.measure import Measure as Measure
    from rankwise.measures.measure import parse as parse
    from rankwise.measures.presentation import shown as shown
    from rankwise.measures.tool import Tool as Tool
    from rankwise.measures.tools.registry import all_tools as all_tools
    from rankwise.measures.tools.registry import find_tool as find_tool
else:
    homes = {
        "rankwise.measures.evaluation": ("Evaluation", "MeasureResult"),
        "rankwise.measures.explain": ("Explanation", "Mover"),
        "rankwise.measures.families.family": ("Family",),
        "rankwise.measures.families.registry": ("FAMILIES",),
        "rankwise.measures.identify": ("Match",),
        "rankwise.measures.listing": ("measure_list", "split_names"),
        "rankwise.measures.measure": ("Measure", "parse"),
        "rankwise.measures.presentation": ("shown",),
        "rankwise.measures.tool": ("Tool",),
        "rankwise.measures.tools.registry": ("all_tools", "find_tool"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
