"""RankBoost (Kernel-PCA) and (SVD): projections literally, one training a query, model files."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.boosting.rankboost import RankBoost
from rankwise.rankers.boosting.transductive import (
    KERNELS,
    ProjectedBoosting,
    RankBoostKernelPCA,
    RankBoostSVD,
    kernel_values,
    project,
)


def kernel(kind, x, y):
    width = len(x)
    if kind == "linear":
        return x @ y
    if kind == "polynomial":
        return (1 + x @ y / width) ** 2
    return np.exp(-((x - y) @ (x - y)) / width)


@pytest.mark.parametrize("kind", KERNELS)
def test_kernels_are_their_equations(kind):
    left, right = np.random.default_rng(0).normal(size=(2, 4, 3))
    expected = [[kernel(kind, x, y) for y in right] for x in left]
    assert kernel_values(kind, left, right) == pytest.approx(np.array(expected), rel=1e-12)


@pytest.mark.parametrize("kind", KERNELS)
def test_components_are_those_of_an_explicit_centring(kind):
    rng = np.random.default_rng(1)
    own, others = rng.normal(size=(9, 3)), rng.normal(size=(5, 3))
    gram = np.array([[kernel(kind, x, y) for y in own] for x in own])
    centre = np.eye(9) - np.full((9, 9), 1 / 9)
    values, vectors = np.linalg.eigh(centre @ gram @ centre)
    mine, theirs = project(kind, own, others, 3)
    for number in range(3):
        direction = vectors[:, -1 - number] / np.sqrt(values[-1 - number])
        expected = []
        for x in others:
            row = np.array([kernel(kind, x, y) for y in own])
            expected.append((row - row.mean() - gram.mean(axis=0) + gram.mean()) @ direction)
        inner = centre @ gram @ centre @ direction
        # Up to the sign, and to the unit that rounding takes.
        unit = np.abs(np.concatenate([expected, inner])).max()
        sign = np.sign(np.dot(theirs[:, number], expected))
        assert theirs[:, number] == pytest.approx(sign * np.array(expected) / unit, abs=1e-8)
        assert mine[:, number] == pytest.approx(sign * inner / unit, abs=1e-8)


def test_the_linear_kernel_is_ordinary_pca():
    own = np.random.default_rng(2).normal(size=(12, 4)) * [5.0, 3.0, 1.0, 0.5]
    mine, _ = project("linear", own, own, 2)
    centred = own - own.mean(axis=0)
    _, _, directions = np.linalg.svd(centred)
    for number in range(2):
        expected = centred @ directions[number]
        assert abs(np.corrcoef(mine[:, number], expected)[0, 1]) == pytest.approx(1.0)


def test_singular_vectors_project_what_they_were_not_found_on():
    rng = np.random.default_rng(3)
    own, others = rng.normal(size=(7, 4)), rng.normal(size=(3, 4))
    _, _, directions = np.linalg.svd(own)
    mine, theirs = project("svd", own, others, 2)
    for number in range(2):
        expected = np.concatenate([own, others]) @ directions[number]
        expected = expected / np.abs(expected).max()
        found = np.concatenate([mine[:, number], theirs[:, number]])
        assert found == pytest.approx(np.sign(found @ expected) * expected, abs=1e-8)


def test_no_more_components_than_the_documents_span():
    own = np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    assert project("svd", own, own, 5)[0].shape == (3, 1)
    assert project("linear", own, own, 5)[0].shape == (3, 1)
    assert project("rbf", np.ones((4, 2)), own, 5)[1].shape == (3, 0)


def standardised(data: Dataset, train: Dataset):
    return (data.features - train.features.mean(axis=0)) / train.features.std(axis=0)


def test_a_query_is_ranked_by_rankboost_on_features_and_projections():
    train, test = planted(8), planted(3, seed=4)
    model = RankBoostKernelPCA(rounds=12, components=2, kernel="linear").fit(train)
    scores = model.score(test)
    for number in range(3):
        query = test.select_queries([number])
        # A list is sorted by its values before it is scored.
        rows = standardised(query, train)
        mine, theirs = project("linear", rows, standardised(train, train), 2)
        wide = train.with_features(np.hstack([train.features, theirs]))
        alone = RankBoost(rounds=12).fit(wide)
        expected = alone.score(query.with_features(np.hstack([query.features, mine])))
        found = scores[test.query_offsets[number] : test.query_offsets[number + 1]]
        assert (
            np.argsort(-found, kind="stable").tolist()
            == np.argsort(-expected, kind="stable").tolist()
        )
        assert found == pytest.approx(expected, rel=1e-6)


def test_validation_chooses_the_round_by_trainings_of_its_own_queries():
    train, validation = planted(10), planted(6, seed=1)
    model = RankBoostSVD(rounds=25, components=2).fit(train, validation)
    figures = []
    for rounds in range(1, 26):
        scores = RankBoostSVD(rounds=rounds, components=2).fit(train).score(validation)
        found = evaluate(validation, scores, ["MAP(ties=expected)"]).means()
        figures.append(*found.values())
    assert model.facts["round"] == int(np.argmax(figures)) + 1
    assert model.facts["selection"] == pytest.approx(max(figures))


def test_rounds_end_where_no_loss_is_left():
    """One feature orders the only pair: every round adds ½ ln((1 + r) / (1 − r)) at r = 1 − 1e-9.

    The loss after t rounds is exp(−t · that): 2e-5, 5e-10, and 1e-14, which is nothing.
    """
    train = Dataset.from_arrays([[0.0], [1.0]], [0, 1], group=[2])
    model = RankBoostSVD(rounds=8).fit(train)
    step = 0.5 * np.log((2 - 1e-9) / 1e-9)
    expected = step * np.minimum(np.arange(1, 9), 3)
    assert model.scorer.by_round(np.array([[1.0]]))[:, 0] == pytest.approx(expected, rel=1e-6)
    assert not model.scorer.by_round(np.array([[0.0]])).any()


@pytest.mark.parametrize(
    "change",
    [
        {"projection": "cosine"},
        {"rounds": 0},
        {"thresholds": 256},
        {"width": 4},
        {"training_labels": [1.0]},
        {"training_lengths": [0, 14]},
        {"plain": {"kind": "linear", "weights": [1.0]}},
    ],
)
def test_values_that_do_not_fit_together_are_refused(change):
    values = RankBoostSVD(rounds=2).fit(planted(2)).scorer.as_json()
    assert ProjectedBoosting.from_json(values).as_json() == values
    with pytest.raises(RankwiseError):
        ProjectedBoosting.from_json({**values, **change})


def test_training_data_without_an_order_are_refused():
    values = RankBoostSVD(rounds=2).fit(planted(2)).scorer.as_json()
    with pytest.raises(RankwiseError, match="different labels"):
        ProjectedBoosting.from_json({**values, "training_labels": [1.0] * 28})
