"""SVM-MAP: the most violated ranking against enumeration, and the optimum."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.svm_map import SVMMAP, average_precision_risk
from tests.rankers.svm_data import all_folds, made, real_training

OPTIMA = {
    "OHSUMED": (0.778255, 0.777562, 0.809490, 0.827126, 0.828627),
    "MQ2008": (0.646947, 0.636387, 0.618973, 0.633195, 0.647222),
}


@pytest.mark.parametrize(("name", "fold", "optimum"), all_folds(OPTIMA))
def test_real_optima(shared, name, fold, optimum):
    model = SVMMAP(C=10.0, gap=1e-4).fit(real_training(shared, name, fold))
    assert model.facts["gap"] <= 1e-4
    assert model.facts["objective"] == pytest.approx(optimum, abs=1e-4)


def average_precision(ranking, relevant):
    hits = np.cumsum(relevant[list(ranking)])
    places = np.arange(1, len(ranking) + 1)
    return float((hits / places)[relevant[list(ranking)]].mean())


def combined(ranking, scores, relevant):
    """w · Ψ(π), from the scores w · x."""
    place = {document: rank for rank, document in enumerate(ranking)}
    better, worse = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    signed = [
        (scores[i] - scores[j]) * (1 if place[i] < place[j] else -1) for i in better for j in worse
    ]
    return sum(signed) / len(signed)


def enumerated_hinge(scores, relevant):
    """max_π [1 − AP(π) + w · (Ψ(π) − Ψ(π*))] by trying every ranking."""
    perfect = combined(np.argsort(~relevant, kind="stable"), scores, relevant)
    return max(
        1.0 - average_precision(ranking, relevant) + combined(ranking, scores, relevant) - perfect
        for ranking in permutations(range(len(scores)))
    )


def one_query(labels):
    return Dataset.from_arrays(np.zeros((len(labels), 1)), labels, np.zeros(len(labels)))


@st.composite
def tiny_queries(draw):
    """Two to six documents of both classes; scores in eighths (ties are common) or any."""
    labels = draw(
        st.lists(st.sampled_from([0, 1, 2]), min_size=2, max_size=6).filter(
            lambda found: min(found) == 0 and max(found) > 0
        )
    )
    scores = draw(st.lists(st.integers(-12, 12), min_size=len(labels), max_size=len(labels)))
    return labels, np.array(scores) / draw(st.sampled_from([8.0, 3.7]))


@settings(max_examples=60)
@given(tiny_queries())
def test_the_search_finds_the_most_violated_of_all_rankings(case):
    labels, scores = case
    risk, _ = average_precision_risk(one_query(labels), 1.0)
    assert risk(scores)[0] == pytest.approx(
        enumerated_hinge(scores, np.array(labels) >= 1), abs=1e-12
    )


@given(tiny_queries(), st.integers(0, 1000))
def test_slopes_are_a_subgradient(case, seed):
    labels, scores = case
    risk, _ = average_precision_risk(one_query(labels), 1.0)
    other = np.random.default_rng(seed).normal(size=len(scores))
    value, slopes = risk(scores)
    assert risk(other)[0] >= value + slopes @ (other - scores) - 1e-12
    assert slopes.sum() == pytest.approx(0.0, abs=1e-12)


def test_the_perfect_ranking_with_wide_margins_costs_nothing():
    risk, _ = average_precision_risk(one_query([1, 0, 0, 2]), 1.0)
    value, slopes = risk(np.array([50.0, -50.0, -60.0, 70.0]))
    assert value == 0.0
    assert not slopes.any()


def test_two_documents_by_hand():
    """The only other ranking has AP 1/2 and moves the one pair: 1/2 − 2 (s_0 − s_1)."""
    risk, _ = average_precision_risk(one_query([1, 0]), 1.0)
    value, slopes = risk(np.array([0.1, 0.0]))
    assert value == pytest.approx(1 / 2 - 2 * 0.1)
    assert slopes.tolist() == [-2.0, 2.0]


def test_the_mean_is_over_queries_with_both_classes():
    labels = [1, 0, 1, 1, 0, 0, 0, 2]
    dataset = Dataset.from_arrays(np.zeros((8, 1)), labels, [1, 1, 2, 2, 3, 3, 4, 4])
    risk, used = average_precision_risk(dataset, 1.0)
    assert used == 2
    assert risk(np.zeros(8))[0] == pytest.approx(1 / 2)


def test_the_objective_is_the_equation():
    dataset = made(n_queries=6, length=6)
    model = SVMMAP(C=5.0).fit(dataset)
    weights = model.scorer.weights
    hinges = [
        enumerated_hinge(query.features @ weights, query.labels >= 1)
        for query in dataset.queries()
        if query.labels.min() < 1 <= query.labels.max()
    ]
    expected = weights @ weights / 10 + np.mean(hinges)
    assert model.facts["objective"] == pytest.approx(expected, rel=1e-9)
    assert model.facts["queries"] == len(hinges)


def test_what_counts_as_relevant_can_be_chosen():
    dataset = Dataset.from_arrays([[1.0], [0.0], [0.5]], [2, 1, 1], [1, 1, 1])
    assert SVMMAP(relevant_from=2.0).fit(dataset).scorer.weights[0] > 0
    with pytest.raises(RankwiseError, match="labels from 1 and below it"):
        SVMMAP(relevant_from=1.0).fit(dataset)
