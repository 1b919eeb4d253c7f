"""Bagging over queries: samples, averages to the bit, and the two rankers that use it."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.models.scorers.trees import Trees, average_trees
from rankwise.rankers.ranker import Training
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.forests import BagBoo, BLMart, grow_bags
from rankwise.rankers.trees.lightgbm_training import Growth, grow_trees
from tests.rankers.svm_data import made

pytest.importorskip("lightgbm")


def grown(seed: int, rounds: int = 4) -> Trees:
    settings = {"objective": "regression", "num_leaves": 5, "min_data_in_leaf": 3}
    dataset = made(seed, n_queries=10)
    return grow_trees(Training(dataset), Growth("test", settings, rounds))[0]


def test_joined_trees_score_the_mean():
    forests = [grown(0), grown(1, 2), grown(2, 7)]
    features = made(9).features
    joined = average_trees(forests)
    expected = np.mean([forest.score(features) for forest in forests], axis=0)
    assert joined.score(features) == pytest.approx(expected, rel=1e-12)
    assert joined.n_trees == 4 + 2 + 7
    assert Trees.from_json(joined.as_json()).score(features).tobytes() == (
        joined.score(features).tobytes()
    )


def test_averages_are_not_averaged_again():
    with pytest.raises(ValueError, match="sums of trees"):
        average_trees([average_trees([grown(0), grown(1)])])


def test_samples_are_whole_queries_and_the_others_are_left_out():
    train, seen = made(0, n_queries=12), []

    def grow(sample, left, seed):
        seen.append((sample, left, seed))
        return grown(0)

    _, facts = grow_bags(Training(train), 5, grow)
    assert facts == {"bags": 5, "trees": 20}
    assert len({seed for _, _, seed in seen}) == 5
    names = list(train.query_ids)
    for sample, left, _ in seen:
        assert sample.n_queries == 12
        assert sorted({*sample.query_ids, *left.query_ids}) == sorted(names)
        assert not set(sample.query_ids) & set(left.query_ids)
        first = names.index(sample.query_ids[0])
        rows = slice(train.query_offsets[first], train.query_offsets[first + 1])
        assert (sample.features[: rows.stop - rows.start] == train.features[rows]).all()


def test_a_watch_ends_the_bags():
    model = BagBoo(bags=20, leaf_documents=5).fit(made(), watch=lambda progress: True)
    assert model.facts["bags"] == 1


@pytest.mark.parametrize(
    "ranker", [BLMart(bags=8, rounds=20, leaf_documents=5), BagBoo(bags=8, leaf_documents=5)]
)
def test_they_learn(ranker):
    dataset = made(0, n_queries=30)
    scores = ranker.fit(dataset).score(dataset)
    assert TrainingMeasure.of(dataset, "NDCG").mean(scores) > 0.95


def test_a_bag_of_bl_mart_ends_where_the_left_out_queries_say():
    dataset = made(0, n_queries=30)
    model = BLMart(bags=3, rounds=40, patience=40, leaf_documents=5).fit(dataset)
    assert 3 <= model.facts["trees"] < 3 * 40
