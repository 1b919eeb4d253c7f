"""Propensities: how likely each position is examined, against the first one.

`estimate_propensities` takes them from a log by one of the methods of `propensity_methods`, with
errors by resampling queries. `weigh` says how many clicks decide where each has a weight.
"""

from __future__ import annotations

import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import EarlyRemark, FormatError, RankwiseError
from rankwise.feedback.log import ClickLog, DisplayCounts
from rankwise.feedback.log_files import read_log
from rankwise.files import readable, write_text
from rankwise.registry import Registry
from rankwise.tables.notebook import Rows, Tabular

PROPENSITY_METHODS: Registry[type[PropensityMethod]] = Registry(
    "method of propensities",
    {
        "randomization": "rankwise.feedback.propensity_methods:Randomization",
        "harvesting": "rankwise.feedback.propensity_methods:Harvesting",
        "em": "rankwise.feedback.propensity_methods:ExpectationMaximization",
        "regression-em": "rankwise.feedback.propensity_methods:RegressionEM",
    },
)


def find_propensity_method(name: str) -> PropensityMethod:
    """The method of a registered name; a misspelt one suggests the nearest."""
    return PROPENSITY_METHODS[name]()


def estimate_propensities(
    log: ClickLog | str | Path, method: str = "em", *, resamples: int = 20, seed: int = 0
) -> Propensities:
    """How likely each position of a log is examined, against the first.

    Args:
        log: a log, or the file of one.
        method: one of `PROPENSITY_METHODS`.
        resamples: draws of the queries from which standard errors come.
        seed: of these draws.
    """
    found = log if isinstance(log, ClickLog) else read_log(log)
    found.check_contrast()
    return find_propensity_method(method).apply(found, resamples=resamples, seed=seed)


Floats = NDArray[np.float64]
# No log is long enough to tell a smaller propensity from none.
LEAST_CHANCE = 1e-12
_LARGEST_FILE = 1 << 24
_ROUNDING = 1e-9
_SURE_DEVIATIONS = 3.0


