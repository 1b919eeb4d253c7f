"""Feature_NULL to Feature_MIN: what takes the place of NULL, by rule and by feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.blocks import Block, blocks
from rankwise.data.normalization.transforming import transformed
from rankwise.errors import RankwiseError

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
        for feature, fill in self.exceptions:
            fills[feature - 1] = _as_number(fill)
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
    return transformed(dataset, lambda block: _filled(block, constants))


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


def _filled(block: Block, constants: NDArray[np.float64]) -> NDArray[np.float64]:
    absent = np.isnan(block.values)
    if not absent.any():
        return block.values
    least = block.least()
    least[np.isnan(least)] = 0.0
    constants = block.per_query(constants)
    fills = np.where(np.isnan(constants), least, constants)
    return np.where(absent, block.on_rows(fills), block.values)
