"""A scorer is what a model computes: it gives scores for features, and itself as plain JSON values.

Most score a document by itself; a ListScorer sees the documents of a query together, so that a
score depends on the whole list, and a RelationalScorer needs relations between documents. SCORERS
names every kind that a model file may hold; a kind is imported when it is asked for. Model files
may be hostile: their values are checked before they become arrays, also those of scorers within
scorers and matrices of hidden units (units by features).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.feature_matrix import FileFeatures
from rankwise.data.sparse_features import SparseFeatures, refuse_dense
from rankwise.errors import RankwiseError
from rankwise.registry import Registry


class Scorer(ABC):
    """A function from feature vectors to scores that can be written down and read back.

    `kind` names the form in model files; `from_json(as_json())` gives the same scores to the bit.

    Most see one row at a time. Those that see the other documents of a query, or its classes or
    relations, say so by `row_by_row` and override `score_dataset`; see `ListScorer`. Those that
    cannot do without relations say so by `needs_relations`.
    """

    kind: ClassVar[str]
    needs_relations: ClassVar[bool] = False

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many features a document must have."""

    @property
    def row_by_row(self) -> bool:
        """Whether a score depends on its own row alone, whatever stands beside it."""
        return True

    @abstractmethod
    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per row; where it is not `row_by_row`, the rows are the list of one query."""

    def score_dataset(self, dataset: Dataset) -> NDArray[np.float64]:
        """One score per row of a data set; here a score depends on its row alone."""
        if dataset.sparse is not None:
            return self.score_sparse(dataset.sparse)
        if dataset.in_file is not None:
            return self._score_file(dataset.in_file)
        return self.score(dataset.features)

    def _score_file(self, features: FileFeatures) -> NDArray[np.float64]:
        """One score per row in a file, some rows at a time."""
        scores = np.empty(len(features))
        for rows, values in features.blocks():
            scores[rows] = self.score(values)
        return scores

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """One score per sparse row, with the same bits; here some rows at a time as an array."""
        scores = np.empty(len(sparse))
        for rows, features in sparse.dense_blocks():
            scores[rows] = self.score(features)
        return scores

    @abstractmethod
    def importance(self) -> NDArray[np.float64]:
        """How much each feature counts (weights for linear functions): for charts."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Plain values: numbers, texts, lists."""

    @classmethod
    @abstractmethod
    def from_json(cls, values: dict[str, Any]) -> Scorer:
        """The inverse of `as_json`; a RankwiseError where the values do not fit."""


