from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.folds import cut_into_parts
from rankwise.errors import RankwiseError
from rankwise.experiments.parameter_search import (
    Search,
    SearchRange,
    Selection,
    TuningChoice,
    list_combinations,
    tune,
)
from rankwise.measures.evaluation import evaluate
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.ranker import Learned, Training
from rankwise.rankers.registry import find_ranker
from tests.experiments.trial_rankers import OneFeature, Refusing, Unwritable

MAP = Selection("MAP", "definition")


@dataclass(frozen=True)
class Recording(OneFeature):
    """Notes the queries that it was given to learn from, and the validation data."""

    seen: ClassVar[list[tuple[tuple[str, ...], Any]]] = []

    def _learn(self, training: Training) -> Learned[Scorer]:
        self.seen.append((tuple(training.train.query_ids), training.validation))
        return super()._learn(training)


def small(*labels: float) -> Dataset:
    """One query whose four features rank its three documents in different ways."""
    features = [[3, 1, 2, 0], [2, 2, 3, 0], [1, 3, 1, 0]]
    return Dataset.from_arrays(features, labels, qid=[1, 1, 1])


def search(**given: object) -> Search:
    return Search(**{"fixed": {}, "grid": {}, "intervals": {}, **given})  # type: ignore[arg-type]


def test_the_grid_is_the_product_in_the_order_of_declaration() -> None:
    found = list_combinations(OneFeature, search(grid={"pause": [0.0, 0.1], "feature": [2, 1]}))
    assert [(one["feature"], one["pause"]) for one in found] == [
        (2, 0.0), (2, 0.1), (1, 0.0), (1, 0.1)]  # fmt: skip


def test_a_ranker_without_grid_is_tried_once_with_its_defaults() -> None:
    assert list_combinations(find_ranker("linear-regression"), search()) == [{}]


def test_fixed_values_replace_grids() -> None:
    assert list_combinations(OneFeature, search(fixed={"feature": 3})) == [{"feature": 3}]


def test_draws_are_different_combinations_of_the_grid_and_repeatable() -> None:
    one = list_combinations(OneFeature, search(draws=3, seed=5))
    assert one == list_combinations(OneFeature, search(draws=3, seed=5))
    assert len({value["feature"] for value in one}) == 3


def test_trials_begin_with_the_defaults_and_go_on_at_random() -> None:
    found = list_combinations(OneFeature, search(trials=3))
    assert found == list_combinations(OneFeature, search(trials=3))
    assert found[0] == {"feature": 0}
    assert len({one["feature"] for one in found}) == 3
    orders = {
        tuple(one["feature"] for one in list_combinations(OneFeature, search(trials=4, seed=seed)))
        for seed in range(9)
    }
    assert len(orders) > 1
    assert len(list_combinations(OneFeature, search(trials=99))) == 4
    assert list_combinations(OneFeature, search(trials=1)) == [{"feature": 0}]


def test_trials_stay_within_a_grid_that_was_given() -> None:
    found = list_combinations(OneFeature, search(trials=9, grid={"feature": [3, 2]}))
    assert found == [{"feature": 3}, {"feature": 2}]
    assert list_combinations(OneFeature, search(trials=9, fixed={"feature": 2})) == [{"feature": 2}]


