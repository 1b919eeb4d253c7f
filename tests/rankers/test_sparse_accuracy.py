"""FenchelRank and FSMRank on the real folds: published MAP to .005, reported features to 3."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.rankers.linear.fenchelrank import FenchelRank
from rankwise.rankers.linear.sparse import FSMRank
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.tuned_folds import HOMES, choose_model, real_fold


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranker", "data", "published", "reported"),
    [
        (FenchelRank, "ohsumed", 0.4486, 13.0),
        (FenchelRank, "mq2008", 0.4785, 15.8),
        (FSMRank, "ohsumed", 0.4498, 18.0),
        (FSMRank, "mq2008", 0.4771, 13.2),
    ],
    ids=["fenchelrank-ohsumed", "fenchelrank-mq2008", "fsmrank-ohsumed", "fsmrank-mq2008"],
)
def test_published_figures_are_near(
    shared: Path, ranker, data: str, published: float, reported: float
) -> None:
    tool = HOMES[data][1]
    figures, kept = [], []
    for number in range(1, 6):
        train, validation, test = real_fold(shared, data, number)
        model = choose_model(ranker, tool, train, validation)
        figures.append(TrainingMeasure.of(test, "MAP", tool).mean(model.score(test)))
        kept.append(model.facts["features_kept"])
    assert np.mean(figures) == pytest.approx(published, abs=0.005)
    assert np.mean(kept) == pytest.approx(reported, abs=3.0)
