"""Every form of learned function by the `kind` that model files name; imported when asked for."""

from __future__ import annotations

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.registry import Registry

SCORERS: Registry[type[Scorer]] = Registry(
    "scorer of a model",
    {
        "linear": "rankwise.rankers.scorers.linear:Linear",
        "trees": "rankwise.rankers.scorers.trees:Trees",
        "stumps": "rankwise.rankers.scorers.stumps:Stumps",
        "network": "rankwise.rankers.scorers.network:Network",
        "attention": "rankwise.rankers.scorers.attention:Attention",
        "comparator": "rankwise.rankers.scorers.comparator:Comparator",
        "pair-potentials": "rankwise.rankers.scorers.pair_potentials:PairPotentials",
        "expected-label": "rankwise.rankers.scorers.expected_label:ExpectedLabel",
        "expression": "rankwise.rankers.scorers.expression:Expression",
        "nearest-queries": "rankwise.rankers.scorers.nearest_queries:NearestQueries",
        "class-models": "rankwise.rankers.scorers.class_models:ClassModels",
        "association-rules": "rankwise.rankers.scorers.association_rules:AssociationRules",
        "query-rules": "rankwise.rankers.scorers.query_rules:QueryRules",
        "projected-boosting": "rankwise.rankers.boosting.projected_boosting:ProjectedBoosting",
        "smoothed": "rankwise.rankers.scorers.smoothed:Smoothed",
        "propagated": "rankwise.rankers.scorers.propagated:Propagated",
    },
)


def scorer_kinds() -> tuple[str, ...]:
    """All kinds that a model file may hold."""
    return tuple(SCORERS)


def find_scorer(kind: str) -> type[Scorer]:
    """The class of a kind; only kinds of the list above are ever imported."""
    if kind not in SCORERS:
        raise RankwiseError(
            f"the scorer of a model must be one of {', '.join(SCORERS)}, found {kind[:80]!r}"
        )
    return SCORERS[kind]
