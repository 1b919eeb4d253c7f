"""The scales of features: taken anew for each query, or fitted once; and what replaces NULL.

QueryLevelNorm, z-score and sum are taken anew for each query. In all of them NULL stays NULL and
takes no part in the figures of its query; `fill_null` comes first where a learner cannot do with
it. x is a feature's value in a document of the query.

Scales of another kind are fitted once, on the training part, and then applied to every part: one
fitted on all data would tell the learner about the queries it is tested on.

Feature_NULL becomes Feature_MIN by what takes the place of NULL, by rule and by feature. The steps
that several scales share are safe for values near the largest and smallest doubles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.blocks import (
    Block,
    Filling,
    blocks,
    fill,
    refuse_infinite,
    sparse_extremes,
    sparse_moments,
    transformed,
)
from rankwise.data.sparse_features import SparseFeatures, differs_from_zero
from rankwise.errors import RankwiseError


def query_level_norm(dataset: Dataset) -> Dataset:
    """QueryLevelNorm: (x − min) / (max − min) over the query, 0 where max = min.

    The paper gives no formula (Qin, Liu, Xu and Li 2010, section 3.5); this one reproduces the
    published files from Feature_MIN as printed, with six decimals. In place of the quotient's 0
    they have the bare character `0` where max = min, which is a matter of writing.
    """
    return transformed(dataset, _between_least_and_greatest)


def query_level_z_score(dataset: Dataset) -> Dataset:
    """(x − mean) / deviation over the query, with deviation² = Σ (x − mean)² / (n − 1).

    n − 1 as RankLib's `zscore`; where all values are equal RankLib leaves them as they are, here
    they become 0, as in all other scales.
    """
    return transformed(dataset, _z_scores)


def query_level_sum(dataset: Dataset) -> Dataset:
    """x / Σ |x| over the query, 0 where all values are 0; as RankLib's `sum`.

    Unlike the other scales it does not move a constant feature to 0, but to ±1 / n.
    """
    return transformed(dataset, _shares)


def _between_least_and_greatest(block: Block) -> NDArray[np.float64]:
    values = block.values
    least, greatest = _query_extremes(block)
    with np.errstate(over="ignore"):
        spread = greatest - least
    if np.isinf(spread).any():
        # The range exceeds the largest double, its half does not.
        values, least, spread = values / 2, least / 2, greatest / 2 - least / 2
    return _quotients(block, values - block.on_rows(least), spread)


def _z_scores(block: Block) -> NDArray[np.float64]:
    least, greatest = _query_extremes(block)
    unit = power_of_two(np.fmax(-least, greatest))
    least, greatest = least / unit, greatest / unit
    # The mean of values that differ by little has lost their digits; that of distances from the
    # least has not.
    distance = power_of_two(greatest - least)
    values = (block.values / block.on_rows(unit) - block.on_rows(least)) / block.on_rows(distance)
    absent = np.isnan(values)
    n = block.total((~absent).astype(np.float64))
    mean = block.total(np.where(absent, 0.0, values)) / np.maximum(n, 1.0)
    shifted = values - block.on_rows(mean)
    variance = block.total(np.square(np.where(absent, 0.0, shifted))) / np.maximum(n - 1.0, 1.0)
    return _quotients(block, shifted, np.sqrt(variance))


def _shares(block: Block) -> NDArray[np.float64]:
    least, greatest = _query_extremes(block)
    values = block.values / block.on_rows(power_of_two(np.fmax(-least, greatest)))
    total = block.total(np.where(np.isnan(values), 0.0, np.abs(values)))
    return _quotients(block, values, total)


def _query_extremes(block: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    least, greatest = block.least(), block.greatest()
    if np.isinf(least).any() or np.isinf(greatest).any():
        refuse_infinite(block)
    return least, greatest


def _quotients(
    block: Block, dividends: NDArray[np.float64], divisors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Dividends of rows by divisors of queries; a divisor of 0 has only dividends of 0."""
    dividends /= block.on_rows(np.where(divisors == 0, 1.0, divisors))
    return dividends


SCALING_KINDS = ("min-max", "z-score")


