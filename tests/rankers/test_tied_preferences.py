"""BT and TM: the models of ties literally, their derivatives, and what trees make of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.ties import BT, TM, BradleyTerryTies, ThurstoneMostellerTies, make_ties
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven

MODELS = [BradleyTerryTies, ThurstoneMostellerTies]


def bradley_terry(left: float, right: float, theta: float) -> tuple[float, float]:
    """P(left ≻ right) and P(left ~ right), as Rao and Kupper have them."""
    one, two = np.exp(left), np.exp(right)
    tie = (theta**2 - 1) * one * two / ((one + theta * two) * (theta * one + two))
    return one / (one + theta * two), tie


def thurstone_mosteller(left: float, right: float, epsilon: float) -> tuple[float, float]:
    """Φ(d − ε) and Φ(d + ε) − Φ(d − ε), the latter at −|d|, where no digits are lost."""
    apart = left - right
    far = -abs(apart)
    return ndtr(apart - epsilon), ndtr(far + epsilon) - ndtr(far - epsilon)


LITERAL = {BradleyTerryTies: bradley_terry, ThurstoneMostellerTies: thurstone_mosteller}


def literal(dataset, model, tie_range: float, tie_weight: float, scores) -> float:
    total = 0.0
    for rows in queries_of(dataset):
        size = rows.stop - rows.start
        for i in range(rows.start, rows.stop):
            for j in range(rows.start, rows.stop):
                better, tie = LITERAL[model](scores[i], scores[j], tie_range)
                if dataset.labels[i] > dataset.labels[j]:
                    total -= np.log(better) / (size - 1)
                elif dataset.labels[i] == dataset.labels[j] and i < j:
                    total -= tie_weight * np.log(tie) / (size - 1)
    return total


@pytest.mark.parametrize("model", MODELS)
def test_the_three_outcomes_are_all_there_are(model):
    for left, right in ((0.3, -0.5), (2.0, 2.0), (-1.0, 4.0)):
        above, tie = LITERAL[model](left, right, 1.7)
        below, _ = LITERAL[model](right, left, 1.7)
        assert above + tie + below == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_value_and_derivatives_are_those_of_the_equation(model, scale):
    dataset, scores = uneven(1), scores_of(uneven(1), 4, scale)
    ties = make_ties(model, dataset, 1.4, 0.3)

    def equation(at):
        return literal(dataset, model, 1.4, 0.3, at)

    here = equation(scores)
    assert ties.value(scores) == pytest.approx(here, rel=1e-10)
    slopes, bends = ties.at(scores)
    assert slopes == pytest.approx(slopes_by_differences(equation, scores), abs=1e-6)
    moves = 1e-4 * np.eye(len(scores))
    second = [
        (equation(scores + move) - 2 * here + equation(scores - move)) / 1e-8 for move in moves
    ]
    assert bends == pytest.approx(second, abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_far_apart_scores_stay_finite(model):
    dataset = uneven()
    slopes, bends = make_ties(model, dataset, 1.4, 0.3).at(scores_of(dataset, 0, 1e3))
    assert np.isfinite(slopes).all()
    assert np.isfinite(bends).all()
    assert (bends >= 0).all()


@pytest.mark.parametrize("ranker", [BT, TM])
def test_trees_lower_the_cost_and_learn_the_order(ranker):
    pytest.importorskip("lightgbm")
    dataset = made(0, n_queries=30)
    found = ranker(rounds=30, leaf_documents=10).fit(dataset)
    judged = TrainingMeasure.of(dataset, "NDCG")
    assert judged.mean(found.score(dataset)) > 0.95
    model = MODELS[ranker is TM]
    ties = make_ties(model, dataset, ranker().tie_range, ranker().tie_weight)
    assert ties.value(found.score(dataset)) < 0.8 * ties.value(np.zeros(dataset.n_documents))
