"""Populations of formulas in layers: the best formulas of one are features of the next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.evolution.expression_trees import Tree, substitute
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.evolution.tree_training import Evolution, judge_trees, make_scorer
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]
MakePopulation = Callable[[int, list[Tree]], Evolution]
"""A population over so many features that begins with the given formulas among others."""


class LayeredPopulations:
    """Layer after layer, each of several populations that know nothing of each other.

    A population of layer l + 1 sees the features and, as further ones, the best formula of every
    population of layer l, from which it also begins: what a layer has reached is not lost. All
    populations of a layer are judged in one pass; the last layer has a single one.
    """

    def __init__(
        self,
        features: Floats,
        measure: TrainingMeasure,
        make: MakePopulation,
        *,
        layers: int,
        populations: int,
        generations: int,
    ) -> None:
        """`features` are (documents, features); each layer has so many generations."""
        self._features = features
        self._judged = measure
        self._make = make
        self._layers = layers
        self._count = populations
        self._generations = generations
        self._generation = 0
        # The formulas, over the features alone, that the layer before handed on.
        self._inputs: list[Tree] = []
        self._open_layer(0)

    def step(self) -> float:
        """One generation of all populations of the layer; their best figure."""
        layer, place = divmod(self._generation, self._generations)
        if layer and place == 0:
            self._inputs = [self._written_out(one.best) for one in self._populations]
            self._open_layer(layer)
        elif place:
            for one in self._populations:
                one.breed()
        self._generation += 1
        trees = [tree for one in self._populations for tree in one.population]
        figures = judge_trees(self._measure, trees)
        ends = np.cumsum([len(one.population) for one in self._populations])
        parts = np.split(figures, ends[:-1])
        for one, own in zip(self._populations, parts, strict=True):
            one.take_figures(own)
        self._leader = self._populations[int(np.argmax([own.max() for own in parts]))]
        return float(figures.max())

    def scorer(self) -> Expression:
        """The best formula of the layer, over the features alone."""
        width = self._features.shape[1]
        if not self._generation:
            return make_scorer(self._leader.population[0], width)
        return make_scorer(self._written_out(self._leader.best), width)

    def _open_layer(self, layer: int) -> None:
        width = self._features.shape[1]
        scores = [make_scorer(tree, width).score(self._features) for tree in self._inputs]
        columns = np.vstack([self._features.T, *scores])
        self._measure = PopulationMeasure(self._judged, columns)
        start = [Tree((width + place,), (0.0,)) for place in range(len(scores))]
        count = 1 if layer == self._layers - 1 else self._count
        self._populations = [self._make(len(columns), start) for _ in range(count)]
        self._leader = self._populations[0]

    def _written_out(self, tree: Tree) -> Tree:
        return substitute(tree, self._inputs, self._features.shape[1])