@dataclass(frozen=True, eq=False)
class Scaling:
    """x ↦ (x − center) / spread for each feature, with the figures of the training part.

    Where spread is 0, the feature was constant in training and becomes 0 everywhere. NULL stays
    NULL. Values of other parts may leave the range seen in training; they are not cut off.
    """

    kind: str
    center: NDArray[np.float64]
    spread: NDArray[np.float64]

    def apply(self, dataset: Dataset) -> Dataset:
        """The same rows, scaled."""
        if dataset.n_features != len(self.center):
            raise RankwiseError(
                f"the scaling was fitted on {len(self.center)} features and cannot be applied to "
                f"data with {dataset.n_features}"
            )
        if dataset.sparse is not None:
            return dataset.with_features(self._scaled_entries(dataset.sparse))
        return transformed(dataset, self._scaled)

    def _scaled_entries(self, sparse: SparseFeatures) -> SparseFeatures | NDArray[np.float64]:
        """The entries scaled, and every 0 of the features whose 0 is moved."""
        if np.isinf(sparse.values).any():
            raise RankwiseError("features must be finite or NULL to be scaled, found infinite ones")
        center, spread = self.center[sparse.columns], self.spread[sparse.columns]
        entries = sparse.with_values(standardized(sparse.values, center, spread))
        zeros = standardized(np.zeros(sparse.width), self.center, self.spread)
        moved = np.flatnonzero(differs_from_zero(zeros))
        first = np.zeros(len(moved), np.int64)
        return fill(entries, sparse, Filling(first, first + len(sparse), moved, zeros[moved]))

    def _scaled(self, block: Block) -> NDArray[np.float64]:
        refuse_infinite(block)
        return standardized(block.values, self.center, self.spread)


def fit_scaling(train: Dataset, kind: str) -> Scaling:
    """The scaling of a training part, NULL left out of its figures.

    `min-max`: center = min, spread = max − min. `z-score`: center = mean, spread² =
    Σ (x − mean)² / n, as scikit-learn's StandardScaler. A feature without any value has center
    and spread 0.
    """
    check_choice("a scaling", kind, SCALING_KINDS, verb="is")
    extremes = _training_extremes(train)
    center, spread = _min_max(extremes) if kind == "min-max" else _z_score(train, extremes)
    return Scaling(kind, _fixed(center), _fixed(spread))


class _TrainingExtremes(NamedTuple):
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]


def _training_extremes(train: Dataset) -> _TrainingExtremes:
    if train.sparse is not None:
        return _TrainingExtremes(*sparse_extremes(train.sparse))
    least = np.full(train.n_features, np.nan)
    greatest = np.full(train.n_features, np.nan)
    for block in blocks(train):
        refuse_infinite(block)
        least = np.fmin(least, np.fmin.reduce(block.values, axis=0))
        greatest = np.fmax(greatest, np.fmax.reduce(block.values, axis=0))
    return _TrainingExtremes(_zero_for_nan(least), _zero_for_nan(greatest))


