"""Where the climb of a measure begins: at the minimum of a convex loss, scaled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.rankers.losses.discounted_gains import gains_of
from rankwise.rankers.losses.listwise import CentredSquares, Loss, TopOneCrossEntropy, centred
from rankwise.rankers.losses.logistic_pairs import LogisticPairs
from rankwise.rankers.optimizers.quasi_newton import quasi_newton
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.training.relative_features import RelativeFeatures

# The starts need no more than to be good.
_GAP = 1e-6
_STEPS = 200


def start_losses(train: Dataset, measure: Measure) -> list[tuple[str, Loss]]:
    """Least squares on the gains of `measure`, then ListNet's loss, then RankNet's."""
    return [
        ("least squares", CentredSquares.of(train, gains_of(train, measure))),
        ("listnet", TopOneCrossEntropy.of(train, "softmax")),
        ("ranknet", LogisticPairs.of(train)),
    ]


def scaled_minimum(
    loss: Loss, features: RelativeFeatures, regularization: float
) -> NDArray[np.float64]:
    """The minimum of loss + λ/2 ‖w‖², scaled so that scores deviate by 1 within queries."""
    found = quasi_newton(loss, features, regularization, gap=_GAP, rounds=_STEPS, watch=never_stop)
    scores = centred(features.scores(found.weights), features.query_offsets)
    deviation = np.sqrt((scores * scores).mean())
    return found.weights / deviation if deviation > 0.0 else found.weights
