"""NeuralNDCG: the relaxed sort and its NDCG literally, slopes by differences, the exact limit."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.neuralndcg import NeuralNDCG, RelaxedGain, relaxed_sort
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.test_smoothed_ranks import uneven

NDCG = find_tool("definition").measure("NDCG")


def literal_sort(scores: np.ndarray, temperature: float) -> np.ndarray:
    """softmax(((n + 1 − 2r) s − A 1) / τ) by rank r from 1, A_ik = |s_i − s_k|."""
    n = len(scores)
    away = np.abs(scores[:, None] - scores[None, :]) @ np.ones(n)
    ranks = np.arange(1, n + 1)
    masses = np.exp(((n + 1 - 2 * ranks)[:, None] * scores - away) / temperature)
    return masses / masses.sum(axis=1, keepdims=True)


def literal(dataset, scores, temperature, scalings) -> float:
    values = []
    for rows in queries_of(dataset):
        gains = 2.0 ** dataset.labels[rows] - 1
        discounts = 1 / np.log2(1 + np.arange(1, len(gains) + 1))
        ideal = (np.sort(gains)[::-1] * discounts).sum()
        shares = literal_sort(scores[rows], temperature)
        for _ in range(scalings):
            shares = shares / shares.sum(axis=0, keepdims=True)
            shares = shares / shares.sum(axis=1, keepdims=True)
        values.append(discounts @ shares @ gains / ideal if ideal else 0.0)
    return float(np.mean(values))


def test_the_sort_is_the_equation_and_becomes_exact():
    scores = scores_of(uneven())[:8]
    assert relaxed_sort(scores, 0.7) == pytest.approx(literal_sort(scores, 0.7), rel=1e-12)
    exact = relaxed_sort(scores, 1e-4)
    assert exact == pytest.approx(np.eye(8)[np.argsort(-scores)], abs=1e-12)


@pytest.mark.parametrize("scalings", [0, 1, 4, 200])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 10.0])
def test_the_cost_is_the_equation(scalings, temperature):
    data = uneven()
    scores = scores_of(data)
    found, _ = RelaxedGain.of(data, NDCG, temperature, scalings).at(scores)
    assert -found == pytest.approx(literal(data, scores, temperature, scalings), abs=1e-5)


def test_as_the_temperature_falls_the_cost_is_ndcg():
    data = uneven()
    scores = scores_of(data)
    found, _ = RelaxedGain.of(data, NDCG, 1e-5, 50).at(scores)
    assert -found == pytest.approx(TrainingMeasure.of(data, "NDCG").mean(scores), abs=1e-9)


@pytest.mark.parametrize("scalings", [0, 1, 5])
@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_slopes_are_those_of_the_cost(scalings, temperature):
    data = uneven()
    scores = scores_of(data)
    loss = RelaxedGain.of(data, NDCG, temperature, scalings)
    expected = slopes_by_differences(lambda at: loss.at(at)[0], scores)
    assert loss.at(scores)[1] == pytest.approx(expected, abs=1e-7)


def test_scores_far_apart_have_finite_slopes():
    data = uneven()
    for scale in (1e3, 1e8):
        value, slopes = RelaxedGain.of(data, NDCG, 0.01, 50).at(scores_of(data, scale=scale))
        assert np.isfinite(value)
        assert np.isfinite(slopes).all()


def test_the_tool_decides_the_gains():
    data = uneven()
    ranker = NeuralNDCG(tool="letor3")
    loss = ranker._loss(data, np.random.default_rng(0))
    assert loss.gains.discounts[:3] == pytest.approx([1.0, 1.0, 1 / np.log2(3)])
