"""The pools that one set of candidates makes: all of them, or the best so many."""

from __future__ import annotations

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.performance import Pool
from rankwise.rankers.dea.pool import Candidates, candidates
from rankwise.rankers.training.training_measure import TrainingMeasure


class Pools:
    """Candidates, and their pools under one measure, each made when it is first asked for.

    A reduced pool is taken from the whole one where that is there, and measured without ever
    holding the whole one's figures where it is not; both have the same bits.
    """

    def __init__(
        self, train: Dataset, model: str, solver: str, phi: str, measure: TrainingMeasure
    ) -> None:
        self.candidates: Candidates = candidates(train, model, solver, phi).distinct()
        self._train = train
        self._measure = measure
        self._made: dict[int, Pool] = {}

    def best(self, count: int) -> Pool:
        """The best so many by their mean on the training queries; 0: all."""
        if count not in self._made:
            self._made[count] = self._make(count)
        return self._made[count]

    def _make(self, count: int) -> Pool:
        if count and 0 in self._made:
            return self._made[0].keep_best(count)
        return Pool.of(self.candidates.weights, self._train, self._measure, best=count or None)
