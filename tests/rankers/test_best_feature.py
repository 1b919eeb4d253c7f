from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.best_feature import BestFeature
from rankwise.rankers.ranker import Round
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.tuned_folds import five_fold_means, real_fold

LABELS = [2.0, 1.0, 0.0, 0.0, 1.0, 0.0]


def made(*columns: list[float]) -> Dataset:
    """Two queries of three documents; the file order is the best one."""
    return Dataset.from_arrays(np.array(columns).T, LABELS, group=[3, 3])


NOISE = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]
BEST = [0.9, 0.5, 0.1, 0.1, 0.9, 0.2]
REVERSED = [-value for value in BEST]
SAME_IN_QUERIES = [5.0, 5.0, 5.0, 8.0, 8.0, 8.0]


def test_the_feature_with_the_best_measure_is_chosen() -> None:
    model = BestFeature().fit(made(NOISE, BEST))
    assert model.scorer.weights.tolist() == [0.0, 1.0]
    assert model.facts == {"feature": 2, "training": 1.0}


def test_of_equal_features_the_first_is_chosen() -> None:
    assert BestFeature().fit(made(NOISE, BEST, BEST)).facts["feature"] == 2


def test_features_that_keep_the_order_of_the_file_are_never_chosen() -> None:
    data = Dataset.from_arrays(
        np.array([SAME_IN_QUERIES, NOISE]).T, [2.0, 1.0, 0.0, 1.0, 0.0, 0.0], group=[3, 3]
    )
    file_order = TrainingMeasure.of(data, "MAP").mean(data.features[:, 0])
    model = BestFeature().fit(data)
    assert model.facts["feature"] == 2
    assert model.facts["training"] < file_order == 1.0


def test_negative_features_count_only_where_that_is_asked_for() -> None:
    data = made(NOISE, REVERSED)
    assert BestFeature().fit(data).scorer.weights.min() == 0.0
    model = BestFeature(signs="both").fit(data)
    assert model.scorer.weights.tolist() == [0.0, -1.0]
    assert model.facts == {"feature": 2, "training": 1.0}


def test_the_measure_and_the_tool_choose() -> None:
    # Feature 1 puts the label 2 first and the label 1 last; feature 2 the other way round.
    labels, group = [2.0, 1.0, 0.0, 0.0], [4]
    features = np.array([[9.0, 7.0], [1.0, 9.0], [5.0, 5.0], [4.0, 4.0]])
    data = Dataset.from_arrays(features, labels, group=group)
    assert BestFeature(measure="NDCG@1").fit(data).facts["feature"] == 1
    assert BestFeature(measure="MAP").fit(data).facts["feature"] == 2


def test_a_watch_that_stops_has_the_best_so_far() -> None:
    seen: list[Round] = []
    model = BestFeature().fit(
        made(NOISE, BEST, REVERSED), watch=lambda progress: seen.append(progress) or len(seen) == 1
    )
    assert model.facts["feature"] == 1
    assert [(progress.number, progress.total) for progress in seen] == [(1, 3)]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (made(SAME_IN_QUERIES), "some feature must differ between documents of a query"),
        (Dataset.from_arrays([[1.0], [2.0]], [1.0, 1.0], group=[2]), "there is no order to learn"),
    ],
)
def test_data_without_an_order_are_refused(data, said) -> None:
    with pytest.raises(RankwiseError, match=said):
        BestFeature().fit(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [("ohsumed", (0.4400, 0.505, 0.463, 0.443)), ("mq2008", (0.4712, 0.352, 0.468, 0.223))],
)
def test_the_known_floors(shared, data, expected) -> None:
    found = five_fold_means(shared, data, BestFeature, ("MAP", "NDCG@1", "NDCG@5", "NDCG@10"))
    assert found == pytest.approx(np.array(expected), abs=0.0006)


@pytest.mark.parametrize(
    ("data", "constant"),
    [("ohsumed", (5, 6, 7, 20, 21, 22, 35, 36, 37)), ("mq2008", (6, 7, 8, 9, 10, 43))],
)
def test_features_constant_within_every_real_query_are_no_candidates(
    shared, data, constant
) -> None:
    train = real_fold(shared, data, 1)[0]
    telling = train.n_features - len(constant)
    seen: list[Round] = []
    BestFeature().fit(train, watch=lambda progress: seen.append(progress) or False)
    assert seen[-1].total == len(seen) == telling


def test_a_named_feature_is_taken_whatever_others_reach() -> None:
    model = BestFeature(feature=1).fit(made(NOISE, BEST))
    assert model.scorer.weights.tolist() == [1.0, 0.0]
    assert model.facts["feature"] == 1
    turned = BestFeature(feature=2, signs="both").fit(made(NOISE, REVERSED))
    assert turned.scorer.weights.tolist() == [0.0, -1.0]


def test_a_named_feature_must_be_there() -> None:
    with pytest.raises(RankwiseError, match="the feature 3 that is asked for, found 2 features"):
        BestFeature(feature=3).fit(made(NOISE, BEST))
