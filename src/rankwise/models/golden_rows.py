"""Rows that show how a reader of an exported model treats features: golden vectors.

Fifty rows in six groups, the same for the same model: at its thresholds, a hair beside them,
between them, with NULL, with zeros, and with values beyond single precision.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.exports.single_precision import single_at_most
from rankwise.rankers.scorers.attention import Attention
from rankwise.rankers.scorers.comparator import Comparator
from rankwise.rankers.scorers.expected_label import ExpectedLabel
from rankwise.rankers.scorers.network import Network
from rankwise.rankers.scorers.pair_potentials import PairPotentials
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.scorers.trees import Trees

Floats = NDArray[np.float64]
GROUPS = {"at": 10, "beside": 10, "between": 16, "NULL": 6, "zeros": 4, "huge": 4}
"""How many rows each group has."""
_HUGE = (1e300, -1e300, 3.5e38, -3.5e38, 1e-300)
_ZEROS = (0.0, -0.0, 1e-36, -1e-36)


@dataclass(frozen=True, eq=False)
class GoldenRows:
    """Rows of features with the scores of the model, and the group of each."""

    groups: tuple[str, ...]
    features: Floats
    scores: Floats

    def of_group(self, group: str) -> NDArray[np.bool_]:
        """Which rows are of a group."""
        return np.array([one == group for one in self.groups])


def make_golden_rows(scorer: Scorer) -> GoldenRows:
    """The rows of a model, with its scores."""
    groups, rows = golden_features(scorer)
    return GoldenRows(groups, rows, scorer.score(rows))


def golden_features(scorer: Scorer) -> tuple[tuple[str, ...], Floats]:
    """The group of each row, and the rows."""
    rng = np.random.default_rng(0)
    marks = [_marks(own) for own in _thresholds(scorer)]
    makers: dict[str, Callable[[Floats], float]] = {
        "at": lambda own: rng.choice(own),
        "beside": lambda own: _beside(float(rng.choice(own)), int(rng.integers(4))),
        "between": lambda own: _between(own, int(rng.integers(len(own) + 1))),
        "NULL": lambda own: _between(own, int(rng.integers(len(own) + 1))),
        "zeros": lambda own: float(rng.choice(_ZEROS)),
        "huge": lambda own: float(rng.choice(_HUGE)),
    }
    groups = tuple(group for group, count in GROUPS.items() for _ in range(count))
    rows = np.array([[makers[group](own) for own in marks] for group in groups])
    _put_null(rows, groups, rng)
    return groups, rows


def golden_text(golden: GoldenRows, names: Sequence[str]) -> str:
    """The rows as CSV: group, features by name, score; NULL is an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["group", *names, "score"])
    rows = zip(golden.groups, golden.features.tolist(), golden.scores.tolist(), strict=True)
    for group, row, score in rows:
        writer.writerow([group, *map(_cell, row), _cell(score)])
    return stream.getvalue()


def read_golden_rows(text: str, width: int) -> GoldenRows:
    """The inverse of `golden_text`."""
    try:
        _, *rows = csv.reader(io.StringIO(text))
        values = np.array([[float(cell or "nan") for cell in row[1:]] for row in rows])
        if values.shape[1:] != (width + 1,) or {row[0] for row in rows} != set(GROUPS):
            raise ValueError(f"rows of {width} features and a score, of all groups, are needed")
    except (ValueError, csv.Error) as error:
        raise RankwiseError(f"the golden rows cannot be read: {error}") from error
    return GoldenRows(tuple(row[0] for row in rows), values[:, :-1].copy(), values[:, -1].copy())


def _thresholds(scorer: Scorer) -> list[Floats]:
    """The thresholds of each feature, ascending; none where a model has none."""
    parts = scorer.classes if isinstance(scorer, ExpectedLabel) else (scorer,)
    found: list[Floats] = [np.zeros(0)] * scorer.n_features
    if isinstance(scorer, Network | Attention | Comparator | PairPotentials):
        return [
            np.array([m - s, m, m + s]) for m, s in zip(scorer.means, scorer.scales, strict=True)
        ]
    for part in parts:
        if isinstance(part, Trees | Stumps):
            part = part.threshold_form if isinstance(part, Trees) else part
            for column in np.unique(part.columns).tolist():
                own = part.thresholds[part.columns == column]
                found[column] = np.union1d(found[column], own)
    return found


def _marks(own: Floats) -> Floats:
    """Where there are no thresholds, numbers that no single precision number is equal to."""
    return own if len(own) else np.array([-1.1, 0.3, 0.7])


def _beside(value: float, side: int) -> float:
    """The next double, or the next single precision number, above or below."""
    if side < 2:
        return float(np.nextafter(value, np.inf if side else -np.inf))
    near = np.float32(single_at_most(value))
    return float(near if side == 2 else np.nextafter(near, np.float32(np.inf)))


def _between(own: Floats, place: int) -> float:
    """A single precision number halfway between two neighbours, or beyond the outermost."""
    if place == 0:
        return single_at_most(own[0] - 1.0)
    if place == len(own):
        return single_at_most(own[-1] + 1.0)
    return single_at_most((own[place - 1] + own[place]) / 2.0)


def _put_null(rows: Floats, groups: Sequence[str], rng: np.random.Generator) -> None:
    """One feature, then more, at last all of them."""
    places = [number for number, group in enumerate(groups) if group == "NULL"]
    for number, place in enumerate(places, 1):
        count = max(1, rows.shape[1] * number // len(places))
        rows[place, rng.permutation(rows.shape[1])[:count]] = np.nan


def _cell(value: float) -> str:
    return "" if value != value else repr(value)
