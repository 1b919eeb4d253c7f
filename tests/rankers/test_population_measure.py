"""The measure of a whole population: the bits of `evaluate`, whoever's convention it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.measures.evaluation import evaluate
from rankwise.models.scorers.expression import Expression
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.search.populations import Formulas, PopulationMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made

FORMULAS = (
    ["x1"],
    [0.25],
    ["x1", "x2", "*", "x3", "-"],
    ["x2", "x1", "x3", "/", "+", "log"],
    ["x1", "x1", "-", "x2", "x2", "-", "/"],
)
JUDGED_BY = [
    ("MAP", "definition"),
    ("MAP", "letor3"),
    ("NDCG@5", "letor4"),
    ("ERR@10", "definition"),
    ("NDCG@10", "sklearn"),
    ("NDCG@10", "trec_eval"),
    ("NDCG@10", "lightgbm"),
    ("MAP(ties=worst)", "definition"),
    ("MAP(ties=expected)", "definition"),
    ("KendallTau", "definition"),
]


def named(dataset):
    ids = [f"d{number * 7 % 101:03}" for number in range(dataset.n_documents)]
    # Rounded, so that there are ties.
    features = np.round(dataset.features, 1)
    return Dataset.from_arrays(features, dataset.labels, dataset.query_of_rows, document_ids=ids)


def evaluated(dataset, scorers, measure, tool):
    found = (evaluate(dataset, one.score(dataset.features), [measure], tool) for one in scorers)
    return [one[measure].mean for one in found]


def population_of(dataset, measure, tool):
    return PopulationMeasure(TrainingMeasure.of(dataset, measure, tool), dataset.features.T)


@pytest.mark.parametrize(("measure", "tool"), JUDGED_BY)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=4)
def test_weights_have_the_bits_of_evaluate(measure, tool, seed):
    dataset = named(made(seed, n_queries=5, length=11))
    rng = np.random.default_rng(seed)
    weights = np.round(rng.normal(size=(6, dataset.n_features)), 1)
    found = population_of(dataset, measure, tool).of_weights(weights)
    assert found.tolist() == evaluated(dataset, map(Linear, weights), measure, tool)


@pytest.mark.parametrize(("measure", "tool"), JUDGED_BY)
def test_formulas_have_the_bits_of_evaluate(measure, tool):
    dataset = named(made(3, n_queries=5, length=70))
    scorers = [Expression.of(tokens, dataset.n_features) for tokens in FORMULAS]
    formulas = Formulas.of([(one.codes.tolist(), one.constants.tolist()) for one in scorers])
    found = population_of(dataset, measure, tool).of_formulas(formulas)
    assert found.tolist() == evaluated(dataset, scorers, measure, tool)


def test_a_constant_formula_earns_what_its_ties_are_worth():
    best_first = Dataset.from_arrays(np.zeros((4, 1)), [1, 0, 0, 0], np.zeros(4))
    measure = PopulationMeasure.of(best_first, "MAP", "definition")
    figures = measure.of_formulas(Formulas.of([([-6], [1.0])]))
    assert figures == pytest.approx([(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4])


@pytest.mark.parametrize("codes", [[], [9], [-7], [0, 0], [-1], [0, -1], [0, 0, -1, -1]])
def test_codes_that_are_no_formula_are_not_run(codes):
    measure = PopulationMeasure.of(made(0, n_queries=2), "MAP", "definition")
    with pytest.raises(ValueError, match="must"):
        measure.of_formulas(Formulas.of([([0], [0.0]), (codes, [0.0] * len(codes))]))


def test_no_candidates_have_no_figures():
    measure = PopulationMeasure.of(made(0, n_queries=2), "MAP", "definition")
    assert measure.of_weights(np.zeros((0, measure.n_features))).shape == (0,)
    with pytest.raises(ValueError, match="weights are needed"):
        measure.of_weights(np.zeros((2, measure.n_features + 1)))
