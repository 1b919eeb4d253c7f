"""GroupMLE: the equation literally, slopes by differences, scipy's minimum."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.groupmle import SAMPLES, GroupLikelihood, GroupMLE
from tests.rankers.literal_losses import (
    lowest_objective,
    queries_of,
    scores_of,
    slopes_by_differences,
)
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def literal(dataset: Dataset, samples: str, scores) -> float:
    """Mean over queries of the mean over samples, each a mean over its documents."""
    queries = []
    for rows in queries_of(dataset):
        labels, found = dataset.labels[rows], scores[rows]
        groups = []
        for label in np.unique(labels)[1:]:
            lower = np.exp(found[labels < label]).sum()
            own = np.exp(found[labels == label])
            if samples == "one-group":
                groups += [-np.log(mass / (mass + lower)) for mass in own]
            else:
                groups.append(-np.mean(np.log(own / (own.sum() + lower))))
        if groups:
            queries.append(np.mean(groups))
    return float(np.mean(queries))


@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_equation(samples, seed):
    dataset = uneven(seed)
    scores = scores_of(dataset, seed)
    value, slopes = GroupLikelihood.of(dataset, samples).at(scores)
    assert value == pytest.approx(literal(dataset, samples, scores), rel=1e-12)
    expected = slopes_by_differences(lambda at: literal(dataset, samples, at), scores)
    assert slopes == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("samples", SAMPLES)
def test_the_minimum_is_that_of_scipy(samples):
    dataset = made(1)
    model = GroupMLE(regularization=0.05, samples=samples).fit(dataset)
    expected = lowest_objective(dataset, lambda at: literal(dataset, samples, at), 0.05)
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("samples", SAMPLES)
def test_far_apart_scores_stay_finite(samples):
    dataset = Dataset.from_arrays(np.zeros((4, 1)), [2, 1, 0, 0], [1, 1, 1, 1])
    value, slopes = GroupLikelihood.of(dataset, samples).at(np.array([-2e3, 0.0, 2e3, -4e3]))
    # 2 is 4000 below the highest lower one, 1 is 2000 below.
    assert value == pytest.approx((4000 + 2000) / 2)
    assert np.isfinite(slopes).all()
