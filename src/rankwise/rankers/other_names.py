"""Names that hyper-parameters have in other libraries, and theirs here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwise.errors import RankwiseError

_TREES = {"trees": "", "rounds": "leaves"}
_TREE_STEP = {"learning_rate": "leaves"}
_LEAVES, _LEAF_DOCUMENTS = {"leaves": ""}, {"leaf_documents": "leaves"}
_OF_A_TREE = {"feature_fraction": "", "feature_share": "learning_rate"}
_OF_A_SPLIT = {"feature_share": "trees"}
_PATIENCE, _L2, _MONOTONE = {"patience": ""}, {"l2": ""}, {"monotone": ""}
OTHER_NAMES: Mapping[str, Mapping[str, str]] = {
    "n_estimators": _TREES,
    "num_iterations": _TREES,
    "num_boost_round": _TREES,
    "n_trees": _TREES,
    "max_iter": {"rounds": "", "generations": "", "epochs": ""},
    "early_stopping_round": _PATIENCE,
    "early_stopping_rounds": _PATIENCE,
    "n_iter_no_change": _PATIENCE,
    "eta": _TREE_STEP,
    "shrinkage": _TREE_STEP,
    "shrinkage_rate": _TREE_STEP,
    "num_leaves": _LEAVES,
    "max_leaves": _LEAVES,
    "max_leaf_nodes": _LEAVES,
    "min_child_samples": _LEAF_DOCUMENTS,
    "min_data_in_leaf": _LEAF_DOCUMENTS,
    "min_samples_leaf": _LEAF_DOCUMENTS,
    "reg_lambda": _L2,
    "lambda_l2": _L2,
    "l2_regularization": _L2,
    "colsample_bytree": _OF_A_TREE,
    "feature_fraction": _OF_A_TREE,
    "colsample_bynode": _OF_A_SPLIT,
    "feature_fraction_bynode": _OF_A_SPLIT,
    "subsample": {"document_share": "leaves"},
    "bagging_fraction": {"document_share": "leaves"},
    "lambdarank_truncation_level": {"truncation": "leaves"},
    "lambdarank_norm": {"query_norm": ""},
    "monotone_constraints": _MONOTONE,
    "monotonic_cst": _MONOTONE,
    "device_type": {"device": ""},
    "lr": {"learning_rate": ""},
}
"""For each name elsewhere the names here, of which a ranker has one at most.

A name here that means several things, such as the rounds of trees and those of an optimizer, counts
only in a ranker that has the hyper-parameter beside it as well. Only names that mean the same stand
here. SVMs' C and ridge's alpha do not: `regularization` is scaled by what each ranker averages
over. Nor does max_depth: trees here are bounded by their leaves.
"""


def find_own_name(name: str, known: Iterable[str]) -> str | None:
    """What a ranker with these hyper-parameters calls one of another library, if it has it."""
    held = set(known)
    found = OTHER_NAMES.get(name, {}).items()
    return next((own for own, beside in found if {own, beside or own} <= held), None)


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
