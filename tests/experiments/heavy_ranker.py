"""A ranker whose module holds as much memory as large libraries do, from before any task."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.experiments.resources import measure_own_bytes
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.ranker import Learned, Training
from tests.experiments.trial_rankers import OneFeature

BALLAST = np.ones(8 * 10**6)


@dataclass(frozen=True)
class Weighed(OneFeature):
    """Says what its process holds."""

    name: ClassVar[str] = "weighed"

    def _learn(self, training: Training) -> Learned[Scorer]:
        held = measure_own_bytes(os.getpid())
        scorer, facts = super()._learn(training)
        return Learned(scorer, {**facts, "bytes": held})