@dataclass(frozen=True)
class Propensities(Tabular):
    """θ_k / θ_1 for the positions k = 1, 2, …

    Only ratios can be known from clicks: relevance and examination are multiplied in each.

    Attributes:
        values: one a position, the first being 1. A warning says where another is above it by more
            than three standard errors.
        errors: their standard errors; 0 where they are known and not estimated.
        method: how they were found.
        sessions: of the log.
        remarks: what a reader must know about them.
    """

    values: tuple[float, ...]
    errors: tuple[float, ...] = ()
    method: str = "known"
    sessions: int = 0
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.values:
            raise RankwiseError("propensities must be numbers, one a position, found none")
        for position, value in enumerate(self.values, 1):
            if not LEAST_CHANCE <= value < np.inf:
                raise RankwiseError(
                    f"propensities must be numbers from {LEAST_CHANCE:g} up, one a position, found "
                    f"{value:g} at position {position}"
                )
        if abs(self.values[0] - 1.0) > _ROUNDING:
            raise RankwiseError(
                "propensities are taken against the first position, whose own must be 1, found "
                f"{self.values[0]:g}; divide all of them by it"
            )
        if not self.errors:
            object.__setattr__(self, "errors", (0.0,) * len(self.values))
        if len(self.errors) != len(self.values):
            raise RankwiseError(
                f"propensities must have one error each, found {len(self.values)} of them and "
                f"{len(self.errors)} errors"
            )
        self._warn_of_order()

    def _warn_of_order(self) -> None:
        """Say where a position is examined more than the first, by more than its errors allow."""
        sure = np.array(self.values) - _SURE_DEVIATIONS * np.nan_to_num(self.errors)
        position = int(np.argmax(sure))
        if sure[position] > 1.0:
            warnings.warn(
                EarlyRemark(
                    f"position {position + 1} has the propensity {self.values[position]:g}: users "
                    "examine it more than the first, and a click there counts less"
                ),
                stacklevel=4,
            )

    def at(self, positions: NDArray[np.int64]) -> Floats:
        """The propensity of each position, counted from 1."""
        deepest = int(positions.max(initial=1))
        if deepest > len(self.values):
            raise RankwiseError(
                f"there must be a propensity for every position that was shown, found {deepest} "
                f"and propensities for {len(self.values)}"
            )
        return np.array(self.values)[positions - 1]

    def save(self, path: str | Path) -> None:
        """Write them as JSON."""
        write_text(path, json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Propensities:
        """Read what `save` wrote."""
        with readable(path) as stream:
            text = stream.read(_LARGEST_FILE)
        try:
            return cls._of(json.loads(text))
        except RankwiseError as error:
            raise FormatError(error.message, path) from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FormatError(
                "propensities must be a JSON object with values, one a position, as 'rankwise "
                "clicks propensities -o' writes it",
                path,
            ) from error

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Propensities:
        return cls(
            tuple(float(one) for one in found["values"]),
            tuple(float(one) for one in found.get("errors", ())),
            str(found.get("method", "known")),
            int(found.get("sessions", 0)),
            tuple(str(one) for one in found.get("remarks", ())),
        )

    def _table(self) -> Rows:
        rows = zip(range(1, len(self.values) + 1), self.values, self.errors, strict=True)
        return ("position", "propensity", "standard error"), list(rows)


def flat_propensities(positions: int) -> Propensities:
    """1 for every position: what it means not to correct."""
    return Propensities((1.0,) * positions, method="none")


def power_propensities(positions: int, severity: float) -> Propensities:
    """(1 / k)^η, as the position-based user of that severity has them."""
    ranks = np.arange(1.0, positions + 1.0)
    return Propensities(tuple((ranks**-severity).tolist()), method=f"(1/k)^{severity:g}")


def against_first(values: Sequence[float] | Floats) -> Floats:
    """All values divided by that of the first position."""
    found: Floats = np.asarray(values, dtype=np.float64)
    against: Floats = found / found[0]
    return against


class PropensityMethod(ABC):
    """A way from displays and clicks by document and position to propensities."""

    name: ClassVar[str]
    paper: ClassVar[str]

    def check(self, counts: DisplayCounts, deepest: int) -> None:  # noqa: B027
        """Refuse a log from which the method cannot tell anything; here none."""

    @abstractmethod
    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """Propensities up to a factor."""

    def of_dataset(self, dataset: Dataset) -> PropensityMethod:
        """The method for documents of this data set."""
        return self

    def apply(self, log: ClickLog, *, resamples: int, seed: int) -> Propensities:
        """The estimate, with errors from drawing the queries again, each with its sessions."""
        counts, deepest = log.count_displays(), log.deepest
        method = self.of_dataset(log.dataset)
        method.check(counts, deepest)
        values = against_first(method.estimate(counts, deepest))
        return Propensities(
            tuple(np.maximum(values, LEAST_CHANCE).tolist()),
            tuple(_resample_queries(method, log, counts, deepest, resamples, seed).tolist()),
            self.name,
            log.n_sessions,
        )


def _resample_queries(
    method: PropensityMethod,
    log: ClickLog,
    counts: DisplayCounts,
    deepest: int,
    resamples: int,
    seed: int,
) -> Floats:
    """The deviation of the estimate over resamples; NaN where there are fewer than two."""
    queries = log.dataset.query_of_rows[counts.rows]
    known = np.unique(queries)
    rng = np.random.default_rng([seed, 3])
    found = []
    for _ in range(resamples):
        drawn = np.bincount(rng.choice(known, len(known)), minlength=log.dataset.n_queries).astype(
            np.float64
        )
        weights = drawn[queries]
        kept = weights > 0.0
        weighted = replace(
            counts,
            rows=counts.rows[kept],
            positions=counts.positions[kept],
            shown=(counts.shown * weights)[kept],
            clicks=(counts.clicks * weights)[kept],
        )
        found.append(against_first(method.estimate(weighted, deepest)))
    return np.std(found, axis=0, ddof=1) if len(found) > 1 else np.full(deepest, np.nan)


# Weights explode where the clicks are worth a smaller share of as many of equal weight.
SMALL_SHARE = 0.05


def weigh(weights: Floats) -> tuple[float, float]:
    """As many clicks of equal weight would tell as much, and the share of the heaviest."""
    if len(weights) == 0:
        return 0.0, 0.0
    shares = weights / weights.max()
    total = float(shares.sum())
    return total**2 / float((shares**2).sum()), 1.0 / total
