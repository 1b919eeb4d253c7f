"""The training measure of a whole population of ranking functions, in one compiled pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.ranking import raise_if_failed
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.training.prepared_measure import PreparedMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CANDIDATES = (DOUBLES, INT64, INT64, INT64, ADDRESS, INT64S, DOUBLES, INT64, INT64S)
_measure_population = function(
    "rankwise_measure_population", ADDRESS, *_CANDIDATES, DOUBLES_OUT, DOUBLES_OUT, returns=INT64
)
_score_population = function("rankwise_score_population", *_CANDIDATES, DOUBLES_OUT, returns=INT64)


@dataclass(frozen=True, eq=False)
class Formulas:
    """Formulas in postfix order, one after the other; see `scorers.expression`.

    Attributes:
        codes: the codes of all formulas.
        constants: as long as the codes.
        ends: where each formula ends.
    """

    codes: Integers
    constants: Floats
    ends: Integers

    @classmethod
    def of(cls, formulas: Sequence[tuple[Sequence[int], Sequence[float]]]) -> Formulas:
        """From the codes and the constants of each."""
        return cls(
            np.array([code for codes, _ in formulas for code in codes], dtype=np.int64),
            np.array([one for _, constants in formulas for one in constants], dtype=np.float64),
            np.cumsum([len(codes) for codes, _ in formulas], dtype=np.int64),
        )


_NO_FORMULAS = Formulas(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


class PopulationMeasure:
    """M(f(x)) of every candidate f: weights, f(x) = w · x, or formulas.

    Every query is met once, scored and ranked by all candidates while its features are at hand.
    Figures have the bits of `rankwise.evaluate` on the scores of `Linear` and `Expression`. Where
    the scores are not compared as they are (ties by document id, single precision, …), they are
    computed in one pass and measured in another.
    """

    def __init__(self, measure: TrainingMeasure, columns: Floats) -> None:
        """`columns` are the features of the measure's documents, (features, documents)."""
        self.measure = measure
        self._columns = np.ascontiguousarray(columns, dtype=np.float64)
        self._prepared = measure.prepared() if measure.compares_scores_as_they_are else None
        self._scores = np.empty(self._columns.shape[1])

    @classmethod
    def of(cls, dataset: Dataset, measure: str, tool: str) -> PopulationMeasure:
        """On the features of a data set as they stand.

        Ties count what they are worth on average: a formula that gives all documents one score
        would otherwise earn the figure of the file's order.
        """
        judged = TrainingMeasure.of(dataset, measure, tool, ties="expected")
        return cls(judged, dataset.features.T)

    @property
    def n_features(self) -> int:
        """How many weights a candidate has, and how many features a formula may name."""
        return len(self._columns)

    def of_weights(self, weights: Floats) -> Floats:
        """One figure per row of weights: (candidates, features)."""
        rows = np.ascontiguousarray(weights, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(f"{self.n_features} weights are needed, found shape {rows.shape}")
        return self._figures(len(rows), rows, _NO_FORMULAS)

    def of_formulas(self, formulas: Formulas) -> Floats:
        """One figure per formula."""
        if len(formulas.codes) != len(formulas.constants):
            raise ValueError("codes and constants must be equally many")
        return self._figures(len(formulas.ends), None, formulas)

    def _figures(self, count: int, weights: Floats | None, formulas: Formulas) -> Floats:
        candidates = (
            self._columns,
            *self._columns.shape[::-1],
            count,
            None if weights is None else weights.ctypes.data,
            formulas.codes,
            formulas.constants,
            len(formulas.codes),
            formulas.ends,
        )
        if self._prepared is None:
            scores = np.empty((count, self._columns.shape[1]))
            raise_if_failed(_score_population(*candidates, scores))
            return self.measure.figures(self.measure.values(scores))
        return self.measure.figures(self._values(self._prepared, count, candidates))

    def _values(self, measure: PreparedMeasure, count: int, candidates: tuple[Any, ...]) -> Floats:
        out = np.empty((count, measure.queries))
        raise_if_failed(_measure_population(measure.address, *candidates, self._scores, out))
        return self.measure.without_skipped(out)
