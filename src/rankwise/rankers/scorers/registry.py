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
    "attention": "attention:Attention",
    "comparator": "comparator:Comparator",
    "pair-potentials": "pair_potentials:PairPotentials",
    "expected-label": "expected_label:ExpectedLabel",
    "expression": "expression:Expression",
    "nearest-queries": "nearest_queries:NearestQueries",
    "class-models": "class_models:ClassModels",
    "association-rules": "association_rules:AssociationRules",
    "query-rules": "query_rules:QueryRules",
    "projected-boosting": "boosting.projected_boosting:ProjectedBoosting",
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
    # One that trains as it scores stands with what it trains by, in another folder of rankers.
    folder = "rankwise.rankers" if "." in module else "rankwise.rankers.scorers"
    found: type[Scorer] = getattr(importlib.import_module(f"{folder}.{module}"), attribute)
    return found
