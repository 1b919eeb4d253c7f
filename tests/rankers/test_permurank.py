"""PermuRank: the hinge over rankings literally, its slopes, and how the sets grow."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.linear.permurank import PermuRank, RankingHinge
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def pair_sum(order, scores) -> float:
    """S(π): the mean over ordered pairs of what the upper scores more than the lower."""
    size = len(order)
    total = sum(scores[order[j]] - scores[order[k]] for k in range(size) for j in range(k))
    return total / (size * (size - 1)) if size > 1 else 0.0


def orders_of(places, rows: slice):
    """The rankings of a query, from what S weighs its documents by: the first the most."""
    return [np.argsort(-one) for one in places[:, rows]]


def literal(hinge: RankingHinge, measure: str, combine, scores) -> float:
    costs = []
    for number, rows in enumerate(queries_of(hinge.dataset)):
        one = hinge.dataset.select_queries([number])
        judged, own = TrainingMeasure.of(one, measure), scores[rows]

        def value(order, judged=judged):
            return judged.mean(-np.argsort(order).astype(float))

        labels = one.labels
        if not value(np.argsort(-labels)) > value(np.argsort(labels)):
            continue
        costs.append(
            combine(
                (value(best) - value(other))
                * max(0, 1 - (pair_sum(best, own) - pair_sum(other, own)))
                for best in orders_of(hinge.perfect, rows)
                for other in orders_of(hinge.others, rows)
            )
        )
    return float(np.mean(costs))


def mean(values) -> float:
    return float(np.mean(list(values)))


def grown(dataset, measure: str, rounds: int = 3, worst: bool = False) -> RankingHinge:
    judged = TrainingMeasure.of(dataset, measure)
    hinge = RankingHinge.begin(dataset, judged, worst, np.random.default_rng(0))
    for seed in range(rounds):
        hinge = hinge.grown(scores_of(dataset, seed))
    return hinge


@pytest.mark.parametrize("measure", ["MAP", "NDCG@3"])
@pytest.mark.parametrize("combine", [mean, max], ids=["mean", "worst"])
def test_it_is_the_equation(measure, combine):
    dataset = uneven(3)
    hinge, scores = grown(dataset, measure, worst=combine is max), scores_of(dataset, 9)
    value, slopes = hinge.at(scores)
    assert value == pytest.approx(literal(hinge, measure, combine, scores), rel=1e-12)
    expected = slopes_by_differences(lambda at: hinge.at(at)[0], scores)
    assert slopes == pytest.approx(expected, abs=1e-8)


def test_the_added_rankings_are_the_most_violated():
    dataset = made(2, n_queries=3)
    hinge = grown(dataset, "MAP", 0)
    scores = scores_of(dataset, 5)
    added = hinge.grown(scores)
    rng = np.random.default_rng(1)
    for rows in queries_of(dataset):
        own, labels = scores[rows], dataset.labels[rows]
        highest = pair_sum(orders_of(added.others, rows)[-1], own)
        lowest = pair_sum(orders_of(added.perfect, rows)[-1], own)
        for _ in range(50):
            assert pair_sum(rng.permutation(len(own)), own) <= highest + 1e-12
            perfect = np.lexsort((rng.random(len(own)), -labels))
            assert pair_sum(perfect, own) >= lowest - 1e-12


def test_it_learns_and_the_sets_matter():
    dataset = made(0, n_queries=20)
    judged = TrainingMeasure.of(dataset, "MAP")
    few = PermuRank(rounds=1).fit(dataset)
    many = PermuRank(rounds=15).fit(dataset)
    assert many.facts["selection"] == judged.mean(many.score(dataset)) > 0.93
    assert many.facts["rounds"] > 1
    assert many.facts["selection"] >= few.facts["selection"]


def test_rankings_that_are_known_leave_the_sets_as_they_are():
    dataset = made(2, n_queries=3)
    hinge, scores = grown(dataset, "MAP", 0), scores_of(dataset, 5)
    once = hinge.grown(scores)
    assert once is not hinge
    assert once.grown(2 * scores) is once
    assert once.grown(-scores) is not once
