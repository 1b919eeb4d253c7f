"""Thresholds for tools that hold features, thresholds and leaves in single precision.

Thresholds are moved to the single precision number that splits single precision features in the
same way, so documents reach the same leaves wherever the features are single precision numbers;
other features are rounded by the tool and may fall on the other side of a threshold. Leaves keep
all digits in the file and are rounded by the tool, so that scores agree to about seven digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.models.exports.tree_form import Node, splits_of

LARGEST_SINGLE = float(np.finfo(np.float32).max)
SINGLE_TREES = (
    "exact for features that are single precision numbers; leaves are held in single precision "
    "there, so that scores agree to about seven digits"
)


def single_at_most(threshold: float) -> float:
    """The largest single precision number ≤ threshold: for single precision x the same split."""
    if abs(threshold) >= LARGEST_SINGLE:
        return float(np.copysign(LARGEST_SINGLE, threshold))
    nearest = np.float32(threshold)
    if float(nearest) > threshold:
        nearest = np.nextafter(nearest, np.float32(-np.inf))
    return float(nearest)


def single_above(threshold: float) -> float:
    """The smallest single precision c with x < c wherever x ≤ threshold, for single precision x."""
    below = single_at_most(threshold)
    if below == LARGEST_SINGLE:
        return below
    return float(np.nextafter(np.float32(below), np.float32(np.inf)))


def null_remarks(trees: Sequence[Node], reader: str) -> list[str]:
    """What is said where NULL goes left somewhere, and the reader knows no NULL."""
    if not any(split.null_left for split in splits_of(trees)):
        return []
    return [f"{reader} knows no NULL: fill NULL features before it sees them"]
