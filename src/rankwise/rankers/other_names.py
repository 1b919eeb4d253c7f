"""Names that hyper-parameters have in other libraries, and theirs here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwise.errors import RankwiseError

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "n_estimators": ("rounds", "trees"),
    "num_iterations": ("rounds", "trees"),
    "num_boost_round": ("rounds", "trees"),
    "n_trees": ("trees", "rounds"),
    "max_iter": ("rounds",),
    "epochs": ("rounds",),
    "early_stopping_round": ("patience",),
    "early_stopping_rounds": ("patience",),
    "n_iter_no_change": ("patience",),
    "eta": ("learning_rate",),
    "shrinkage": ("learning_rate",),
    "shrinkage_rate": ("learning_rate",),
    "num_leaves": ("leaves",),
    "max_leaves": ("leaves",),
    "max_leaf_nodes": ("leaves",),
    "max_depth": ("depth",),
    "min_child_samples": ("leaf_documents",),
    "min_data_in_leaf": ("leaf_documents",),
    "min_samples_leaf": ("leaf_documents",),
    "reg_lambda": ("l2",),
    "lambda_l2": ("l2",),
    "l2_regularization": ("l2",),
    "colsample_bytree": ("feature_fraction",),
    "subsample": ("bagging_fraction",),
    "lambdarank_truncation_level": ("truncation",),
    "lambdarank_norm": ("query_norm",),
    "monotone_constraints": ("monotone",),
    "monotonic_cst": ("monotone",),
    "device_type": ("device",),
    "lr": ("learning_rate",),
}
"""For each name elsewhere the names here, of which a ranker has one at most.

Only names that mean the same stand here. SVMs' C and ridge's alpha do not: `regularization` is
scaled by what each ranker averages over.
"""


def find_own_name(name: str, known: Iterable[str]) -> str | None:
    """What a ranker with these hyper-parameters calls one of another library, if it has it."""
    held = set(known)
    return next((own for own in OTHER_NAMES.get(name, ()) if own in held), None)


def with_own_names(parameters: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """The hyper-parameters under the names of a ranker that has those that are `known`.

    What is neither known nor known elsewhere keeps its name, for others to refuse. Two names for
    one hyper-parameter are refused.
    """
    held = set(known)
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        own = name if name in held else find_own_name(name, held) or name
        if own in found:
            raise RankwiseError(f"{own!r} must be given once, found it again as {name!r}")
        found[own] = value
    return found
