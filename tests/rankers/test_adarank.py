"""AdaRank on real folds, and what boosted methods reach there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.adarank import AdaRankMAP, AdaRankNDCG
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.boosting_data import fold, made


def test_the_first_round_is_the_best_single_feature() -> None:
    dataset = made(5, queries=20)
    model = AdaRankMAP(rounds=1).fit(dataset)
    judged = TrainingMeasure.of(dataset, "MAP")
    figures = [judged.mean(column) for column in dataset.features.T]
    assert np.flatnonzero(model.scorer.weights).tolist() == [int(np.argmax(figures))]
    r = max(figures)
    assert model.scorer.weights.max() == pytest.approx(0.5 * np.log((1 + r) / (1 - r)))


def test_weights_are_never_negative() -> None:
    for reweighting in ("published", "multiplicative"):
        model = AdaRankNDCG(rounds=50, reweighting=reweighting).fit(made(7, queries=15))
        assert model.scorer.weights.min() >= 0.0


def test_the_round_is_chosen_by_the_measure_on_validation() -> None:
    train, validation = made(1, queries=20), made(2, queries=20)
    ranker = AdaRankMAP(rounds=30, reweighting="multiplicative", measure="NDCG@3", tool="letor4")
    values = []
    model = ranker.fit(train, validation, watch=lambda now: bool(values.append(now.validation)))
    judged = TrainingMeasure.of(validation, "NDCG@3", "letor4")
    assert judged.mean(model.score(validation)) == max(values) == model.facts["selection"]


def test_a_feature_constant_within_queries_is_never_chosen(shared: Path) -> None:
    # Its order is the file's, and OHSUMED's files are sorted by a good score.
    train, validation, _, tool = fold(shared, "ohsumed", 1)
    constant = (4, 5, 6, 19, 20, 21, 34, 35, 36)
    model = AdaRankMAP(rounds=50, reweighting="multiplicative", tool=tool).fit(train, validation)
    assert not model.scorer.weights[list(constant)].any()
    alone = train.with_features(train.features[:, constant])
    with pytest.raises(RankwiseError, match="constant within every training query"):
        AdaRankMAP(tool=tool).fit(alone)


def test_a_real_fold_is_the_best_single_feature_or_better(shared: Path) -> None:
    train, validation, _, tool = fold(shared, "ohsumed", 1)
    judged = TrainingMeasure.of(validation, "MAP", tool)
    best = AdaRankMAP(rounds=1, tool=tool).fit(train)
    model = AdaRankMAP(rounds=60, reweighting="multiplicative", tool=tool).fit(train, validation)
    assert isinstance(model.scorer, Linear)
    assert judged.mean(model.score(validation)) > judged.mean(best.score(validation)) + 0.01


def test_equal_labels_are_refused() -> None:
    dataset = Dataset.from_arrays(np.eye(4), [1, 1, 0, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="there is no order to learn"):
        AdaRankNDCG().fit(dataset)


# (MAP, NDCG@10), five-fold means: the fair minima for these methods.
MINIMA = {
    ("adarank-map", "ohsumed"): (0.439, 0.428),
    ("adarank-map", "mq2008"): (0.466, 0.217),
    ("adarank-ndcg", "ohsumed"): (0.440, 0.430),
    ("adarank-ndcg", "mq2008"): (0.467, 0.218),
    ("rankboost", "ohsumed"): (0.435, 0.420),
    ("rankboost", "mq2008"): (0.468, 0.220),
    ("frank", "ohsumed"): (0.438, 0.433),
    ("frank", "mq2008"): (0.468, 0.220),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "data"), MINIMA)
def test_five_folds_reach_the_minimum(shared: Path, name: str, data: str) -> None:
    figures = np.mean(
        [figures_on_test(shared, name, data, number) for number in range(1, 6)], axis=0
    )
    assert figures[0] >= MINIMA[name, data][0]
    assert figures[1] >= MINIMA[name, data][1]


def figures_on_test(shared: Path, name: str, data: str, number: int) -> tuple[float, float]:
    """MAP and NDCG@10 on test of the setting with the highest MAP on validation."""
    train, validation, test, tool = fold(shared, data, number)
    ranker = find_ranker(name)
    grids = {declared.name: declared.grid for declared in parameters_of(ranker)}
    judged = TrainingMeasure.of(validation, "MAP", tool)
    models = [
        ranker(tool=tool, **({} if setting is None else {"reweighting": setting})).fit(
            train, validation
        )
        for setting in grids.get("reweighting", (None,))
    ]
    best = max(models, key=lambda model: judged.mean(model.score(validation)))
    scores = best.score(test)
    return (
        TrainingMeasure.of(test, "MAP", tool).mean(scores),
        TrainingMeasure.of(test, "NDCG@10", tool).mean(scores),
    )
