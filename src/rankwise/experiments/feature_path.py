"""How a ranker lets features in: weights, features kept and validation along one parameter.

For each fold the ranker is learnt on the training part with every value of the parameter, and
judged on the validation part; test parts are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.errors import Advice, RankwiseError
from rankwise.evaluation.evaluating import evaluate
from rankwise.experiments.feature_folds import Folds, studied_folds
from rankwise.experiments.training import fit
from rankwise.rankers.making import make_ranker
from rankwise.rankers.parameters import Parameter, parameters_of, refuse_unknown
from rankwise.rankers.ranker import Ranker
from rankwise.stages import Stage, silent_stage
from rankwise.tabular import Rows, Tabular, shortened


@dataclass(frozen=True)
class PathPoint:
    """What one value of the parameter gives on one fold.

    `weights` has one number per feature: its weight in a linear model, else its importance.
    `validation` is the measure on the validation part, ties counted as in the mean over their
    orders; None where the fold has no such part.
    """

    fold: int
    value: float
    features_kept: int
    validation: float | None
    weights: tuple[float, ...]


@dataclass(frozen=True)
class FeaturePath(Tabular):
    """A ranker along the values of one parameter, on each fold; `points` are fold by fold."""

    ranker: str
    parameter: str
    measure: str
    points: tuple[PathPoint, ...]
    remarks: tuple[str, ...]
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return shortened(
            f"{self.ranker} along {len(self.values)} values of {self.parameter}, "
            f"{len(self.folds)} folds"
        )

    @property
    def values(self) -> tuple[float, ...]:
        """The values of the parameter, as they were tried."""
        return tuple(dict.fromkeys(point.value for point in self.points))

    @property
    def folds(self) -> tuple[int, ...]:
        """The numbers of the folds."""
        return tuple(dict.fromkeys(point.fold for point in self.points))

    @property
    def chosen(self) -> dict[int, float]:
        """By fold the value with the best validation figure, the first of equals."""
        judged = {
            fold: [one for one in self.points if one.fold == fold and one.validation is not None]
            for fold in self.folds
        }
        return {
            fold: max(points, key=lambda point: point.validation or 0.0).value
            for fold, points in judged.items()
            if points
        }

    @property
    def features(self) -> tuple[int, ...]:
        """The numbers from 1 of the features that have a weight anywhere on the path."""
        used = np.any([point.weights for point in self.points], axis=0)
        return tuple((np.flatnonzero(used) + 1).tolist())

    def name_feature(self, number: int) -> str:
        """The name of a feature, where it is known, else its number from 1."""
        return str(number) if self.feature_names is None else self.feature_names[number - 1]

    def records(self) -> list[dict[str, Any]]:
        """One row a fold, value and feature of `features`: what CSV holds."""
        return [
            {
                "fold": point.fold,
                self.parameter: point.value,
                "features_kept": point.features_kept,
                "validation": point.validation,
                "feature": number,
                "name": None if self.feature_names is None else self.name_feature(number),
                "weight": point.weights[number - 1],
            }
            for point in self.points
            for number in self.features or (1,)
        ]

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain values; of the weights those that are not 0, by feature."""
        return {
            "ranker": self.ranker,
            "parameter": self.parameter,
            "measure": self.measure,
            "chosen": {str(fold): value for fold, value in self.chosen.items()},
            "points": [
                {**vars(point), "weights": _by_number(point.weights)} for point in self.points
            ],
        }

    def _table(self) -> Rows:
        rows = self.records()
        return tuple(rows[0]), [tuple(row.values()) for row in rows]


def trace_path(
    folds: Folds,
    ranker: object = "sparserank",
    *,
    parameter: str | None = None,
    values: Sequence[float] = (),
    measure: str = "MAP",
    tool: str = "definition",
    seed: int = 0,
    names: str | Path | None = None,
    stage: Stage = silent_stage,
) -> FeaturePath:
    """Follow a ranker along one parameter: which features it keeps, and what that is worth.

    Args:
        folds: a folder of folds, or the folds themselves.
        ranker: what is learnt; a sparse one says itself which parameter decides.
        parameter: the one to follow instead, a number.
        values: what it takes, one after the other; by default the values that tuning tries.
        measure, tool: what is measured on validation parts, by whose convention.
        seed: of rankers that draw random numbers.
        names: a file of feature names; by default those of the data card beside the folder.
        stage: is told how far it is.
    """
    made = make_ranker(ranker)
    followed = _followed(made, parameter)
    tried = tuple(values) or followed.grid
    if not tried:
        raise RankwiseError(
            f"{made.name} names no values of {followed.name} to try", Advice("give {}", "values")
        )
    along = [make_ranker(made, **{followed.name: value}) for value in tried]
    given = studied_folds(folds, names)
    advance = stage("Learning", len(given.folds) * len(along))
    points: list[PathPoint] = []
    for fold in given.folds:
        for value, one in zip(tried, along, strict=True):
            points.append(_point(fold, value, one, measure, tool, seed))
            advance(len(points))
    return FeaturePath(
        made.name, followed.name, measure, tuple(points), given.remarks, given.feature_names
    )


def _followed(ranker: Ranker, name: str | None) -> Parameter:
    """The parameter that is followed; a sentence where there is none, or it is no number."""
    wanted = name or ranker.sparsity
    if wanted is None:
        raise RankwiseError(
            f"{ranker.name} keeps all features, whatever its parameters",
            Advice("name one to follow all the same with {}", "parameter"),
            Advice("take a sparse ranker: {}", "ranker", "fenchelrank"),
        )
    refuse_unknown(ranker, [wanted])
    found = next(one for one in parameters_of(ranker) if one.name == wanted)
    if isinstance(found.default, bool) or not isinstance(found.default, int | float):
        raise RankwiseError(
            f"a path follows a parameter that is a number, found {wanted} of {ranker.name}, whose "
            f"default is {found.default!r}"
        )
    return found


def _point(
    fold: Fold, value: float, ranker: Ranker, measure: str, tool: str, seed: int
) -> PathPoint:
    model = fit(ranker, fold.train, fold.validation, seed=seed)
    weights = model.scorer.importance()
    judged = None if fold.validation is None else _judge(fold.validation, model, measure, tool)
    return PathPoint(
        fold.number, value, int(np.count_nonzero(weights)), judged, tuple(weights.tolist())
    )


def _judge(validation: Dataset, model: Any, measure: str, tool: str) -> float:
    found = evaluate(validation, model.score(validation), measure, tool=tool, ties="expected")
    return next(iter(found.means().values()))


def _by_number(weights: Sequence[float]) -> dict[str, float]:
    return {str(number): weight for number, weight in enumerate(weights, 1) if weight}
