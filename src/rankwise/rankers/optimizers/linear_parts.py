"""The batches of a linear function's training: the features and the loss of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.training.relative_features import RelativeFeatures

LinearPart = tuple[RelativeFeatures, Loss]


def linear_parts(
    parts: Sequence[Dataset], loss: Callable[[Dataset], Loss], features: RelativeFeatures
) -> list[LinearPart]:
    """The features of every batch, scaled as `features` are, and its loss."""
    return [
        (
            replace(
                features,
                features=np.ascontiguousarray(part.features),
                query_offsets=part.query_offsets,
            ),
            loss(part),
        )
        for part in parts
    ]
