"""Additive regression trees as flat arrays: f(x) = Σ_t v_t(x) / d.

An ExpectedLabel is the mean of the labels under probabilities that trees give. Sums of trees are
joined into one.

Splits by categories become splits by thresholds, which decide alike for every number. LightGBM cuts
off what follows the decimal point and looks the whole number up: category 0 is −1 < x < 1, category
c > 0 is c ≤ x < c + 1; all else, NULL too, goes right. Neighbouring categories are one interval.
Its ends are thresholds: x < c is x ≤ the number before c.

    {2, 3, 7}:   x < 2 right   x < 4 left   x < 7 right   x < 8 left   else right

These are searched by halves, so that a node of m intervals becomes 2m nodes, of which a document
meets 1 + log2(2m) at most. NULL goes to the last interval, which is never a category's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer, integers, matrix_of, numbers
from rankwise.native import DOUBLES, DOUBLES_OUT, INT32, INT64, INT64S, INT64S_OUT, function
from rankwise.processes import processors

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST_FEATURES = 2**31
_HIGHEST_CATEGORY = 2**31 - 2
# Below so many walks from root to leaf, starting threads costs more than it saves.
_WALKS_WORTH_A_THREAD = 2_000_000
# The room that trees.c takes for a node or a leaf.
_NODE_DOUBLES = 3

_pack_trees = function(
    "rankwise_pack_trees",
    *(INT64S, DOUBLES, INT64S, INT64S, INT64S, INT64S, INT64),
    *(INT64S, INT64, DOUBLES, INT64, INT64, DOUBLES_OUT, INT64S_OUT),
    returns=INT32,
)
_add_leaves = function(
    "rankwise_add_leaves",
    *(DOUBLES, INT64, INT64S, INT64S, INT64, INT32, DOUBLES, INT64, INT64, INT64, DOUBLES_OUT),
)


@dataclass(frozen=True, eq=False)
class Trees(Scorer):
    """f(x) = Σ_t v_t(x) / d, v_t(x) being the value of the leaf that x reaches in tree t.

    At inner node n the document goes left where x_j ≤ θ, j = columns[n] and θ = thresholds[n],
    otherwise right. What counts as missing goes where `missing_left` says, whatever θ: nothing at
    nodes with `missing` 0, which read NULL as 0; values within 1e-35 of 0, and NULL, at nodes
    with 1; NULL at nodes with 2. At nodes with categories the document goes left where x_j without
    what follows the decimal point is one of these, otherwise, and with NULL, right. These are
    LightGBM's rules, so that its predictions are repeated to the bit; trees are added in their
    order.

    The nodes of all trees lie in one list, as do the leaves. A child c ≥ 0 is node c, which comes
    after its parent; a child c < 0 is leaf −1 − c. Roots are written the same way.

    Attributes:
        columns: the feature of every inner node, from 0.
        thresholds: θ of every inner node.
        missing: 0, 1 or 2 at every inner node.
        missing_left: 1 where the missing go left, 0 where they go right.
        left: the child for x_j ≤ θ.
        right: the child for x_j > θ.
        gains: by how much the split of every inner node lowered the training objective.
        roots: one per tree.
        values: one per leaf.
        width: how many features a document must have.
        divisor: d; 1 for sums, the number of trees for averages.
        category_counts: how many categories every inner node has, 0 at those with a threshold;
            empty where no node has any.
        categories: of all nodes one after the other, ascending at each.
    """

    kind: ClassVar[str] = "trees"
    columns: Integers
    thresholds: Floats
    missing: Integers
    missing_left: Integers
    left: Integers
    right: Integers
    gains: Floats
    roots: Integers
    values: Floats
    width: int
    divisor: float = 1.0
    category_counts: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    categories: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.width

    @property
    def n_trees(self) -> int:
        """How many trees are added."""
        return len(self.roots)

    def score(self, features: Floats) -> Floats:
        """The sums of the leaves reached; large data are split by rows, which changes no bit."""
        if self.has_categories:
            return self.threshold_form.score(features)
        matrix = matrix_of(features, self.width)
        table, depths = self._packed
        zeros_missing = int(np.any(self.missing == 1))
        forest = (table, len(self.columns), depths, self.roots, self.n_trees, zeros_missing)
        total = np.zeros(len(matrix))
        shares = list(pairwise(_shares(len(matrix), self.n_trees)))

        def add(share: tuple[int, int]) -> None:
            _add_leaves(*forest, matrix, matrix.shape[1], *share, total)

        if len(shares) == 1:
            add(shares[0])
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(shares)) as threads:
                list(threads.map(add, shares))
        with np.errstate(over="ignore"):
            return total / self.divisor

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """As `score`, of the features that are asked for alone."""
        used, places = np.unique(self.columns, return_inverse=True)
        narrow = replace(self, columns=places.astype(np.int64), width=max(1, len(used)))
        chosen = sparse.take_columns(used).widened(narrow.width)
        return Scorer.score_sparse(narrow, chosen)

    @property
    def has_categories(self) -> bool:
        """Whether some node asks for categories."""
        return len(self.categories) > 0

    @cached_property
    def threshold_form(self) -> Trees:
        """The same function by thresholds alone.

        A node with categories becomes several, and what follows it has several parents then.
        """
        if not self.has_categories:
            return self
        _check_trees(self)
        return replace(self, **by_thresholds(self))

    def node_categories(self) -> list[list[int]]:
        """The categories of every inner node; none at those with a threshold."""
        if not self.has_categories:
            return [[] for _ in self.columns]
        ends = np.cumsum(self.category_counts)[:-1]
        return [one.tolist() for one in np.split(self.categories, ends)]

    @cached_property
    def _packed(self) -> tuple[Floats, Integers]:
        """The nodes and leaves as trees.c walks through them, and the depth below every node."""
        _check_trees(self)
        table = np.empty((len(self.columns) + len(self.values)) * _NODE_DOUBLES)
        depths = np.empty(len(self.columns), dtype=np.int64)
        nodes = (self.columns, self.thresholds, self.missing, self.missing_left)
        inner = (*nodes, self.left, self.right, len(self.columns))
        ends = (self.roots, self.n_trees, self.values, len(self.values), self.width)
        if _pack_trees(*inner, *ends, table, depths) != 0:
            raise RankwiseError("trees must have less than 2,147,483,648 nodes and leaves")
        return table, depths

    def importance(self) -> Floats:
        """The gains of all splits on each feature, added."""
        importance = np.zeros(self.width)
        np.add.at(importance, self.columns, self.gains)
        return importance

    def as_json(self) -> dict[str, Any]:
        """The attributes by name, `features` for the width; categories where there are some."""
        names = (*_INTEGERS, *_NUMBERS, *(_CATEGORIES if self.has_categories else ()))
        return {
            "features": self.width,
            "divisor": self.divisor,
            **{name: getattr(self, name).tolist() for name in names},
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Trees:
        """From the values of `as_json`; every child must exist and come after its parent."""
        width = integers({"features": [values.get("features")]}, "features")[0]
        divisor = numbers({"divisor": [values.get("divisor", 1.0)]}, "divisor")[0]
        arrays: dict[str, Any] = {name: integers(values, name) for name in _INTEGERS}
        arrays |= {name: numbers(values, name) for name in _NUMBERS}
        arrays |= {name: integers(values, name) for name in _CATEGORIES if name in values}
        found = cls(**arrays, width=int(width), divisor=float(divisor))
        _check_trees(found)
        return found


_INTEGERS = ("roots", "columns", "missing", "missing_left", "left", "right")
_NUMBERS = ("thresholds", "gains", "values")
_CATEGORIES = ("category_counts", "categories")


def _shares(rows: int, trees: int) -> list[int]:
    """Where the rows of one thread end and those of the next begin."""
    threads = min(processors(), 1 + rows * trees // _WALKS_WORTH_A_THREAD)
    return [rows * number // threads for number in range(threads + 1)]


def _check_trees(trees: Trees) -> None:
    """Refuse arrays that scoring could not walk through."""
    inner = len(trees.columns)
    arrays = ("thresholds", "missing", "missing_left", "left", "right", "gains")
    if any(len(getattr(trees, name)) != inner for name in arrays):
        raise RankwiseError(
            f"the trees of a model file must have as many {', '.join(arrays)} as columns, "
            f"{inner}, found others"
        )
    if not 1 <= trees.width < _MOST_FEATURES:
        raise RankwiseError(f"a model file must have at least one feature, found {trees.width}")
    if trees.divisor <= 0.0:
        raise RankwiseError(f"the divisor of trees must be above 0, found {trees.divisor}")
    _check_between(trees.columns, "columns", 0, trees.width - 1)
    _check_between(trees.missing, "missing", 0, 2)
    _check_between(trees.missing_left, "missing_left", 0, 1)
    for name in ("roots", "left", "right"):
        _check_between(getattr(trees, name), name, -len(trees.values), inner - 1)
    for name in ("left", "right"):
        children = getattr(trees, name)
        if np.any((children >= 0) & (children <= np.arange(inner))):
            raise RankwiseError(
                f"the nodes of trees in a model file must come after their parents, found {name} "
                "children that do not"
            )
    _check_categories(trees)


def _check_categories(trees: Trees) -> None:
    counts, categories = trees.category_counts, trees.categories
    if len(counts) == len(categories) == 0:
        return
    _check_between(counts, "category_counts", 0, len(categories))
    _check_between(categories, "categories", 0, _HIGHEST_CATEGORY)
    if len(counts) != len(trees.columns) or int(counts.sum()) != len(categories):
        raise RankwiseError(
            "the trees of a model file must have category_counts for each of their columns, "
            f"{len(trees.columns)}, which add up to the number of categories, {len(categories)}, "
            f"found {len(counts)} that add up to {int(counts.sum())}"
        )
    begins = np.cumsum(counts)[:-1]
    follows = np.diff(categories) <= 0
    follows[begins[(begins > 0) & (begins < len(categories))] - 1] = False
    if follows.any():
        raise RankwiseError("the categories of a node of trees in a model file must ascend")


def _check_between(found: Integers, name: str, lowest: int, highest: int) -> None:
    if len(found) and not (lowest <= found.min() and found.max() <= highest):
        raise RankwiseError(
            f"the {name} of trees in a model file must lie between {lowest} and {highest}, "
            f"found {found.min()} to {found.max()}"
        )


@dataclass(frozen=True, eq=False)
class ExpectedLabel(Scorer):
    """f(x) = Σ_k l_k p_k(x), p_k(x) = exp(F_k(x)) / Σ_m exp(F_m(x)), F_k a sum of trees.

    Attributes:
        labels: l_k of every class.
        classes: F_k of every class.
    """

    kind: ClassVar[str] = "expected-label"
    labels: Floats
    classes: tuple[Trees, ...]

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.classes[0].width

    def score(self, features: Floats) -> Floats:
        """The expected labels."""
        sums = [trees.score(features) for trees in self.classes]
        return expected_labels(self.labels, softmax_of(sums))

    def importance(self) -> Floats:
        """The gains of all splits on each feature, added over classes."""
        gains = np.zeros(self.n_features)
        for trees in self.classes:
            gains += trees.importance()
        return gains

    def as_json(self) -> dict[str, Any]:
        """`labels`, and the trees of every class."""
        classes = [trees.as_json() for trees in self.classes]
        return {"labels": self.labels.tolist(), "classes": classes}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ExpectedLabel:
        """From the values of `as_json`; one label per class, all classes of one width."""
        labels, classes = numbers(values, "labels"), values.get("classes")
        known = isinstance(classes, list) and all(isinstance(one, dict) for one in classes)
        if not known or not classes or len(classes) != len(labels):
            raise RankwiseError(
                f"a model file must have the trees of as many classes as it has labels, "
                f"{len(labels)}, at least one, found others"
            )
        trees = tuple(Trees.from_json(one) for one in classes)
        if len({one.width for one in trees}) != 1:
            raise RankwiseError("the classes of a model file must have equally many features")
        return cls(labels, trees)


def softmax_of(sums: list[Floats]) -> list[Floats]:
    """p_k of every document, class by class, each sum in the order of the classes."""
    highest = np.maximum.reduce(sums)
    # Leaves of a file may add up to infinities, which have no probabilities.
    with np.errstate(invalid="ignore"):
        masses = [np.exp(one - highest) for one in sums]
        total = np.add.reduce(masses)
        return [mass / total for mass in masses]


def expected_labels(labels: Floats, chances: list[Floats]) -> Floats:
    """Σ_k l_k p_k of every document."""
    total = np.zeros(len(chances[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for label, chance in zip(labels, chances, strict=True):
            total += label * chance
    return total


def average_trees(forests: Sequence[Trees]) -> Trees:
    """The mean of sums of trees as one sum of trees; each must be a sum, with divisor 1."""
    return join_trees(forests, float(len(forests)))


def join_trees(forests: Sequence[Trees], divisor: float = 1.0) -> Trees:
    """All trees of some sums one after the other, their sum divided by `divisor`."""
    if any(one.divisor != 1.0 for one in forests):
        raise ValueError("only sums of trees can be averaged by joining them")
    nodes = np.cumsum([0, *(len(one.columns) for one in forests)])
    leaves = np.cumsum([0, *(len(one.values) for one in forests)])

    def placed(name: str) -> Any:
        """Children counted from the first node or leaf of all forests."""
        children = [getattr(one, name) for one in forests]
        moved = [
            np.where(one >= 0, one + node, one - leaf)
            for one, node, leaf in zip(children, nodes, leaves, strict=False)
        ]
        return np.concatenate(moved)

    def beside(name: str) -> Any:
        return np.concatenate([getattr(one, name) for one in forests])

    return Trees(
        columns=beside("columns"),
        thresholds=beside("thresholds"),
        missing=beside("missing"),
        missing_left=beside("missing_left"),
        left=placed("left"),
        right=placed("right"),
        gains=beside("gains"),
        roots=placed("roots"),
        values=beside("values"),
        width=forests[0].width,
        divisor=divisor,
        **_joined_categories(forests),
    )


def _joined_categories(forests: Sequence[Trees]) -> dict[str, Any]:
    """Those of all nodes, where some forest has any."""
    if not any(one.has_categories for one in forests):
        return {}
    counts = [
        one.category_counts if one.has_categories else np.zeros(len(one.columns), dtype=np.int64)
        for one in forests
    ]
    return {
        "category_counts": np.concatenate(counts),
        "categories": np.concatenate([one.categories for one in forests]),
    }


_NULL_BY_SIDE = 2


def by_thresholds(trees: Trees) -> dict[str, Any]:
    """The attributes of trees in which every node with categories is a search among thresholds.

    Children still come after their parents; those of such a node have several.
    """
    ends = [interval_ends(categories) for categories in trees.node_categories()]
    sizes = np.array([max(1, len(own)) for own in ends], dtype=np.int64)
    places = np.cumsum(sizes) - sizes

    def placed(children: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(children >= 0, places[np.maximum(children, 0)], children)

    left, right = placed(trees.left), placed(trees.right)
    found: dict[str, Any] = {
        name: np.repeat(getattr(trees, name), sizes)
        for name in ("columns", "thresholds", "missing", "missing_left")
    }
    found |= {"left": np.repeat(left, sizes), "right": np.repeat(right, sizes)}
    for node, own in enumerate(ends):
        if own:
            search = _IntervalSearch(
                own, int(places[node]), int(left[node]), int(right[node]), found
            )
            search.add(0, len(own))
    gains = np.zeros(int(sizes.sum()))
    gains[places] = trees.gains
    none = np.zeros(0, dtype=np.int64)
    return {**found, "gains": gains, "roots": placed(trees.roots), "category_counts": none,
            "categories": none}  # fmt: skip


def interval_ends(categories: Sequence[int]) -> list[float]:
    """Thresholds between which x is, in turns, of no category and of one, the first of none."""
    found: list[float] = []
    for category in categories:
        begin = -1.0 if category == 0 else _number_before(category)
        if found and found[-1] == begin:
            found.pop()
        else:
            found.append(begin)
        found.append(_number_before(category + 1))
    return found


def _number_before(number: int) -> float:
    return float(np.nextafter(float(number), -np.inf))


class _IntervalSearch:
    """Writes the nodes of one split, from `place` on, each before those below it."""

    def __init__(
        self, ends: list[float], place: int, left: int, right: int, arrays: dict[str, Any]
    ) -> None:
        self.ends = ends
        self.next = place
        self.sides = (right, left)
        self.arrays = arrays

    def add(self, first: int, last: int) -> int:
        """The search among ends first .. last − 1; without one, what its interval leads to."""
        if first == last:
            return self.sides[first % 2]
        middle = (first + last) // 2
        place = self.next
        self.next += 1
        self.arrays["thresholds"][place] = self.ends[middle]
        self.arrays["missing"][place] = _NULL_BY_SIDE
        self.arrays["missing_left"][place] = 0
        self.arrays["left"][place] = self.add(first, middle)
        self.arrays["right"][place] = self.add(middle + 1, last)
        return place
