"""Every tool, one line each; the command line, the documentation and the tests derive from here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from rankwise.errors import RankwiseError
from rankwise.measures.tool import Tool

HOMES = {
    "definition": "definition",
    "letor3": "letor3",
    "letor4": "letor4",
    "mslr": "mslr",
    "yahoo": "yahoo",
    "ranklib": "ranklib",
    "trec_eval": "trec_eval",
    "trec_eval-9": "trec_eval_9",
    "gdeval": "gdeval",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
    "sklearn": "sklearn",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
}


@cache
def find_tool(name: str) -> Tool:
    """The tool of this name."""
    if name not in HOMES:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), HOMES, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(HOMES)}"
        raise RankwiseError(f"there is no tool {name!r}; {hint}")
    tool = import_module(f"rankwise.measures.tools.{HOMES[name]}").TOOL
    if not isinstance(tool, Tool):
        raise TypeError(f"rankwise.measures.tools.{HOMES[name]}.TOOL is not a Tool")
    return tool


def all_tools() -> list[Tool]:
    """Every tool, in the order of the registry."""
    return [find_tool(name) for name in HOMES]
