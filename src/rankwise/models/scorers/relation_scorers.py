"""Scores follow relations between documents: they are evened out along them, or flow along them.

Smoothed scores of related documents come nearer to each other; Propagated scores, or features, flow
along a relation before documents are ranked. A RelationMatrix is a relation between documents as a
sparse matrix, and what flows or evens out along it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import Relation
from rankwise.data.normalization.scales import query_level_norm
from rankwise.errors import Advice, RankwiseError
from rankwise.models.scorers.scorer import (
    RelationalScorer,
    Scorer,
    nested_json,
    nested_scorer,
    read_count,
    read_name,
    read_number,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Floats = NDArray[np.float64]

MOST_NEIGHBOURS, STRONGEST = 10**6, 1e6
PREFERENCES = ("neither", "sources", "targets")


@dataclass(frozen=True, eq=False)
class Smoothed(RelationalScorer):
    """z = (I + β (D − S))^-1 (f(x) − p β/2 r), f another scorer; see `RelationMatrix.smooth`.

    r = `RelationMatrix.balance`; p is 1 where sources of the relation are preferred, −1 where
    targets are, 0 where neither.

    Attributes:
        within: f.
        relation: the name of the relation, or `all`.
        neighbours: how many related documents of each document count, the strongest; 0 is all.
        strength: β.
        prefer: which end of a relation should rank higher.
        normalized: whether f sees features scaled to [0, 1] within the query.
    """

    kind: ClassVar[str] = "smoothed"
    within: Scorer
    relation: str
    neighbours: int
    strength: float
    prefer: str = "neither"
    normalized: bool = False

    @property
    def n_features(self) -> int:
        """Those of f."""
        return self.within.n_features

    def score_dataset(self, dataset: Dataset) -> Floats:
        """The scores of f, evened out."""
        seen = query_level_norm(dataset.to_dense()) if self.normalized else dataset
        scores = self.within.score_dataset(seen)
        related = RelationMatrix.of(dataset, self.relation, self.neighbours, scores)
        lead = find_lead(related, self.strength, self.prefer)
        return related.smooth(scores if lead is None else scores + lead, self.strength)

    def importance(self) -> Floats:
        """That of f."""
        return self.within.importance()

    def as_json(self) -> dict[str, Any]:
        """f under `within`, and the numbers."""
        return {
            "within": nested_json(self.within),
            "relation": self.relation,
            "neighbours": self.neighbours,
            "strength": self.strength,
            "prefer": self.prefer,
            "normalized": self.normalized,
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Smoothed:
        """From the values of `as_json`."""
        prefer, normalized = values.get("prefer"), values.get("normalized")
        if prefer not in PREFERENCES or not isinstance(normalized, bool):
            raise RankwiseError(
                f"a model file must hold one of {', '.join(PREFERENCES)} under 'prefer' and true "
                "or false under 'normalized'"
            )
        return cls(
            nested_scorer(values, "within"),
            read_name(values, "relation"),
            read_count(values, "neighbours", MOST_NEIGHBOURS),
            read_number(values, "strength", STRONGEST),
            str(prefer),
            normalized,
        )


def find_lead(related: RelationMatrix, strength: float, prefer: str) -> Floats | None:
    """−p β/2 r, what each document has in advance; None where it is nothing."""
    if prefer == "neither":
        return None
    sign = 1.0 if prefer == "sources" else -1.0
    return -sign * strength / 2.0 * related.balance()


MOST_FLOW_NEIGHBOURS, MOST_STEPS, HIGHEST_RATE = 10**6, 1000, 0.99
SCORES, FEATURES = "scores", "features"


@dataclass(frozen=True)
class Flow:
    """How something flows along a relation; see `RelationMatrix.propagate`.

    Attributes:
        relation: the name of the relation, or `all`.
        neighbours: how many related documents of each document count, the strongest; 0 is all.
        rate: α, the share that comes from the related documents.
        steps: how often; 0 is until nothing changes.
    """

    relation: str
    neighbours: int
    rate: float
    steps: int

    def along(self, dataset: Dataset, values: Floats, keys: Floats) -> Floats:
        """The values after they have flowed; `keys` order the documents of a query."""
        related = RelationMatrix.of(dataset, self.relation, self.neighbours, keys)
        return related.propagate(values, self.rate, self.steps)

    def beside(self, dataset: Dataset) -> Dataset:
        """The data with every feature twice: as it is, and after it has flowed."""
        features = dataset.features
        flowed = self.along(dataset, features, features[:, 0])
        return dataset.with_features(np.hstack([features, flowed]))


@dataclass(frozen=True, eq=False)
class Propagated(RelationalScorer):
    """The scores of another scorer after they have flowed, or its scores of features that have.

    Attributes:
        within: the other scorer.
        flow: along what, and how far.
        what: `scores`, or `features`: the other scorer sees those as they are beside those that
            have flowed.
    """

    kind: ClassVar[str] = "propagated"
    within: Scorer
    flow: Flow
    what: str

    @property
    def n_features(self) -> int:
        """Those of the other scorer, or half of them."""
        return self.within.n_features // (2 if self.what == FEATURES else 1)

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row."""
        if self.what == FEATURES:
            return self.within.score_dataset(self.flow.beside(dataset.to_dense()))
        scores = self.within.score_dataset(dataset)
        return self.flow.along(dataset, scores, scores)

    def importance(self) -> Floats:
        """That of the other scorer; of a feature and the same after it has flowed together."""
        found = self.within.importance()
        width = self.n_features
        return found[:width] + found[width:] if self.what == FEATURES else found

    def as_json(self) -> dict[str, Any]:
        """The other scorer under `within`, and the numbers."""
        return {"within": nested_json(self.within), "what": self.what, **vars(self.flow)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Propagated:
        """From the values of `as_json`."""
        within, what = nested_scorer(values, "within"), values.get("what")
        if what not in (SCORES, FEATURES) or (what == FEATURES and within.n_features % 2):
            raise RankwiseError(
                "a model file must hold scores or features under 'what', and for features a scorer "
                "of an even number of them"
            )
        flow = Flow(
            read_name(values, "relation"),
            read_count(values, "neighbours", MOST_FLOW_NEIGHBOURS),
            read_number(values, "rate", HIGHEST_RATE),
            read_count(values, "steps", MOST_STEPS),
        )
        return cls(within, flow, str(what))


Numbers = NDArray[np.int64]

ALL = "all"
"""Stands for all relations of the data, added up."""
_NEAR, _MOST_STEPS = 1e-13, 5000


@dataclass(frozen=True, eq=False)
class RelationMatrix:
    """C: c_ij is how strongly document i is related to j; no document is related to itself.

    Rows are in the order `order` of the data set's, query by query, so that sums over related
    documents are the same to the bit wherever documents stand in the data.

    Attributes:
        matrix: (documents, documents), nonzero within queries only.
        order: the row of the data set that each row of the matrix is of.
        query_offsets: as in the data set.
    """

    matrix: csr_array[Any]
    order: Numbers
    query_offsets: Numbers

    @classmethod
    def of(
        cls, dataset: Dataset, name: str, neighbours: int, keys: Floats | None = None
    ) -> RelationMatrix:
        """The relation of a name, or `all`; of each document the strongest `neighbours`, 0 all.

        Documents of a query are ordered by `keys`, one a document; without them as they stand.
        """
        from scipy.sparse import coo_array

        held = dataset.relations if name == ALL else (dataset.relation(name),)
        if not held:
            raise RankwiseError(
                "the data must have relations between documents, found none",
                Advice("name the files that hold them: {}", "relations", "FILE"),
            )
        offsets = dataset.query_offsets
        order = _find_order(dataset, held, keys)
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        pairs = [_list_pairs(relation, offsets) for relation in held]
        sources, targets, weights = (np.concatenate(part) for part in zip(*pairs, strict=True))
        kept = sources != targets
        shape = (dataset.n_documents, dataset.n_documents)
        entries = (weights[kept], (places[sources[kept]], places[targets[kept]]))
        matrix = coo_array(entries, shape=shape).tocsr()
        matrix.sum_duplicates()
        return cls(_keep_strongest(matrix, neighbours), order, offsets)

    def propagate(self, values: Floats, rate: float, steps: int) -> Floats:
        """s = rate · W s + (1 − rate) s0, after `steps` rounds from s0 = values, or, with 0, ever.

        W = C with rows that sum to 1; a document that is related to none keeps its value. Every
        round brings s nearer to its limit (1 − rate) (I − rate W)^-1 s0 by the factor `rate`, so
        that the number of rounds depends on nothing else.
        """
        if rate == 0.0:
            return values
        start = values[self.order]
        rounds = steps or min(math.ceil(math.log(_NEAR) / math.log(rate)), _MOST_STEPS)
        walk, lonely = self._walk()
        own = np.where(_as_wide(lonely, start), start, (1.0 - rate) * start)
        found = start
        for _ in range(rounds):
            found = rate * (walk @ found) + own
        return self._put_back(found)

    def smooth(self, values: Floats, strength: float) -> Floats:
        """z = (I + strength (D − S))^-1 values, with S = (C + Cᵀ) / 2, D_ii = Σ_j S_ij.

        The minimum of ‖z − values‖² + strength / 2 Σ_ij S_ij (z_i − z_j)². By conjugate gradients,
        query by query, each until it has converged.
        """
        if strength == 0.0:
            return values
        right = values[self.order]
        columns = right if right.ndim == 2 else right[:, None]
        alike, degrees = self.alike()

        def times(vector: Floats) -> Floats:
            spread: Floats = vector + strength * (degrees[:, None] * vector - alike @ vector)
            return spread

        found = _conjugate_gradients(times, columns, self.query_offsets)
        return self._put_back(found if right.ndim == 2 else found[:, 0])

    def alike(self) -> tuple[csr_array[Any], Floats]:
        """S = (C + Cᵀ) / 2 and its row sums, in the order of the matrix."""
        alike = ((self.matrix + self.matrix.T) / 2.0).tocsr()
        alike.sum_duplicates()
        return alike, np.asarray(alike.sum(axis=1)).ravel()

    def balance(self) -> Floats:
        """For every row of the data set Σ_j c_ji − Σ_j c_ij: what points at it, less what it does.

        The r of Qin et al. (2008) where targets are to yield to sources.
        """
        inwards = np.asarray(self.matrix.sum(axis=0), np.float64).ravel()
        outwards = np.asarray(self.matrix.sum(axis=1), np.float64).ravel()
        return self._put_back(inwards - outwards)

    def _walk(self) -> tuple[csr_array[Any], NDArray[np.bool_]]:
        sums = np.asarray(self.matrix.sum(axis=1)).ravel()
        walk = self.matrix.copy()
        walk.data = walk.data / np.repeat(sums, np.diff(walk.indptr))
        return walk, sums == 0.0

    def _put_back(self, found: Floats) -> Floats:
        """Values by row of the matrix as values by row of the data set."""
        values = np.empty_like(found)
        values[self.order] = found
        return values


def _find_order(dataset: Dataset, held: tuple[Relation, ...], keys: Floats | None) -> Numbers:
    """Rows by query and key; documents of equal keys by the strongest of their relations."""
    if keys is None:
        return np.arange(dataset.n_documents, dtype=np.int64)
    strongest = np.zeros(dataset.n_documents)
    for relation in held:
        rows = np.repeat(np.arange(dataset.n_documents), np.diff(relation.offsets))
        np.maximum.at(strongest, rows, relation.weights)
    return np.lexsort((strongest, keys, dataset.query_of_rows)).astype(np.int64)


def refuse_negative(relation: Relation) -> None:
    """Refuse weights along which nothing can flow."""
    if np.any(relation.weights < 0):
        raise RankwiseError(
            f"the weights of relation {relation.name!r} must not be negative, found "
            f"{relation.weights.min():g}"
        )


def _list_pairs(relation: Relation, offsets: Numbers) -> tuple[Numbers, Numbers, Floats]:
    refuse_negative(relation)
    rows = np.repeat(np.arange(len(relation.offsets) - 1), np.diff(relation.offsets))
    held = relation.weights > 0
    return rows[held], relation.related_rows(offsets)[held], relation.weights[held]


def _keep_strongest(matrix: csr_array[Any], neighbours: int) -> csr_array[Any]:
    """Of each row the entries of largest weight, the first of equals."""
    if not neighbours or not matrix.nnz:
        return matrix
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    by_weight = np.lexsort((matrix.indices, -matrix.data, rows))
    rank = np.empty(matrix.nnz, np.int64)
    rank[by_weight] = np.arange(matrix.nnz) - matrix.indptr[rows[by_weight]]
    kept = rank < neighbours
    counts = np.bincount(rows[kept], minlength=matrix.shape[0])
    starts = np.append(0, np.cumsum(counts))
    return csr_array((matrix.data[kept], matrix.indices[kept], starts), shape=matrix.shape)


def _as_wide(column: NDArray[np.bool_], like: Floats) -> NDArray[np.bool_]:
    return column if like.ndim == 1 else column[:, None]


def _conjugate_gradients(times: Any, right: Floats, offsets: Numbers) -> Floats:
    """The solution of a positive definite system that is one of its own for each query and column.

    A query whose residual is small enough is left alone: no bit depends on the other queries.
    """
    starts, lengths = offsets[:-1], np.diff(offsets)

    def sums(one: Floats, other: Floats) -> Floats:
        return np.add.reduceat(one * other, starts, axis=0)

    found = right.copy()
    residual = right - times(found)
    direction = residual
    squared = sums(residual, residual)
    enough = _NEAR**2 * sums(right, right)
    for _ in range(_MOST_STEPS):
        going = squared > enough
        if not going.any():
            break
        moved = times(direction)
        curved = sums(direction, moved)
        step = np.where(going, squared, 0.0) / np.where(going & (curved > 0), curved, 1.0)
        along = np.repeat(step, lengths, axis=0)
        found = found + along * direction
        residual = residual - along * moved
        new = sums(residual, residual)
        ratio = np.where(going, new, 0.0) / np.where(going, squared, 1.0)
        direction = residual + np.repeat(ratio, lengths, axis=0) * direction
        squared = np.where(going, new, squared)
    return found
