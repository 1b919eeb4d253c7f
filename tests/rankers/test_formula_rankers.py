"""GPRank, IPRank, CCRank and RankMGP: figures that are the measure's, sums and layers as told."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.models.scorers.expression import OPERATIONS, Expression
from rankwise.rankers.ranker import Training
from rankwise.rankers.search.formula_trees import ExpressionTrees, join
from rankwise.rankers.search.gprank import (
    GeneticProgramming,
    GeneticRates,
    GPRank,
    LayeredPopulations,
    RankMGP,
)
from rankwise.rankers.search.iprank import (
    CCRank,
    CooperativePopulations,
    ImmuneProgramming,
    ImmuneRates,
    IPRank,
)
from rankwise.rankers.search.populations import PopulationMeasure, judge_trees, make_judge
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made

SHORT = {"population": 20, "generations": 8}
RANKERS = [GPRank(**SHORT), IPRank(**SHORT), CCRank(**SHORT), RankMGP(**SHORT)]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda one: one.name)
def test_the_figure_of_training_rises_to_that_of_the_model(ranker) -> None:
    dataset = made(4, n_queries=10, n_features=6)
    figures = []
    model = ranker.fit(dataset, watch=lambda progress: bool(figures.append(progress.training)))
    assert np.all(np.diff(figures) >= 0)
    reached = TrainingMeasure.of(dataset, "MAP", ties="expected").mean(model.score(dataset))
    # Without validation data the best round is the first that reaches the figure of the file.
    assert reached == pytest.approx(figures[model.facts["round"] - 1], abs=1e-12)


def test_only_gp_has_logarithms() -> None:
    dataset = made(4, n_queries=6)
    for ranker in (IPRank(**SHORT), CCRank(**SHORT)):
        assert OPERATIONS["log"] not in ranker.fit(dataset).scorer.codes


def test_training_and_validation_choose_together() -> None:
    """t + v − |t − v| / 2, and (t + v) / 2 − |t − v| / 2, which is the smaller of the two."""
    train, validation = made(1), made(2)
    formula = Expression.of(["x1", "x3", "+"], 4)
    t, v = (TrainingMeasure.of(one, "MAP").mean(formula.score(one.features))
            for one in (train, validation))  # fmt: skip
    expected = {"sum": t + v - abs(t - v) / 2, "average": min(t, v), "validation": v}
    for choice, value in expected.items():
        judge = make_judge(Training(train, validation), "MAP", "definition", choice)
        assert judge.value(formula) == pytest.approx(value)
    alone = make_judge(Training(train), "MAP", "definition", "sum")
    assert alone.value(formula) == pytest.approx(t)


def test_the_selection_is_that_of_validation_and_the_mixed_figure_stands_beside_it() -> None:
    train, validation = made(1), made(2)
    model = IPRank(**SHORT).fit(train, validation)
    t, v = (TrainingMeasure.of(one, "MAP").mean(model.score(one)) for one in (train, validation))
    assert model.facts["selection"] == pytest.approx(v)
    assert model.facts["mixed"] == pytest.approx(t + v - abs(t - v) / 2)
    assert "mixed" not in IPRank(**SHORT, choice="validation").fit(train, validation).facts


def test_winners_of_populations_never_fall_and_are_added() -> None:
    dataset, rng = made(3, n_queries=8), np.random.default_rng(0)
    trees = ExpressionTrees(4, 3)
    populations = [
        ImmuneProgramming(trees, trees.populate(rng, 8), rng, ImmuneRates(0.1, 0.3))
        for _ in range(3)
    ]
    measure = PopulationMeasure.of(dataset, "MAP", "definition")
    together = CooperativePopulations(populations, measure, 4)
    figures = [together.step() for _ in range(8)]
    assert np.all(np.diff(figures) >= 0)
    assert judge_trees(measure, [join(together.winners)])[0] == figures[-1]
    assert together.scorer().codes.tolist() == list(join(together.winners).codes)


def test_a_layer_begins_with_the_best_formulas_of_the_one_before() -> None:
    dataset, rng = made(3, n_queries=8), np.random.default_rng(0)
    seen = []

    def make(width, start):
        seen.append((width, len(start)))
        trees = ExpressionTrees(width, 3)
        population = [*start, *trees.populate(rng, 8 - len(start))]
        return GeneticProgramming(trees, population, rng, GeneticRates(0.9, 0.1, 3))

    measure = TrainingMeasure.of(dataset, "MAP", ties="expected")
    layered = LayeredPopulations(
        dataset.features, measure, make, layers=3, populations=2, generations=3
    )
    figures = [layered.step() for _ in range(9)]
    assert seen == [(4, 0), (4, 0), (6, 2), (6, 2), (6, 2)]
    assert np.all(np.diff(figures) >= 0)
    assert measure.mean(layered.scorer().score(dataset.features)) == figures[-1]


def test_one_layer_of_rankmgp_is_gprank() -> None:
    dataset, validation = made(1), made(2)
    shared = {"depth": 4, **SHORT}
    layered = RankMGP(layers=1, **shared).fit(dataset, validation, seed=3)
    plain = GPRank(**shared).fit(dataset, validation, seed=3)
    assert layered.scorer.tokens() == plain.scorer.tokens()
