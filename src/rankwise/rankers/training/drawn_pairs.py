"""Preferences drawn at random: every query with some is as likely, then each of its pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.training.label_levels import LabelLevels

Integers = NDArray[np.int64]


def draw_pairs(
    levels: LabelLevels, count: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """The rows of the better and of the worse document of `count` pairs, with replacement.

    Some query must have documents of different labels.
    """
    lengths = np.diff(levels.query_offsets)
    shares = levels.worse / np.repeat(np.maximum(levels.pairs, 1), lengths)
    bounds = np.cumsum(shares)
    # A number below the last bound falls on a place that some document is worse than.
    places = np.searchsorted(bounds, rng.random(count) * bounds[-1], side="right")
    partners = (rng.random(count) * levels.worse[places]).astype(np.int64)
    starts = np.repeat(levels.query_offsets[:-1], lengths)[places]
    return levels.order[places], levels.order[starts + partners]