def _min_max(extremes: _TrainingExtremes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with np.errstate(over="ignore"):
        spread = extremes.greatest - extremes.least
    if np.isinf(spread).any():
        feature = int(np.argmax(np.isinf(spread)))
        raise RankwiseError(
            f"the range of a feature must fit into a double, but feature {feature + 1} goes from "
            f"{extremes.least[feature]:g} to {extremes.greatest[feature]:g}"
        )
    return extremes.least, spread


def _z_score(
    train: Dataset, extremes: _TrainingExtremes
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    unit = power_of_two(np.maximum(np.abs(extremes.least), np.abs(extremes.greatest)))
    least = extremes.least / unit
    if train.sparse is not None:
        return sparse_moments(train.sparse, unit, least)
    n = np.zeros(train.n_features)
    total = np.zeros(train.n_features)
    for block in blocks(train):
        n += np.count_nonzero(~np.isnan(block.values), axis=0)
        # Distances from the least keep their digits where values differ by little.
        total += np.nansum(block.values / unit - least, axis=0)
    n = np.maximum(n, 1.0)
    mean = total / n
    squares = np.zeros(train.n_features)
    for block in blocks(train):
        squares += np.nansum(np.square(block.values / unit - least - mean), axis=0)
    return (least + mean) * unit, np.sqrt(squares / n) * unit


def _zero_for_nan(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(figures), 0.0, figures)


def _fixed(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    figures.flags.writeable = False
    return figures


Fill = float | Literal["minimum"]


@dataclass(frozen=True)
class FillRule:
    """What takes the place of NULL.

    Attributes:
        name: how the rule is written, as `parse_fill_rule` reads it.
        default: `"minimum"`, the smallest value that is not NULL of the same feature in the same
            query, or a number.
        exceptions: features, counted from 1, with a fill of their own.
        n_features: the number of features of the data the rule was found in, where it holds for
            no others.
    """

    name: str
    default: Fill = "minimum"
    exceptions: tuple[tuple[int, Fill], ...] = ()
    n_features: int | None = None

    def constants(self, n_features: int) -> NDArray[np.float64]:
        """The fill of each feature; NaN where it is the minimum of the query."""
        self._check(n_features)
        fills = np.full(n_features, _as_number(self.default))
        for feature, value in self.exceptions:
            fills[feature - 1] = _as_number(value)
        return fills

    def _check(self, n_features: int) -> None:
        if self.n_features not in (None, n_features):
            raise RankwiseError(
                f"the fill rule {self.name} is for data with {self.n_features} features, found "
                f"{n_features}; write a rule per feature instead, such as minimum,11=zero"
            )
        for feature, _ in self.exceptions:
            if not 1 <= feature <= n_features:
                raise RankwiseError(
                    f"the fill rule {self.name} names feature {feature}, but the features of "
                    f"these data are 1 to {n_features}"
                )


_OHSUMED_BM25_AND_ITS_LOGARITHM = (11, 12, 26, 27, 41, 42)

FILL_RULES = {
    rule.name: rule
    for rule in (
        FillRule("minimum"),
        FillRule(
            "letor3-files",
            exceptions=tuple((feature, 0.0) for feature in _OHSUMED_BM25_AND_ITS_LOGARITHM),
            n_features=45,
        ),
        FillRule("zero", default=0.0),
    )
}
"""The rules with a name: `minimum` is the paper's, `letor3-files` is what the published files do.

The paper fills every NULL with the query's minimum of the feature (Qin, Liu, Xu and Li 2010,
section 3.5). The published OHSUMED files do so for the language models only; BM25 and its
logarithm become 0 there, which for the logarithm can even lie above the minimum.
"""


def fill_null(dataset: Dataset, rule: FillRule | str = "minimum") -> Dataset:
    """Feature_MIN: every NULL replaced as `rule` says, everything else as it was.

    By the paper's rule a NULL of feature f in query q becomes min {x(d, f) : d in q, x not NULL}.
    A feature that is NULL in all documents of a query has no minimum there and becomes 0: it does
    not occur in LETOR's files, and a constant says nothing about the order of the documents.
    """
    chosen = parse_fill_rule(rule) if isinstance(rule, str) else rule
    constants = chosen.constants(dataset.n_features)
    if count_null(dataset) == 0:
        return dataset
    return transformed(dataset, lambda block: _fill_block(block, constants))


def count_null(dataset: Dataset) -> int:
    """How many values are NULL."""
    if dataset.sparse is not None:
        return int(np.count_nonzero(np.isnan(dataset.sparse.values)))
    return sum(int(np.count_nonzero(np.isnan(block.values))) for block in blocks(dataset))


def parse_fill_rule(text: str) -> FillRule:
    """A rule from its name, or from a rule per feature such as `minimum,11=zero,12=-1.5`.

    What stands first, a name or a number, holds for all features that are not named after it.
    """
    first, *rest = [item.strip() for item in text.split(",")]
    named = FILL_RULES.get(first)
    start = FillRule(text, _parse_fill(first, text)) if named is None else named
    if not rest:
        return start
    exceptions = dict(start.exceptions)
    exceptions.update(_parse_exception(item, text) for item in rest)
    return FillRule(text, start.default, tuple(sorted(exceptions.items())), start.n_features)


def _parse_exception(item: str, text: str) -> tuple[int, Fill]:
    feature, _, fill = item.partition("=")
    if not (feature.strip().isdecimal() and fill):
        raise RankwiseError(
            f"a fill rule names features as NUMBER=FILL, such as 11=zero, found {item!r} in "
            f"{text!r}"
        )
    return int(feature), _parse_fill(fill.strip(), text)


def _parse_fill(fill: str, text: str) -> Fill:
    if fill == "minimum":
        return "minimum"
    try:
        number = 0.0 if fill == "zero" else float(fill)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RankwiseError(
            f"a fill is one of {', '.join(FILL_RULES)} or a finite number, found {fill!r} in the "
            f"fill rule {text!r}"
        )
    return number


def _as_number(fill: Fill) -> float:
    return math.nan if fill == "minimum" else fill


def _fill_block(block: Block, constants: NDArray[np.float64]) -> NDArray[np.float64]:
    absent = np.isnan(block.values)
    if not absent.any():
        return block.values
    least = block.least()
    least[np.isnan(least)] = 0.0
    constants = block.per_query(constants)
    fills = np.where(np.isnan(constants), least, constants)
    return np.where(absent, block.on_rows(fills), block.values)


def standardized(
    values: NDArray[np.float64], center: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(values − center) / spread, and 0 where spread is 0; NULL stays NULL.

    A quotient beyond the largest double becomes the largest double.
    """
    with np.errstate(over="ignore"):
        shifted = values - center
        if np.isinf(shifted).any():
            shifted, spread = values / 2 - center / 2, spread / 2
        np.divide(shifted, spread, out=shifted, where=spread != 0)
    largest = np.finfo(np.float64).max
    np.clip(shifted, -largest, largest, out=shifted)
    np.copyto(shifted, 0.0, where=(spread == 0) & ~np.isnan(values))
    return shifted


def power_of_two(largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """The power of two p with p <= largest < 2 p; 1 where largest is 0 or NaN.

    Division by p is exact, so a scale that does not depend on the unit of its feature keeps its
    value to the bit, while sums and squares of the quotients neither overflow nor vanish.
    """
    exponent = np.frexp(largest)[1] - 1
    usual = np.isfinite(largest) & (largest > 0)
    return np.ldexp(1.0, np.where(usual, exponent, 0))
