from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.regression import STEPS, LinearRegression, mapped_labels
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.tuned_folds import five_fold_means, real_fold


def made(seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    features = rng.random((200, 3))
    labels = np.clip(np.floor(4.0 * features[:, 0] ** 3 + rng.random(200)), 0, 4)
    return Dataset.from_arrays(features, labels, group=[20] * 10)


def squares(data: Dataset, weights: np.ndarray, intercept: float, targets: np.ndarray) -> float:
    return float(np.sum((data.features @ weights + intercept - targets) ** 2))


@pytest.mark.parametrize("mapping", STEPS)
def test_no_step_away_lowers_the_sum_of_squares(mapping) -> None:
    data = made()
    scorer = LinearRegression(label_mapping=mapping).fit(data).scorer
    targets = mapped_labels(data.labels, STEPS[mapping])
    least = squares(data, scorer.weights, scorer.intercept, targets)
    for step in (*np.eye(3) * 1e-3, *np.eye(3) * -1e-3):
        assert squares(data, scorer.weights + step, scorer.intercept, targets) > least
    for step in (1e-3, -1e-3):
        assert squares(data, scorer.weights, scorer.intercept + step, targets) > least


@pytest.mark.parametrize(
    ("mapping", "values"),
    [
        ("plain", [0, 1, 2, 3]),
        ("gain", [2**0 - 1, 2**1 - 1, 2**2 - 1, 2**3 - 1]),
        ("binary", [0, 1, 1, 1]),
        ("flat", [0, 1, 1 + 1 / 2, 1 + 1 / 2 + 1 / 4]),
        ("steep", [0, 1, 1 + 4, 1 + 4 + 16]),
    ],
)
def test_label_mappings(mapping, values) -> None:
    assert mapped_labels(np.arange(4.0), STEPS[mapping]).tolist() == values


@pytest.mark.parametrize("with_validation", [True, False])
def test_chosen_is_the_mapping_with_the_best_measure(with_validation) -> None:
    train, validation = made(1), made(2) if with_validation else None
    judged = train if validation is None else validation
    measure = TrainingMeasure.of(judged, "NDCG@5", "letor4")
    values = {
        mapping: measure.mean(LinearRegression(label_mapping=mapping).fit(train).score(judged))
        for mapping in STEPS
    }
    ranker = LinearRegression(label_mapping="chosen", measure="NDCG@5", tool="letor4")
    model = ranker.fit(train, validation)
    best = max(values, key=values.__getitem__)
    assert model.facts["label_mapping"] == best
    assert model.facts["selection"] == values[best]
    expected = LinearRegression(label_mapping=best).fit(train)
    assert model.score(judged).tobytes() == expected.score(judged).tobytes()


def test_centring_is_blind_to_what_is_the_same_for_a_whole_query() -> None:
    data = made()
    moved = data.with_features(data.features + 7.0 * data.query_of_rows[:, np.newaxis])
    ranker = LinearRegression(centre_in_query=True)
    expected = ranker.fit(data).scorer.weights
    assert ranker.fit(moved).scorer.weights == pytest.approx(expected, abs=1e-10)


def test_equal_labels_give_equal_scores() -> None:
    data = Dataset.from_arrays(made().features, np.ones(200), group=[20] * 10)
    assert LinearRegression().fit(data).score(data).tolist() == [1.0] * 200


def test_an_unknown_mapping_is_refused() -> None:
    with pytest.raises(RankwiseError, match="label_mapping must be one of plain, gain"):
        LinearRegression(label_mapping="cubic")


@pytest.mark.parametrize(
    ("data", "expected"), [("ohsumed", (0.4220, 0.4110)), ("mq2008", (0.4555, 0.2203))]
)
def test_the_published_accuracy_is_reached(shared, data, expected) -> None:
    found = five_fold_means(shared, data, LinearRegression, ("MAP", "NDCG@10"))
    assert found == pytest.approx(np.array(expected), abs=0.0005)


def test_constant_features_of_real_data_have_no_weight(shared) -> None:
    train = real_fold(shared, "mq2008", 1)[0]
    constant = np.flatnonzero(np.ptp(train.features, axis=0) == 0.0)
    weights = LinearRegression().fit(train).scorer.weights
    assert len(constant) > 0
    assert weights[constant].tolist() == [0.0] * len(constant)
