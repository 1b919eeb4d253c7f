"""Weights of a linear function, found by a search that only asks for figures."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.ranker import Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.rounds import Judge, best_round
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


class WeightSearch(Protocol):
    """A population of weights that gets better generation by generation."""

    def step(self) -> float:
        """One generation; the best figure so far."""

    @property
    def best(self) -> Floats:
        """The best weights so far."""


class LinearObjective:
    """M(w · z) of many w at once, z the features as `RelativeFeatures` has them.

    Ties count what they are worth on average: weights that are all 0 would otherwise earn the
    figure of the file's order.
    """

    def __init__(self, train: Dataset, measure: str, tool: str) -> None:
        self._features = RelativeFeatures.of(train, scale_large=True)
        judged = TrainingMeasure.of(train, measure, tool, ties="expected")
        self._population = PopulationMeasure(judged, self._features.columns())

    @property
    def n_features(self) -> int:
        """How many weights there are."""
        return self._population.n_features

    def figures(self, weights: Floats) -> Floats:
        """One figure per row of weights."""
        return self._population.of_weights(weights)

    def scorer(self, weights: Floats) -> Linear:
        """The function for features as they stand in files; Σ |w_j| is 1 before scaling."""
        size = float(np.abs(weights).sum())
        return Linear(self._features.plain_weights(weights / size if size > 0.0 else weights))


class _Training:
    """A search as `best_round` follows it."""

    def __init__(self, search: WeightSearch, objective: LinearObjective) -> None:
        self._search = search
        self._objective = objective
        self.reached = -np.inf

    def step(self) -> float:
        self.reached = self._search.step()
        return self.reached

    def scorer(self) -> Linear:
        return self._objective.scorer(self._search.best)


def follow_search(
    search: WeightSearch,
    objective: LinearObjective,
    judge: Judge,
    *,
    generations: int,
    watch: Watch,
) -> tuple[Linear, dict[str, Any]]:
    """The best weights of the generation that the judge chooses, and facts about it."""
    training = _Training(search, objective)
    found, facts = best_round(
        training, judge, rounds=generations, patience=generations, watch=watch
    )
    return found, facts | {"training": training.reached}
