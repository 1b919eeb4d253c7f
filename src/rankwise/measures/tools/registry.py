"""Every tool, one line each; the command line, the documentation and the tests derive from here."""

from __future__ import annotations

from rankwise.measures.tool import Tool
from rankwise.registry import Registry

TOOLS: Registry[Tool] = Registry(
    "tool",
    {
        "definition": "rankwise.measures.tools.textbook:TOOL",
        "letor3": "rankwise.measures.tools.letor:LETOR3",
        "letor4": "rankwise.measures.tools.letor:LETOR4",
        "mslr": "rankwise.measures.tools.letor:MSLR",
        "yahoo": "rankwise.measures.tools.yahoo:TOOL",
        "ranklib": "rankwise.measures.tools.ranklib:TOOL",
        "trec_eval": "rankwise.measures.tools.trec_eval:TREC_EVAL",
        "trec_eval-9": "rankwise.measures.tools.trec_eval:TREC_EVAL_9",
        "gdeval": "rankwise.measures.tools.gdeval:TOOL",
        "pytrec_eval": "rankwise.measures.tools.pytrec_eval:TOOL",
        "ir_measures": "rankwise.measures.tools.ir_measures:TOOL",
        "ranx": "rankwise.measures.tools.ranx:TOOL",
        "sklearn": "rankwise.measures.tools.sklearn:TOOL",
        "lightgbm": "rankwise.measures.tools.lightgbm:TOOL",
        "xgboost": "rankwise.measures.tools.xgboost:TOOL",
        "catboost": "rankwise.measures.tools.catboost:TOOL",
    },
)


def find_tool(name: str) -> Tool:
    """The tool of this name."""
    return TOOLS[name]


def all_tools() -> list[Tool]:
    """Every tool, in the order of the registry."""
    return list(TOOLS.values())