def matrix_of(features: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The features row by row in memory, at least `width` of them: what compiled code may read."""
    matrix = np.ascontiguousarray(features, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < width:
        raise RankwiseError(
            f"the features must be a matrix of {width} columns, found shape {matrix.shape}"
        )
    return matrix


Floats = NDArray[np.float64]

# What stays in a processor's cache while unit after unit is added.
_PAIRS_AT_ONCE = 2**16
_FEWEST_PROBES = 256
_PROBES_A_FEATURE = 4


class ListScorer(Scorer):
    """A function of all documents of a query, whose order in the data tells it nothing.

    A list is sorted by its values before it is scored, and equal documents share one score, so that
    no order of the same documents changes a bit, although sums over them round.
    """

    @property
    def row_by_row(self) -> bool:
        """A score depends on the other documents of the query."""
        return False

    def score(self, features: Floats) -> Floats:
        """One score per row; the rows are the list of one query."""
        # Adding 0 makes one zero of 0 and −0, whose bytes differ.
        rows = np.ascontiguousarray(
            matrix_of(features, self.n_features)[:, : self.n_features] + 0.0
        )
        if not len(rows):
            return np.zeros(0)
        texts = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, number = np.unique(texts, return_inverse=True)
        order = np.argsort(number, kind="stable")
        first = np.searchsorted(number[order], number)
        with np.errstate(over="ignore", invalid="ignore"):
            found: Floats = self._score_list(rows[order])[first]
        return found

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row of a data set, query by query."""
        lists = [self.score(query.features) for query in dataset.queries()]
        return np.concatenate([np.zeros(0), *lists])

    def score_sparse(self, sparse: SparseFeatures) -> Floats:
        """One score per sparse row; the rows are the list of one query."""
        refuse_dense(sparse)
        return self.score(sparse.to_dense())

    @abstractmethod
    def _score_list(self, rows: Floats) -> Floats:
        """One score per row of a list in a fixed order, at least one row."""


def list_blocks(documents: int) -> Iterator[slice]:
    """The documents of a list, so many at a time as may meet all others in one array."""
    step = max(1, _PAIRS_AT_ONCE // documents)
    return (slice(first, first + step) for first in range(0, documents, step))


def find_slopes(scorer: ListScorer, means: Floats, scales: Floats) -> Floats:
    """How far the score rises with each feature, within one made-up list: Σ z_ij s_i / Σ z_ij².

    The list has random documents x_ij = mean_j + scale_j z_ij, z_ij normal and independent, the
    same for every model of as many features. What rises and falls again may count as nothing.
    """
    count = max(_FEWEST_PROBES, _PROBES_A_FEATURE * len(means))
    drawn = np.random.default_rng(0).normal(size=(count, len(means)))
    drawn -= drawn.mean(axis=0)
    scores = scorer.score(means + scales * drawn)
    slopes: Floats = (scores - scores.mean()) @ drawn / np.square(drawn).sum(axis=0)
    return slopes


_LONGEST_NAME = 1000


class RelationalScorer(Scorer):
    """A function of a data set with relations; rows alone are refused."""

    needs_relations: ClassVar[bool] = True

    @property
    def row_by_row(self) -> bool:
        """A score depends on the related documents of the query."""
        return False

    def score(self, features: NDArray[np.float64]) -> NoReturn:
        """Refused: rows say nothing of relations."""
        raise RankwiseError(
            "the model scores documents by how they are related and needs a data set with "
            "relations, found rows alone"
        )

    def score_sparse(self, sparse: SparseFeatures) -> NoReturn:
        """Refused as well."""
        self.score(np.empty((0, 0)))


def read_name(values: Mapping[str, Any], key: str) -> str:
    """The short text under `key`."""
    found = values.get(key)
    if not isinstance(found, str) or len(found) > _LONGEST_NAME:
        raise RankwiseError(f"a model file must hold a short text under {key!r}, found none")
    return found


def read_number(values: Mapping[str, Any], key: str, highest: float) -> float:
    """The number under `key`, from 0 up to `highest`."""
    found = values.get(key)
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if not number or not 0 <= float(str(found)) <= highest:
        raise RankwiseError(
            f"a model file must hold a number from 0 to {highest:g} under {key!r}, found none"
        )
    return float(str(found))


def read_count(values: Mapping[str, Any], key: str, highest: int) -> int:
    """The whole number under `key`, from 0 up to `highest`."""
    found = values.get(key)
    if type(found) is not int or not 0 <= found <= highest:
        raise RankwiseError(
            f"a model file must hold a whole number from 0 to {highest} under {key!r}, found none"
        )
    return found


SCORERS: Registry[type[Scorer]] = Registry(
    "scorer of a model",
    {
        "linear": "rankwise.models.scorers.linear:Linear",
        "trees": "rankwise.models.scorers.trees:Trees",
        "stumps": "rankwise.models.scorers.stumps:Stumps",
        "network": "rankwise.models.scorers.networks:Network",
        "attention": "rankwise.models.scorers.attention:Attention",
        "comparator": "rankwise.models.scorers.networks:Comparator",
        "pair-potentials": "rankwise.models.scorers.networks:PairPotentials",
        "expected-label": "rankwise.models.scorers.trees:ExpectedLabel",
        "expression": "rankwise.models.scorers.expression:Expression",
        "nearest-queries": "rankwise.models.scorers.by_query:NearestQueries",
        "class-models": "rankwise.models.scorers.by_query:ClassModels",
        "association-rules": "rankwise.models.scorers.rules:AssociationRules",
        "query-rules": "rankwise.models.scorers.rules:QueryRules",
        "projected-boosting": "rankwise.rankers.boosting.transductive:ProjectedBoosting",
        "smoothed": "rankwise.models.scorers.relation_scorers:Smoothed",
        "propagated": "rankwise.models.scorers.relation_scorers:Propagated",
    },
)


def scorer_kinds() -> tuple[str, ...]:
    """All kinds that a model file may hold."""
    return tuple(SCORERS)


def find_scorer(kind: str) -> type[Scorer]:
    """The class of a kind; only kinds of the list above are ever imported."""
    if kind not in SCORERS:
        raise RankwiseError(
            f"the scorer of a model must be one of {', '.join(SCORERS)}, found {kind[:80]!r}"
        )
    return SCORERS[kind]


def nested_json(scorer: Scorer) -> dict[str, Any]:
    """A scorer with its kind, as plain values."""
    return {"kind": scorer.kind, **scorer.as_json()}


def nested_scorer(values: Mapping[str, Any], key: str) -> Scorer:
    """The scorer under `key`; a RankwiseError where there is none."""
    return read_nested(values.get(key), f"under {key!r}")


def read_nested(found: object, where: str) -> Scorer:
    """The scorer that values of `nested_json` describe; `where` is for messages."""
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(kind, str):
        raise RankwiseError(f"a model file must hold a scorer with a kind {where}, found none")
    try:
        return find_scorer(kind).from_json(found)
    except RecursionError as error:
        raise RankwiseError("its scorers are nested too deeply") from error


def numbers(values: Mapping[str, Any], key: str) -> NDArray[np.float64]:
    """The list of finite numbers under `key`."""
    found = values.get(key)
    if not isinstance(found, list) or not all(_is_number(item) for item in found):
        raise RankwiseError(f"a model file must hold a list of numbers under {key!r}, found none")
    try:
        array = np.array(found, dtype=np.float64)
    except OverflowError:
        array = np.array([np.inf])
    if not np.isfinite(array).all():
        raise RankwiseError(f"the numbers under {key!r} in a model file must be finite")
    return array


def integers(values: Mapping[str, Any], key: str) -> NDArray[np.int64]:
    """The list of whole numbers under `key`."""
    found = values.get(key)
    if not isinstance(found, list) or not all(type(item) is int for item in found):
        raise RankwiseError(f"a model file must hold a list of whole numbers under {key!r}")
    if any(abs(item) >= 2**62 for item in found):
        raise RankwiseError(f"the whole numbers under {key!r} in a model file are too large")
    return np.array(found, dtype=np.int64)


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)


def read_units(
    values: Mapping[str, Any], names: tuple[str, ...], matrices: tuple[str, ...]
) -> dict[str, Floats]:
    """Lists of numbers by name; `matrices` become rows of as many numbers as there are `means`."""
    found = {name: numbers(values, name) for name in names}
    width = len(found["means"])
    for name in matrices:
        if not width or len(found[name]) % width:
            raise RankwiseError(
                f"the {name} of a model file must be rows of one number per feature ({width}), "
                f"found {len(found[name])} numbers"
            )
        found[name] = found[name].reshape(-1, width)
    return found


def check_units(what: str, matrix: Floats, weights: Floats, means: Floats, scales: Floats) -> None:
    """Refuse a matrix that has not a row a weight and a column a feature, or scales of 0."""
    if not len(means) or matrix.shape != (len(weights), len(means)) or not len(weights):
        raise RankwiseError(
            f"{what} must have a row of weights for each of its units ({len(weights)}) and a "
            f"column for each of its features ({len(means)}), found shape {matrix.shape}"
        )
    if scales.shape != means.shape or not np.all(scales > 0.0):
        raise RankwiseError(f"{what} must have a scale above 0 for each feature, found others")
