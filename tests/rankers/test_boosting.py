"""Boosting against Algorithm 1 written out literally, and the queue against its description."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.weak_rankers import (
    Boosted,
    BoostingRules,
    Pool,
    RoundSelection,
    boost,
)
from rankwise.rankers.ranker import Round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.boosting_data import made


class LastRound:
    """A selection that finds every round better than the one before."""

    def __init__(self) -> None:
        self.rounds = itertools.count()

    def value(self, weights: np.ndarray, train: Dataset, scores: np.ndarray) -> float:
        return float(next(self.rounds))


def boosted(dataset: Dataset, rules: BoostingRules, measure: str = "MAP") -> Boosted:
    prepared = TrainingMeasure.of(dataset, measure)
    pool = Pool.of(np.eye(dataset.n_features), dataset, prepared)
    return boost(pool, dataset, prepared, LastRound(), rules)


def mean_of(values: list[float], weights: list[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True))


class Literal:
    """Eqs. 8 and 9 and both re-weightings, one query at a time."""

    def __init__(self, dataset: Dataset, measure: str, multiplicative: bool) -> None:
        self.dataset = dataset
        self.prepared = TrainingMeasure.of(dataset, measure)
        self.multiplicative = multiplicative
        self.performance = [
            self.prepared.per_query(dataset.features[:, feature]).tolist()
            for feature in range(dataset.n_features)
        ]
        queries = dataset.n_queries
        self.start = ([0.0] * dataset.n_features, [1 / queries] * queries, -math.inf)

    def best(self, distribution: list[float], free: set[int]) -> int:
        return max(sorted(free), key=lambda h: mean_of(self.performance[h], distribution))

    def grown(self, state: tuple, chosen: int) -> tuple:
        weights, distribution, _ = state
        r = mean_of(self.performance[chosen], distribution)
        coefficient = math.log((1 + r) / (1 - r)) / 2
        weights = [w + coefficient * (h == chosen) for h, w in enumerate(weights)]
        scores = Linear(np.array(weights)).score(self.dataset.features)
        values = self.prepared.per_query(scores).tolist()
        if self.multiplicative:
            raw = [
                p * math.exp(-coefficient * e) for p, e in zip(distribution, values, strict=True)
            ]
        else:
            raw = [math.exp(-e) for e in values]
        return weights, [p / sum(raw) for p in raw], sum(values) / len(values)


@given(st.integers(0, 10_000), st.sampled_from(["published", "multiplicative"]))
def test_rounds_follow_the_equations(seed: int, reweighting: str) -> None:
    dataset = made(seed, queries=7)
    literal = Literal(dataset, "NDCG@3", reweighting == "multiplicative")
    if max(sum(row) / len(row) for row in literal.performance) > 0.99:
        return  # a perfect weak ranker has no finite coefficient
    state = literal.start
    chosen = []
    for _ in range(6):
        chosen.append(literal.best(state[1], set(range(dataset.n_features))))
        state = literal.grown(state, chosen[-1])
    found = boosted(dataset, BoostingRules(6, reweighting), "NDCG@3")
    assert list(found.chosen) == chosen
    assert found.weights == pytest.approx(np.array(state[0]), rel=1e-9)
    assert found.training == pytest.approx(state[2], rel=1e-9)


def queue_by_description(literal: Literal, rounds: int, drop: float) -> list[int]:
    """The treatment of domination, step by step; the last model that existed for a round."""
    pool = set(range(literal.dataset.n_features))
    state, before = literal.start, literal.start
    model: list[int] = []
    seen: list[int] = []
    queue: list[int] = []
    aside: set[int] = set()
    last, unchanged, returning, joined = None, 0, False, 0
    while joined < rounds:
        free = pool - set(queue) - aside
        halted = not free
        if free:
            choice = literal.best(state[1], free)
            if choice == last and not returning:
                state, model = before, model[:-1]
                queue.append(choice)
                continue
            after = literal.grown(state, choice)
            halted = state[2] - after[2] >= drop
        if halted:
            if not queue:
                break
            queue.pop(0)
            returning = True
            continue
        unchanged = unchanged + 1 if choice == last and after[2] == state[2] else 0
        if choice != last:
            aside.clear()
        if unchanged == 5:
            aside.add(choice)
            unchanged = 0
        before, state, last = state, after, choice
        model = [*model, choice]
        seen = model
        joined += 1
    return seen


@given(st.integers(0, 10_000))
def test_the_queue_does_what_its_description_says(seed: int) -> None:
    dataset = made(seed, queries=6, features=5)
    literal = Literal(dataset, "MAP", multiplicative=False)
    if max(sum(row) / len(row) for row in literal.performance) > 0.99:
        return
    rules = BoostingRules(25, "published", "queue", stop_at_drop=0.002)
    assert list(boosted(dataset, rules).chosen) == queue_by_description(literal, 25, 0.002)


def test_a_dominating_feature_waits_until_the_others_have_had_their_turn() -> None:
    dataset = made(2, queries=10, features=4)
    plain = boosted(dataset, BoostingRules(3))
    assert plain.chosen[0] == plain.chosen[1], "the data must have a dominating feature"
    queued = boosted(dataset, BoostingRules(3, domination="queue"))
    assert plain.chosen[0] not in queued.chosen


def test_a_drop_of_the_training_measure_is_taken_back() -> None:
    dataset = made(4, queries=10)
    free = boosted(dataset, BoostingRules(40, "multiplicative"))
    halted = boosted(dataset, BoostingRules(40, "multiplicative", stop_at_drop=0.0))
    assert len(halted.chosen) < len(free.chosen)
    assert halted.chosen == free.chosen[: len(halted.chosen)]


def test_the_selection_is_the_mean_of_its_measures_and_takes_the_first_best_round() -> None:
    train, validation = made(8, queries=20), made(9, queries=20)
    prepared = TrainingMeasure.of(train)
    pool = Pool.of(np.eye(4), train, prepared)
    selection = RoundSelection.of(validation, [("MAP", "letor3"), ("NDCG@1", "letor3")])
    seen: list[Round] = []
    rules = BoostingRules(12, "multiplicative")
    found = boost(pool, train, prepared, selection, rules, lambda now: bool(seen.append(now)))
    values = [now.validation for now in seen]
    assert found.selection == max(values)
    assert found.round == values.index(max(values)) + 1
    scores = Linear(found.weights).score(validation.features)
    parts = [TrainingMeasure.of(validation, name, "letor3") for name in ("MAP", "NDCG@1")]
    assert found.selection == (parts[0].mean(scores) + parts[1].mean(scores)) / 2


def test_a_watch_that_says_stop_is_obeyed() -> None:
    dataset = made(8)
    prepared = TrainingMeasure.of(dataset)
    pool = Pool.of(np.eye(4), dataset, prepared)
    selection = RoundSelection.of(dataset, [("MAP", "definition")])
    found = boost(
        pool, dataset, prepared, selection, BoostingRules(50), lambda now: now.number == 3
    )
    assert found.rounds == 3


def test_a_perfect_weak_ranker_counts_finitely() -> None:
    dataset = Dataset.from_arrays([[2.0], [1.0]], [1, 0], group=[2])
    found = boosted(dataset, BoostingRules(3))
    assert np.isfinite(found.weights).all()
    assert found.training == 1.0


def test_a_measure_beyond_one_is_refused() -> None:
    with pytest.raises(RankwiseError, match="between -1 and 1, found DCG"):
        boosted(made(8), BoostingRules(3), "DCG@5")


def test_equal_labels_are_refused() -> None:
    dataset = Dataset.from_arrays(np.eye(4), [1, 1, 0, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="there is no order to learn"):
        refuse_equal_labels(dataset, "adarank-map")
