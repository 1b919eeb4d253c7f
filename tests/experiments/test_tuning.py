from __future__ import annotations

import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.evaluation import evaluate
from rankwise.experiments.tuning import Search, SearchRange, Selection, list_combinations, tune
from rankwise.rankers.registry import find_ranker
from tests.experiments.trial_rankers import OneFeature, Refusing, Unwritable

MAP = Selection("MAP", "definition")


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


def test_without_validation_there_is_nothing_to_choose_by() -> None:
    tried = [{"feature": 0}, {"feature": 1}]
    with pytest.raises(RankwiseError, match="needs a validation part"):
        tune(OneFeature, tried, small(1, 0, 0), None, MAP)
    assert tune(OneFeature, tried[:1], small(1, 0, 0), None, MAP).tried[0].value is None
