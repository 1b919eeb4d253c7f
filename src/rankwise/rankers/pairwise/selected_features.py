"""RankSVM on some of the features: what methods share that select first and rank afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.pairwise.ranksvm_primal import RankSVMPrimal
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.remarks import kept_facts
from rankwise.rankers.scorers.linear import Linear


def ranksvm_on(
    train: Dataset,
    kept: NDArray[np.int64],
    regularization: float,
    rng: np.random.Generator,
) -> tuple[Linear, dict[str, Any]]:
    """`ranksvm-primal` on the features of these numbers; all others have weight 0."""
    weights = np.zeros(train.n_features)
    if len(kept) == 0:
        return Linear(weights), kept_facts(weights)
    part = train.with_features(np.ascontiguousarray(train.features[:, kept]))
    found, facts = RankSVMPrimal(regularization=regularization)._learn(part, None, rng, never_stop)
    weights[kept] = found.weights
    return Linear(weights), {**facts, **kept_facts(weights)}
