"""Golden rows show how a reader of an exported model treats features, agreement how well it scores.

Fifty rows in six groups, the same for the same model: at its thresholds, a hair beside them,
between them, with NULL, with zeros, and with values beyond single precision. Two lists of scores of
them agree in their values, and in the orders that they give.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.formats.tree_nodes import single_at_most
from rankwise.models.scorers.attention import Attention
from rankwise.models.scorers.networks import Comparator, Network, PairPotentials
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.stumps import Stumps
from rankwise.models.scorers.trees import ExpectedLabel, Trees

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


_FIRST = 10


@dataclass(frozen=True)
class ScoreAgreement:
    """Scores of a model beside those of its export.

    Attributes:
        rows: how many scores.
        equal: how many have the same value; NaN equals NaN.
        greatest_difference: among those that are finite on both sides.
        unlike: how many are finite on one side only, or infinite in different ways.
        largest_score: of the model, in absolute value, among those that are finite.
    """

    rows: int
    equal: int
    greatest_difference: float
    unlike: int
    largest_score: float


@dataclass(frozen=True)
class OrderChanges:
    """Queries whose documents stand in another order by the export's scores than by the model's.

    Attributes:
        queries: how many there are.
        changed: those with any change.
        first_ten_changed: those whose first ten documents, or their order, are others.
    """

    queries: int
    changed: int
    first_ten_changed: int


def compare_scores(expected: Floats, found: Floats) -> ScoreAgreement:
    """How many are equal, and by how much the others differ."""
    equal = (expected == found) | (np.isnan(expected) & np.isnan(found))
    finite = np.isfinite(expected) & np.isfinite(found)
    differences = np.abs(expected[finite] - found[finite])
    return ScoreAgreement(
        rows=len(expected),
        equal=int(equal.sum()),
        greatest_difference=float(differences.max(initial=0.0)),
        unlike=int((~finite & ~equal).sum()),
        largest_score=float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)),
    )


def count_order_changes(
    query_offsets: NDArray[np.int64], expected: Floats, found: Floats
) -> OrderChanges:
    """Compare the orders of every query; tied documents keep the order of the data."""
    changed = first_ten = 0
    for ours, theirs in _orders(query_offsets, expected, found):
        changed += not np.array_equal(ours, theirs)
        first_ten += not np.array_equal(ours[:_FIRST], theirs[:_FIRST])
    return OrderChanges(len(query_offsets) - 1, changed, first_ten)


def _orders(
    query_offsets: NDArray[np.int64], expected: Floats, found: Floats
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for start, end in pairwise(query_offsets.tolist()):
        yield (
            np.argsort(-expected[start:end], kind="stable"),
            np.argsort(-found[start:end], kind="stable"),
        )
