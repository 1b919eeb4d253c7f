"""Every form of learned function by the `kind` that model files name; imported when asked for."""

from __future__ import annotations

import importlib

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.scorer import Scorer

SCORERS = {
    "linear": "linear:Linear",
    "trees": "trees:Trees",
    "stumps": "stumps:Stumps",
    "network": "network:Network",
    "expected-label": "expected_label:ExpectedLabel",
    "smoothed": "smoothed:Smoothed",
    "propagated": "propagated:Propagated",
}


def scorer_kinds() -> tuple[str, ...]:
    """All kinds that a model file may hold."""
    return tuple(SCORERS)


def find_scorer(kind: str) -> type[Scorer]:
    """The class of a kind; only kinds of the list above are ever imported."""
    home = SCORERS.get(kind)
    if home is None:
        raise RankwiseError(
            f"the scorer of a model must be one of {', '.join(SCORERS)}, found {kind[:80]!r}"
        )
    module, attribute = home.split(":")
    found: type[Scorer] = getattr(
        importlib.import_module(f"rankwise.rankers.scorers.{module}"), attribute
    )
    return found
