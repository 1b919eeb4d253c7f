"""Which rankers cannot be tried on data here, and why."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from rankwise.experiments.recommending.data_facts import DataFacts
from rankwise.extras import install_line
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker

_LIBRARIES = {
    "lightgbm": ("rankwise.rankers.trees.lightgbm_training", "trees"),
    "torch": ("rankwise.rankers.gradient.attention_training", "neural"),
}
"""Optional libraries: the module without which none of its callers trains, and the extra.

No fact of rankers, as a line in their files would make experiments train all of them anew.
"""


def find_exclusion(ranker: str, facts: DataFacts) -> str | None:
    """Why a ranker cannot be tried on these data; None where it can."""
    return _find_refusal(ranker, facts) or find_missing_library(ranker)


def find_missing_library(ranker: str) -> str | None:
    """What a ranker needs that is not installed, and how to install it."""
    for library, (module, extra) in _LIBRARIES.items():
        if find_spec(library) is None and _calls(find_ranker(ranker), module):
            return f"needs {library}; install it: {install_line(extra)}"
    return None


def _calls(kind: type[Ranker], module: str) -> bool:
    """Whether the file of a ranker, or of what it inherits from, imports something of a module."""
    homes = (sys.modules[one.__module__] for one in kind.__mro__)
    return any(
        getattr(value, "__module__", None) == module
        for home in homes
        for value in vars(home).values()
    )


def _find_refusal(ranker: str, facts: DataFacts) -> str | None:
    kind = find_ranker(ranker)
    if kind.uses_relations and not facts.has_relations:
        return "learns from relations between documents, which these data have none of"
    if facts.has_nulls and not kind.handles_null:
        return "cannot take NULL features; fill them first: rankwise data normalize IN OUT --to min"
    if facts.has_weights and not kind.takes_weights:
        return "cannot weigh documents"
    if facts.too_wide is not None and not kind.takes_sparse:
        return "takes dense data only, which these are too wide for"
    return None
