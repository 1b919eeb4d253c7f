"""Association rules {items} → grade score a document: those of its items, mined when it comes.

An item is a feature within a bin. Tables of two features at a time count how often items and grade
meet in the training data; no rule is ever listed. QueryRules are the rules of each training query,
combined by how right each was about like documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer, integers, matrix_of, numbers
from rankwise.native import DOUBLE, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, UINT8S, function

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.uint8]

MOST_BINS = 30
MOST_GRADES = 64
# Squares of differences must be numbers.
_LARGEST_LABEL = 1e100
MOST_PAIRED = 64
"""Features that rules of two items are made of; where there are more, those that count most."""

_add_rules = function(
    "rankwise_add_rules",
    *(UINT8S, INT64S, INT64, INT64, INT64, UINT8S, INT64, INT64, UINT8S, DOUBLE, DOUBLE),
    *(DOUBLES_OUT, DOUBLES_OUT, INT64S_OUT),
    returns=INT64,
)


@dataclass(frozen=True, eq=False)
class Items:
    """Features cut into bins: the item of feature j is how many of its cuts lie below the value.

    A NULL is an item of its own, `bins`. The cuts are quantiles of the training data, each once:
    bins of about equal numbers of documents, fewer where values repeat.

    Attributes:
        cuts: of every feature, ascending.
        bins: how many a feature has at most.
    """

    cuts: tuple[Floats, ...]
    bins: int

    @classmethod
    def of(cls, features: Floats, bins: int) -> Items:
        """The bins of training data."""
        shares = np.arange(1, bins) / bins
        cuts = []
        for column in features.T:
            known = column[~np.isnan(column)]
            found = np.unique(np.quantile(known, shares, method="lower")) if len(known) else known
            # A cut at the highest value would have nothing above it.
            cuts.append(found[found < known.max()] if len(known) else known)
        return cls(tuple(cuts), bins)

    def codes(self, features: Floats) -> Codes:
        """(features, documents): the item of every value."""
        found = np.empty((len(self.cuts), len(features)), dtype=np.uint8)
        for number, cuts in enumerate(self.cuts):
            values = features[:, number]
            found[number] = np.where(np.isnan(values), self.bins, np.searchsorted(cuts, values))
        return found


@dataclass(frozen=True)
class RuleBounds:
    """Which rules count.

    Attributes:
        length: items of a rule at most, 1 or 2.
        support: the least share of training documents that contain its items and its grade.
        confidence: the least share of those with its items that have its grade.
    """

    length: int
    support: float
    confidence: float


@dataclass(frozen=True, eq=False)
class RuleData:
    """Training documents as items with grades, from which rules are mined.

    Attributes:
        items: how features become items.
        codes: (features, documents).
        grades: the number of every document's label.
        labels: the label of every grade, ascending.
        lengths: documents of every training query.
    """

    items: Items
    codes: Codes
    grades: Integers
    labels: Floats
    lengths: Integers

    @classmethod
    def of(cls, train: Dataset, bins: int, name: str) -> RuleData:
        """The training data of the ranker `name`."""
        labels, grades = np.unique(train.labels, return_inverse=True)
        if len(labels) > MOST_GRADES:
            raise RankwiseError(
                f"{name} learns grades, of which there must be at most {MOST_GRADES}, found "
                f"{len(labels)} different labels"
            )
        if np.abs(labels).max() > _LARGEST_LABEL:
            raise RankwiseError(
                f"{name} learns grades, whose labels must lie within ±{_LARGEST_LABEL:g}, found "
                f"{labels[np.argmax(np.abs(labels))]:g}"
            )
        items = Items.of(train.features, bins)
        codes = items.codes(train.features)
        return cls(items, codes, grades.astype(np.int64), labels, train.query_lengths)

    @property
    def mean_label(self) -> float:
        """What is expected of a document of which no rule is known."""
        return float(self.labels[self.grades].mean())

    def estimate(self, codes: Codes, bounds: RuleBounds, rows: slice = slice(None)) -> Floats:
        """Σ_r r p(r|d) of documents with these codes, by the rules of some training documents.

            p(r|d) = s(d, r) / Σ_r' s(d, r'),   s(d, r) = mean confidence of the rules X → r, X ⊆ d

        A grade without rules has s = 0; without any rule the mean label is expected.
        """
        known, grades = np.ascontiguousarray(self.codes[:, rows]), self.grades[rows]
        size, bins = (codes.shape[1], len(self.labels)), self.items.bins + 1
        sums, counts = np.zeros(size), np.zeros(size, dtype=np.int64)
        done = _add_rules(
            *(known, np.ascontiguousarray(grades), len(grades), len(self.labels), bins),
            *(np.ascontiguousarray(codes), codes.shape[1], len(codes)),
            self._paired if bounds.length == 2 else np.zeros(len(codes), dtype=np.uint8),
            *(bounds.support * len(grades), bounds.confidence),
            *(np.empty(bins * bins * len(self.labels)), sums, counts),
        )
        if done < 0:
            raise ValueError("codes must lie below the number of bins, grades below that of labels")
        means = sums / np.maximum(counts, 1)
        total = means.sum(axis=1)
        # Not BLAS, whose order of summation may depend on the number of threads.
        weighted = np.einsum("dr,r->d", means, self.labels)
        return np.where(total > 0.0, weighted / np.where(total > 0.0, total, 1.0), self.mean_label)

    @cached_property
    def _paired(self) -> Codes:
        """Which features make rules of two items: those that count most, the first among equals."""
        found = np.zeros(len(self.codes), dtype=np.uint8)
        found[np.argsort(-self.importance(), kind="stable")[:MOST_PAIRED]] = 1
        return found

    def importance(self) -> Floats:
        """How far the mean label deviates between the items of a feature."""
        labels = self.labels[self.grades]
        found = np.empty(len(self.codes))
        for number, codes in enumerate(self.codes):
            counts = np.bincount(codes)
            means = np.bincount(codes, weights=labels) / np.maximum(counts, 1)
            found[number] = np.sqrt((counts * (means - labels.mean()) ** 2).sum() / len(labels))
        return found

    def as_json(self) -> dict[str, Any]:
        """The cuts, and the training documents as items."""
        return {
            "bins": self.items.bins,
            "cuts": [cuts.tolist() for cuts in self.items.cuts],
            "codes": self.codes.ravel().tolist(),
            "grades": self.grades.tolist(),
            "labels": self.labels.tolist(),
            "lengths": self.lengths.tolist(),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> RuleData:
        """From the values of `as_json`."""
        given = values.get("cuts")
        bins = int(integers({"bins": [values.get("bins")]}, "bins")[0])
        lists = given if isinstance(given, list) else []
        cuts = tuple(numbers({"cuts": one}, "cuts") for one in lists)
        codes, grades = integers(values, "codes"), integers(values, "grades")
        labels, lengths = numbers(values, "labels"), integers(values, "lengths")
        fits = (
            cuts
            and len(grades)
            and 2 <= bins <= MOST_BINS
            and all(len(one) < bins and (np.diff(one) > 0.0).all() for one in cuts)
            and len(codes) == len(cuts) * len(grades)
            and _lies_within(codes, bins + 1)
            and 1 <= len(labels) <= MOST_GRADES
            and (np.diff(labels) > 0.0).all()
            and np.abs(labels).max() <= _LARGEST_LABEL
            and _lies_within(grades, len(labels))
            and (lengths > 0).all()
            and lengths.sum() == len(grades)
        )
        if not fits:
            raise RankwiseError(
                "a model of rules must hold cuts, and items and a grade for each of its training "
                "documents, found values that do not fit together"
            )
        shaped = codes.astype(np.uint8).reshape(len(cuts), len(grades))
        return cls(Items(cuts, bins), shaped, grades, labels, lengths)


@dataclass(frozen=True, eq=False)
class AssociationRules(Scorer):
    """f(x) = Σ_r r p(r|x), by all rules whose items x contains."""

    kind: ClassVar[str] = "association-rules"
    data: RuleData
    bounds: RuleBounds

    @property
    def n_features(self) -> int:
        """Each has its cuts."""
        return len(self.data.items.cuts)

    def score(self, features: Floats) -> Floats:
        """The expected grades."""
        matrix = matrix_of(features, self.n_features)[:, : self.n_features]
        return self.data.estimate(self.data.items.codes(matrix), self.bounds)

    def importance(self) -> Floats:
        """How far the mean label deviates between the items of a feature."""
        return self.data.importance()

    def as_json(self) -> dict[str, Any]:
        """The training documents as items, and which rules count."""
        return {**self.data.as_json(), **vars(self.bounds)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> AssociationRules:
        """From the values of `as_json`."""
        return cls(RuleData.from_json(values), read_bounds(values))


def read_bounds(values: Mapping[str, Any]) -> RuleBounds:
    """The bounds of rules in a model file."""
    length = int(integers({"length": [values.get("length")]}, "length")[0])
    both = numbers({"bounds": [values.get("support"), values.get("confidence")]}, "bounds")
    if length not in (1, 2) or not ((both >= 0.0) & (both <= 1.0)).all():
        raise RankwiseError(
            "rules in a model file must have a length of 1 or 2 and bounds from 0 to 1"
        )
    return RuleBounds(length, float(both[0]), float(both[1]))


def _lies_within(found: Integers, count: int) -> bool:
    return bool((found >= 0).all() and (found < count).all())


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
    def _errors(self) -> _RuleErrors:
        queries = np.repeat(np.arange(len(self.data.lengths)), self.data.lengths)
        foreign = queries[:, np.newaxis] != np.arange(len(self.data.lengths))
        truth = self.data.labels[self.data.grades][:, np.newaxis]
        squares = np.where(foreign, (self.estimates(self.data.codes) - truth) ** 2, 0.0)
        everywhere = squares.sum(axis=0) / np.maximum(foreign.sum(axis=0), 1)
        return _RuleErrors(squares, foreign, everywhere)

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


class _RuleErrors(NamedTuple):
    """(training documents, queries): squared errors, 0 for own documents, and who is foreign.

    `everywhere` is the mean of each query over all foreign documents.
    """

    squares: Floats
    foreign: NDArray[np.bool_]
    everywhere: Floats
