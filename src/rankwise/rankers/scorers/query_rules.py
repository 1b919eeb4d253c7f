"""Rules of each training query, combined by how right each was about like documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.native import INT64, INT64S_OUT, UINT8S, function
from rankwise.rankers.scorers.association_rules import Codes, RuleBounds, RuleData, read_bounds
from rankwise.rankers.scorers.json_values import integers
from rankwise.rankers.scorers.scorer import Scorer, matrix_of

Floats = NDArray[np.float64]

_count_shared = function(
    "rankwise_count_shared", *(UINT8S, INT64, UINT8S, INT64, INT64, INT64S_OUT)
)

_EPSILON = 0.05
# Cells of the table of shared items at a time.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class QueryRules(Scorer):
    """f(x) = Σ_q c_q(x) e_q(x) / Σ_q c_q(x), over the training queries q.

    e_q(x) is the grade that the rules of q's documents alone expect of x, and c_q(x) the
    competence of q near x,

        c_q(x) = 1 / (ε + mean over d ∈ N(x), d not of q, of (e_q(d) − y_d)²),

    N(x) the training documents that share most items with x, at least `neighbours` and all that
    tie with the last, ε = 0.05. Where all of N(x) is of q, the mean runs over all documents that
    are not.

    Attributes:
        data: the training documents.
        bounds: which rules count.
        neighbours: how many documents N(x) has.
    """

    kind: ClassVar[str] = "query-rules"
    data: RuleData
    bounds: RuleBounds
    neighbours: int

    @property
    def n_features(self) -> int:
        """Each has its cuts."""
        return len(self.data.items.cuts)

    def score(self, features: Floats) -> Floats:
        """The expected grades."""
        matrix = matrix_of(features, self.n_features)[:, : self.n_features]
        codes = self.data.items.codes(matrix)
        estimates, competences = self.estimates(codes), self.competences(codes)
        return np.asarray((competences * estimates).sum(axis=1) / competences.sum(axis=1))

    def estimates(self, codes: Codes) -> Floats:
        """(documents, queries): e_q of every training query."""
        ends = np.cumsum(self.data.lengths)
        found = [
            self.data.estimate(codes, self.bounds, slice(int(end - length), int(end)))
            for end, length in zip(ends, self.data.lengths, strict=True)
        ]
        return np.ascontiguousarray(np.array(found).T)

    def competences(self, codes: Codes) -> Floats:
        """(documents, queries): c_q of every training query."""
        found = np.empty((codes.shape[1], len(self.data.lengths)))
        step = max(1, _CELLS // len(self.data.grades))
        for first in range(0, codes.shape[1], step):
            part = np.ascontiguousarray(codes[:, first : first + step])
            for row, shared in enumerate(self._shared(part), first):
                found[row] = self._competence(shared)
        return found

    def _shared(self, codes: Codes) -> NDArray[np.int64]:
        known = self.data.codes
        counts = np.empty((codes.shape[1], known.shape[1]), dtype=np.int64)
        _count_shared(codes, codes.shape[1], known, known.shape[1], len(known), counts)
        return counts

    def _competence(self, shared: NDArray[np.int64]) -> Floats:
        place = max(0, len(shared) - self.neighbours)
        near = np.flatnonzero(shared >= np.partition(shared, place)[place])
        known = self._errors
        counts = known.foreign[near].sum(axis=0)
        means = known.squares[near].sum(axis=0) / np.maximum(counts, 1)
        return np.asarray(1.0 / (_EPSILON + np.where(counts > 0, means, known.everywhere)))

    @cached_property
    def _errors(self) -> _Errors:
        queries = np.repeat(np.arange(len(self.data.lengths)), self.data.lengths)
        foreign = queries[:, np.newaxis] != np.arange(len(self.data.lengths))
        truth = self.data.labels[self.data.grades][:, np.newaxis]
        squares = np.where(foreign, (self.estimates(self.data.codes) - truth) ** 2, 0.0)
        everywhere = squares.sum(axis=0) / np.maximum(foreign.sum(axis=0), 1)
        return _Errors(squares, foreign, everywhere)

    def importance(self) -> Floats:
        """How far the mean label deviates between the items of a feature."""
        return self.data.importance()

    def as_json(self) -> dict[str, Any]:
        """The training documents as items, which rules count, and the neighbours."""
        return {**self.data.as_json(), **vars(self.bounds), "neighbours": self.neighbours}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> QueryRules:
        """From the values of `as_json`."""
        neighbours = int(integers({"neighbours": [values.get("neighbours")]}, "neighbours")[0])
        if neighbours < 1:
            raise RankwiseError("rules of queries in a model file must have neighbours from 1")
        return cls(RuleData.from_json(values), read_bounds(values), neighbours)


class _Errors(NamedTuple):
    """(training documents, queries): squared errors, 0 for own documents, and who is foreign.

    `everywhere` is the mean of each query over all foreign documents.
    """

    squares: Floats
    foreign: NDArray[np.bool_]
    everywhere: Floats
