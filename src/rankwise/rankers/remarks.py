"""What to say of a training that went through, but whose model may not be what was meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.shared_queries import QueryPrints, find_common

REMARKS = "remarks"


def add_remarks(facts: Mapping[str, Any], remarks: list[str]) -> dict[str, Any]:
    """The facts of a training with remarks on it, each once; as they are where there is none."""
    told = dict.fromkeys([*facts.get(REMARKS, ()), *remarks])
    return {**facts, REMARKS: list(told)} if remarks else dict(facts)


def kept_facts(weights: NDArray[np.float64]) -> dict[str, Any]:
    """How many features have a weight, with a remark where none has."""
    kept = int(np.count_nonzero(weights))
    remark = (
        "no feature was kept, so that all documents score the same: lower what draws weights to 0"
    )
    return add_remarks({"features_kept": kept}, [] if kept else [remark])


def unvalidated_remarks(facts: Mapping[str, Any]) -> list[str]:
    """What the lack of validation data did, as the facts of a training tell it."""
    if facts.get("selection") is not None:
        return [
            "there were no validation data: what is chosen by them was chosen by the training data "
            "themselves"
        ]
    if "round" in facts:
        return [
            f"there were no validation data: all {facts['rounds']} rounds were run and kept, since "
            "nothing could tell when to stop"
        ]
    return []


def validation_remarks(train: Dataset, validation: Dataset) -> list[str]:
    """Whether queries that validate are queries that were learnt from, by their ids or rows."""
    shared = len(find_common(QueryPrints.of(validation), QueryPrints.of(train)))
    if not shared:
        return []
    return [
        f"{shared} of the {validation.n_queries} queries that validate are training queries: what "
        "validation chose is too good to be true"
    ]
