"""ApproxNDCG and ApproxAP: the equations literally, slopes by differences, what they learn."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.approxndcg import (
    ApproxAP,
    ApproxNDCG,
    SmoothedGain,
    SmoothedPrecision,
)
from rankwise.rankers.losses.padded import query_blocks
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of, scores_of, sigma, slopes_by_differences
from tests.rankers.svm_data import made


def uneven(seed: int = 0) -> Dataset:
    """Queries of 1 to 9 documents, one of them without a relevant document."""
    rng = np.random.default_rng(seed)
    lengths = [3, 9, 1, 6, 4]
    labels = rng.integers(0, 3, sum(lengths)).astype(float)
    labels[:3] = 0.0
    return Dataset.from_arrays(rng.random((sum(lengths), 2)), labels, group=lengths)


def smoothed_ranks(scores, steepness):
    size = range(len(scores))
    return [
        1 + sum(sigma(steepness * (scores[j] - scores[i])) for j in size if j != i) for i in size
    ]


def test_smoothed_ndcg_is_the_equation():
    dataset = uneven()
    scores, expected = scores_of(dataset), []
    for rows in queries_of(dataset):
        gains = 2 ** dataset.labels[rows] - 1
        ideal = sum(gain / np.log2(1 + r) for r, gain in enumerate(sorted(gains)[::-1], 1))
        ranks = smoothed_ranks(scores[rows], 2.5)
        found = sum(gain / np.log2(1 + rank) for gain, rank in zip(gains, ranks, strict=True))
        expected.append(found / ideal if ideal else 0)
    value, _ = SmoothedGain.of(dataset, 2.5).at(scores)
    assert value == pytest.approx(-np.mean(expected), rel=1e-12)


def test_smoothed_precision_is_the_equation():
    dataset = uneven(1)
    scores, expected = scores_of(dataset), []
    for rows in queries_of(dataset):
        ranks = smoothed_ranks(scores[rows], 2.0)
        relevant = np.flatnonzero(dataset.labels[rows] >= 1)
        terms = [
            (1 + sum(sigma(0.7 * (ranks[i] - ranks[k])) for k in relevant if k != i)) / ranks[i]
            for i in relevant
        ]
        expected.append(np.mean(terms) if terms else 0)
    value, _ = SmoothedPrecision.of(dataset, 1.0, 2.0, 0.7).at(scores)
    assert value == pytest.approx(-np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(
    "loss",
    [
        lambda data: SmoothedGain.of(data, 3.0),
        lambda data: SmoothedPrecision.of(data, 1.0, 3.0, 1.5),
    ],
    ids=["ndcg", "precision"],
)
def test_slopes_are_those_of_the_value(loss, scale):
    dataset = uneven(2)
    scores, made_loss = scores_of(dataset, 1, scale), loss(dataset)
    expected = slopes_by_differences(lambda at: made_loss.at(at)[0], scores)
    assert made_loss.at(scores)[1] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("loss", "measure"),
    [
        (lambda data: SmoothedGain.of(data, 1e4), "NDCG"),
        (lambda data: SmoothedPrecision.of(data, 1.0, 1e4, 1e4), "MAP"),
    ],
    ids=["ndcg", "precision"],
)
def test_steep_ranks_give_the_measure(loss, measure):
    dataset = uneven(3)
    scores = scores_of(dataset)
    value, slopes = loss(dataset).at(scores)
    assert -value == pytest.approx(TrainingMeasure.of(dataset, measure).mean(scores), abs=1e-6)
    assert np.isfinite(slopes).all()


def test_blocks_hold_every_document_once():
    lengths = np.array([400, 3, 150, 1, 150, 7, 3])
    offsets = np.append(0, np.cumsum(lengths))
    blocks = query_blocks(offsets)
    rows = np.concatenate([block.rows[block.real] for block in blocks])
    assert sorted(rows) == list(range(offsets[-1]))
    for block in blocks:
        assert block.real[:, 0].all()
        assert block.pairs.sum() == (block.real.sum(axis=1) * (block.real.sum(axis=1) - 1)).sum()
        queries = np.searchsorted(offsets, block.rows, side="right")
        assert (queries == queries[:, :1]).all()


@pytest.mark.parametrize(("ranker", "measure"), [(ApproxNDCG, "NDCG"), (ApproxAP, "MAP")])
def test_climbing_raises_the_measure_beyond_its_starts(ranker, measure):
    dataset = made(0, n_queries=20)
    model = ranker(steepness=5.0, measure=measure, rounds=40, regularization=1e-6).fit(dataset)
    judged = TrainingMeasure.of(dataset, measure)
    assert model.facts["selection"] == judged.mean(model.score(dataset)) > 0.93
    assert model.facts["start"] in {"least squares", "listnet", "ranknet"}
