"""SoftRank: the distribution of ranks literally and by drawing, slopes by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.softrank import ExpectedGain, SoftRank
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def rank_chances(scores, j, deviation):
    """p_j by the recursion of the paper."""
    chances = np.zeros(len(scores))
    chances[0] = 1
    for i in range(len(scores)):
        if i != j:
            above = ndtr((scores[i] - scores[j]) / (np.sqrt(2) * deviation))
            chances = np.append(0, chances[:-1]) * above + chances * (1 - above)
    return chances


@pytest.mark.parametrize("cutoff", [1, 3, 20])
def test_it_is_the_equation(cutoff):
    dataset = uneven()
    scores, expected = scores_of(dataset), []
    for rows in queries_of(dataset):
        gains = 2 ** dataset.labels[rows] - 1
        places = np.arange(len(gains))
        discounts = np.where(places < cutoff, 1 / np.log2(2 + places), 0)
        ideal = (np.sort(gains)[::-1] * discounts).sum()
        found = sum(
            gain * (discounts * rank_chances(scores[rows], j, 0.7)).sum()
            for j, gain in enumerate(gains)
        )
        expected.append(found / ideal if ideal else 0)
    measure = find_tool("definition").measure(f"NDCG@{cutoff}")
    value, _ = ExpectedGain.of(dataset, measure, 0.7).at(scores)
    assert value == pytest.approx(-np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("tool", ["definition", "letor3"])
def test_slopes_are_those_of_the_value(tool):
    dataset = uneven(1)
    loss = ExpectedGain.of(dataset, find_tool(tool).measure("NDCG@4"), 0.5)
    scores = scores_of(dataset, 2)
    expected = slopes_by_differences(lambda at: loss.at(at)[0], scores)
    assert loss.at(scores)[1] == pytest.approx(expected, abs=1e-8)


def test_of_two_documents_it_is_what_drawing_gives():
    # With two documents the recursion is exact: one is above the other, or below.
    dataset = made(3, n_queries=6, length=2)
    measure = TrainingMeasure.of(dataset, "NDCG")
    scores, rng = scores_of(dataset), np.random.default_rng(0)
    drawn = [measure.mean(scores + 0.8 * rng.normal(size=len(scores))) for _ in range(4000)]
    found = -ExpectedGain.of(dataset, find_tool("definition").measure("NDCG"), 0.8).at(scores)[0]
    assert found == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(4000))


def test_it_learns():
    dataset = made(0, n_queries=20)
    model = SoftRank(rounds=30, regularization=1e-6, measure="NDCG").fit(dataset)
    assert TrainingMeasure.of(dataset, "NDCG").mean(model.score(dataset)) > 0.95