def test_draws_from_an_interval_stay_in_it_and_keep_the_kind_of_number() -> None:
    few = list_combinations(OneFeature, search(intervals={"feature": SearchRange(1, 2)}, draws=9))
    assert sorted(one["feature"] for one in few) == [1, 2]
    intervals = {"feature": SearchRange(0, 3), "pause": SearchRange(1e-6, 1e-2, logarithmic=True)}
    found = list_combinations(OneFeature, search(intervals=intervals, draws=50))
    assert all(isinstance(one["feature"], int) and 0 <= one["feature"] <= 3 for one in found)
    assert all(1e-6 <= one["pause"] <= 1e-2 for one in found)
    assert sum(one["pause"] < 1e-4 for one in found) > 10


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"grid": {"featur": [1]}}, "did you mean 'feature'"),
        ({"grid": {"feature": [-1]}}, "must be at least 0"),
        ({"intervals": {"pause": SearchRange(0, 1)}}, "need a number of draws"),
        ({"trials": 2, "draws": 2}, "give one or the other"),
        ({"intervals": {"pause": SearchRange(0, 1, True)}, "draws": 2}, "above 0"),
        ({"intervals": {"feature": SearchRange(0.1, 3)}, "draws": 2}, "whole number.*0.1 to 3"),
    ],
)
def test_what_cannot_be_tried_is_said_before_training(given: object, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        list_combinations(OneFeature, search(**given))  # type: ignore[arg-type]


def test_parameters_that_no_store_can_hold_are_refused() -> None:
    with pytest.raises(RankwiseError, match=r"unwritable: parameters must be numbers.*frozenset"):
        list_combinations(Unwritable, search())


def test_the_best_on_validation_wins_and_the_first_of_equals() -> None:
    validation = small(0, 0, 1)
    tried = [{"feature": number} for number in (0, 1, 2, 1)]
    chosen = tune(OneFeature, tried, small(1, 0, 0), validation, MAP)
    expected = [
        evaluate(validation, validation.features[:, one["feature"]], ["MAP"])["MAP"].mean
        for one in tried
    ]
    assert [one.value for one in chosen.tried] == expected == [1 / 3, 1.0, 1 / 3, 1.0]
    assert chosen.model.parameters["feature"] == 1


def test_where_less_is_better_the_least_wins() -> None:
    tried = [{"feature": number} for number in (0, 1)]
    chosen = tune(
        OneFeature, tried, small(1, 0, 0), small(3, 2, 1), Selection("RMSE", "definition")
    )
    assert chosen.model.parameters["feature"] == 0


def test_a_combination_that_cannot_be_trained_is_passed_over_with_its_reason() -> None:
    tried = [{"feature": 0}, {"feature": 2}]
    chosen = tune(Refusing, tried, small(1, 0, 0), small(0, 1, 0), MAP)
    assert chosen.tried[0].value is None
    assert chosen.tried[0].reason == "feature 0 must be 2"
    assert chosen.model.parameters["feature"] == 2
    with pytest.raises(RankwiseError, match="feature 0 must be 2"):
        tune(Refusing, tried[:1], small(1, 0, 0), small(0, 1, 0), MAP)


def test_without_validation_training_queries_are_cut_into_parts() -> None:
    """Every part of whole queries judges what learnt from the others; all queries train the best.

    Feature 1 orders every query but the last; `Recording` notes what it was given.
    """
    train = planted(7, 6, seed=3)
    Recording.seen.clear()
    tried = [{"feature": 0}, {"feature": 1}]
    chosen = tune(Recording, tried, train, None, MAP)
    parts = cut_into_parts(train, 5, seed=0)
    values = {
        number: [evaluate(part, part.features[:, number], ["MAP"])["MAP"].mean for part in parts]
        for number in (0, 1)
    }
    means = [math.fsum(values[number]) / 5 for number in (0, 1)]
    assert [one.value for one in chosen.tried] == means
    assert chosen.model.parameters["feature"] == int(np.argmax(means))
    assert chosen.choice == TuningChoice("MAP", "definition", 5, 1)
    *crossed, (ids, validation) = Recording.seen
    assert (ids, validation) == (tuple(train.query_ids), None)
    assert len(crossed) == 10
    for (seen, none), part in zip(crossed, [part for part in parts for _ in tried], strict=True):
        assert none is None
        assert not set(seen) & set(part.query_ids)
        assert len(seen) + part.n_queries == train.n_queries


def test_a_combination_that_fails_on_one_part_is_left_out_of_the_choice() -> None:
    train = planted(6, 6, seed=3)
    chosen = tune(Refusing, [{"feature": 0}, {"feature": 2}], train, None, MAP)
    assert [one.value is None for one in chosen.tried] == [True, False]
    assert chosen.model.parameters["feature"] == 2


def test_fewer_queries_than_parts_are_parts_of_one_and_one_query_cannot_be_cut() -> None:
    tried = [{"feature": 0}, {"feature": 1}]
    chosen = tune(OneFeature, tried, planted(3, 6, seed=3), None, MAP)
    assert chosen.choice is not None
    assert chosen.choice.parts == 3
    with pytest.raises(RankwiseError, match="validation part or two training queries, found 1"):
        tune(OneFeature, tried, small(1, 0, 0), None, MAP)
    alone = tune(OneFeature, tried[:1], small(1, 0, 0), None, MAP)
    assert alone.tried[0].value is None
    assert alone.choice is None


@pytest.mark.parametrize("measure", ["MAP", "P@5", "MRR"])
def test_a_measure_that_no_ranking_changes_gives_way_to_ndcg(measure: str) -> None:
    """Grades that begin at 1: every document is relevant to measures that see two kinds."""
    validation = small(1, 2, 3)
    tried = [{"feature": number} for number in range(3)]
    chosen = tune(OneFeature, tried, small(1, 0, 0), validation, Selection(measure, "definition"))
    assert chosen.model.parameters["feature"] == 1
    assert chosen.choice == TuningChoice("NDCG@10", "definition", None, 1)
    (said,) = [one for one in chosen.model.facts["remarks"] if "for every ranking" in one]
    assert said.startswith(f"on the validation data {measure} (definition) is ")
    assert said.endswith("no document is irrelevant, labels begin at 1; NDCG@10 is taken")


def test_where_no_measure_can_choose_several_combinations_are_refused() -> None:
    tried = [{"feature": number} for number in range(3)]
    with pytest.raises(RankwiseError, match=r"no measure can choose .* of different labels"):
        tune(OneFeature, tried, small(1, 0, 0), small(2, 2, 2), Selection("NDCG@10", "definition"))


def test_equal_values_are_counted() -> None:
    tried = [{"feature": number} for number in (0, 1, 2, 1)]
    chosen = tune(OneFeature, tried, small(1, 0, 0), small(0, 0, 1), MAP)
    assert chosen.choice == TuningChoice("MAP", "definition", None, 2)
