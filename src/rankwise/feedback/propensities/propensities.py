"""Propensities: how likely each position is examined, against the first one."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import EarlyRemark, FormatError, RankwiseError
from rankwise.files import readable, write_text
from rankwise.tables.notebook import Rows, Tabular

Floats = NDArray[np.float64]
# No log is long enough to tell a smaller propensity from none.
LEAST = 1e-12
_LARGEST_FILE = 1 << 24
_ROUNDING = 1e-9
_SURE = 3.0


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
            if not LEAST <= value < np.inf:
                raise RankwiseError(
                    f"propensities must be numbers from {LEAST:g} up, one a position, found "
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
        sure = np.array(self.values) - _SURE * np.nan_to_num(self.errors)
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
