"""Fewer features, and what they do to the measures: chosen, combined, weighed, or let in.

For each fold everything is found on its training part, with NULL filled and features named; a
ranker is learnt there with all features and with fewer, and both are measured on the test part.

A path shows how a ranker lets features in: weights, features kept and validation along one
parameter. For each fold the ranker is learnt on the training part with every value of the
parameter, and judged on the validation part; test parts are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.comparison.significance_tests import t_test
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, read_folds, write_folds
from rankwise.data.normalization.scales import count_null, fill_null
from rankwise.data.reading import read_feature_names
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.fitting import fit
from rankwise.feature_selection import (
    Choice,
    Effect,
    Learner,
    Reduction,
    choose_features,
    compare_on_folds,
    fit_reductions,
    permutation_importance,
    single_feature_quality,
)
from rankwise.files import is_folder, is_there, resolve, write_text
from rankwise.measures.evaluation import evaluate
from rankwise.progress import Stage, silent_stage
from rankwise.rankers.parameters import Parameter, parameters_of, refuse_unknown
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import make_ranker
from rankwise.tables.notebook import Rows, Tabular, shortened

MAPPING = "features.tsv"


@dataclass(frozen=True)
class _FeatureStudy(Tabular):
    """What a ranker does with fewer features; `remarks` tell what was done to the data."""

    method: str
    ranker: str
    effects: tuple[EffectFigures, ...]
    remarks: tuple[str, ...]

    def _table(self) -> Rows:
        titles = tuple(EffectFigures.__dataclass_fields__)
        return titles, [tuple(vars(effect).values()) for effect in self.effects]


@dataclass(frozen=True)
class FeatureSelection(_FeatureStudy):
    """Features that were chosen; `choices` are by fold, their features counted from 0."""

    choices: Mapping[int, Choice]
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        chosen = next(iter(self.choices.values())).features
        return shortened(f"{len(chosen)} features by {self.method}, judged by {self.ranker}")

    @property
    def features(self) -> dict[int, list[int]]:
        """The numbers of the features from 1, by fold, in the order in which they were chosen."""
        return {fold: [n + 1 for n in one.features] for fold, one in self.choices.items()}


@dataclass(frozen=True)
class FeatureReduction(_FeatureStudy):
    """Features that were combined into `kept`; `reductions` are by fold."""

    kept: int
    reductions: Mapping[int, Reduction]

    def __repr__(self) -> str:
        return shortened(f"{self.kept} features by {self.method}, judged by {self.ranker}")

    @property
    def explained(self) -> dict[int, list[float]]:
        """By fold the share of the variance within queries that each new feature has."""
        return {fold: one.explained.tolist() for fold, one in self.reductions.items()}


@dataclass(frozen=True)
class FeatureWeight:
    """What one feature tells, means over folds; `feature` is its number from 1.

    `alone` is the measure when documents are ranked by it only, on the training part (`ascending`
    where small values rank first); `loss` what the measure loses on the test part when it is
    shuffled within each query.
    """

    feature: int
    name: str | None
    alone: float
    ascending: bool
    loss: float


@dataclass(frozen=True)
class FeatureWeights(Tabular):
    """All features, the one that tells most alone first."""

    measure: str
    ranker: str
    folds: int
    weights: tuple[FeatureWeight, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return shortened(f"{len(self.weights)} features weighed in {self.measure}, {self.ranker}")

    def _table(self) -> Rows:
        titles = tuple(FeatureWeight.__dataclass_fields__)
        return titles, [tuple(vars(weight).values()) for weight in self.weights]


def select_features(
    folds: Folds,
    keep: int,
    method: str = "gas",
    *,
    measure: str = "MAP",
    tool: str = "definition",
    ranker: object = "ridge-regression",
    seed: int = 0,
    similarity_weight: float | None = None,
    names: str | Path | None = None,
    output: str | Path | None = None,
    stage: Stage = silent_stage,
) -> FeatureSelection:
    """Keep the best features of folds, and tell the effect.

    Args:
        folds: a folder of folds, or the folds themselves.
        keep: how many features.
        method: a key of `SELECTIONS`.
        measure, tool: what is to be kept high, by whose convention.
        ranker, seed: what is learnt.
        similarity_weight: of `gas`; None takes what is best on validation.
        names: a file of feature names; by default those of the data card beside the folder.
        output: a new folder for the folds with the chosen features and `features.tsv`.
        stage: is told how far it is.
    """
    check_target(output)
    learn = make_learner(ranker, seed)
    given = studied_folds(folds, names)
    choices: dict[int, Choice] = {}

    def change(fold: Fold) -> Fold:
        choices[fold.number] = choose_features(
            fold.train, method, keep, measure=measure, tool=tool,
            similarity_weight=similarity_weight, trial=_try_features(fold, learn, measure, tool),
        )  # fmt: skip
        return change_fold(fold, choices[fold.number].apply)

    effects = measured_effects(given.folds, change, learn, measure, tool, stage)
    if output is not None:
        write_folds((change_fold(one, choices[one.number].apply) for one in given.folds), output)
        _write_mapping(Path(output), choices, given.feature_names)
    return FeatureSelection(
        method, _name_ranker(ranker), effects, given.remarks, choices, given.feature_names
    )


def reduce_features(
    folds: Folds,
    keep: int,
    method: str = "pca",
    *,
    measure: str = "MAP",
    tool: str = "definition",
    ranker: object = "ridge-regression",
    seed: int = 0,
    output: str | Path | None = None,
    stage: Stage = silent_stage,
) -> FeatureReduction:
    """Combine the features of folds into `keep`, and tell the effect.

    The directions are learnt on each fold's training part and applied to all three parts. `method`
    is a key of `REDUCTIONS`; the other arguments are those of `select_features`.
    """
    check_target(output)
    given = studied_folds(folds)
    fitted = fit_reductions([fold.train for fold in given.folds], method, keep)
    reductions = {fold.number: found for fold, found in zip(given.folds, fitted, strict=True)}
    reached = fitted[0].n_components
    fewer = (
        f"{reached} instead of {keep} features in all folds: {method} finds no more in one of "
        "them, as the rest does not vary with the labels"
    )

    def change(fold: Fold) -> Fold:
        return change_fold(fold, reductions[fold.number].apply)

    effects = measured_effects(
        given.folds, change, make_learner(ranker, seed), measure, tool, stage
    )
    if output is not None:
        write_folds((change(fold) for fold in given.folds), output)
    remarks = (*given.remarks, *([fewer] if reached < keep else []))
    return FeatureReduction(method, _name_ranker(ranker), effects, remarks, reached, reductions)


def weigh_features(
    folds: Folds,
    *,
    measure: str = "MAP",
    tool: str = "definition",
    ranker: object = "ridge-regression",
    seed: int = 0,
    repeats: int = 3,
    names: str | Path | None = None,
    stage: Stage = silent_stage,
) -> FeatureWeights:
    """Rank the features of folds by how much they tell, alone and in a ranker.

    `repeats` is how often each feature is shuffled; the other arguments are those of
    `select_features`.
    """
    learn = make_learner(ranker, seed)
    given = studied_folds(folds, names)
    alone, ascending, losses = [], [], []
    advance = stage("Weighing features", len(given.folds))
    for done, fold in enumerate(given.folds, 1):
        quality = single_feature_quality(fold.train, measure, tool)
        alone.append(quality.values)
        ascending.append(quality.ascending)
        score = learn(fold.train, fold.validation)
        losses.append(
            permutation_importance(score, fold.test, measure, tool, seed=seed, repeats=repeats)
        )
        advance(done)
    worth, below, loss = (np.array(one).mean(axis=0) for one in (alone, ascending, losses))
    known = given.feature_names
    weights = tuple(
        FeatureWeight(
            number + 1,
            None if known is None else known[number],
            float(worth[number]),
            bool(below[number] > 0.5),
            float(loss[number]),
        )
        for number in np.argsort(-worth, kind="stable").tolist()
    )
    return FeatureWeights(measure, _name_ranker(ranker), len(given.folds), weights, given.remarks)


def _try_features(
    fold: Fold, learn: Learner, measure: str, tool: str
) -> Callable[[list[int]], float]:
    """What a set of features reaches on the validation part."""
    validation = fold.validation

    def figure(numbers: list[int]) -> float:
        if validation is None:
            raise RankwiseError(
                f"fold {fold.number} must have a validation part to choose features on, found none",
                Advice("choose by {}", "method", "best"),
                Advice("say {} with gas", "similarity_weight"),
            )
        some = Choice(tuple(numbers), ())
        kept = some.apply(validation)
        score = learn(some.apply(fold.train), kept)
        found = evaluate(kept, score(kept), measure, tool=tool, ties="expected")
        return next(iter(found.means().values()))

    return figure


def _write_mapping(
    folder: Path, choices: Mapping[int, Choice], names: Sequence[str] | None
) -> None:
    """`features.tsv`: which feature of which fold was which, numbers from 1."""
    lines = ["fold\tnew\told\tname\n"]
    for fold, choice in choices.items():
        for new, old in enumerate(sorted(choice.features), 1):
            lines.append(f"{fold}\t{new}\t{old + 1}\t{names[old] if names else ''}\n")
    write_text(folder / MAPPING, "".join(lines))


def _name_ranker(ranker: object) -> str:
    return ranker if isinstance(ranker, str) else str(getattr(ranker, "name", ranker))


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
    followed = _find_parameter(made, parameter)
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
            points.append(_make_point(fold, value, one, measure, tool, seed))
            advance(len(points))
    return FeaturePath(
        made.name, followed.name, measure, tuple(points), given.remarks, given.feature_names
    )


def _find_parameter(ranker: Ranker, name: str | None) -> Parameter:
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


def _make_point(
    fold: Fold, value: float, ranker: Ranker, measure: str, tool: str, seed: int
) -> PathPoint:
    model = fit(ranker, fold.train, fold.validation, seed=seed)
    weights = model.scorer.importance()
    judged = (
        None
        if fold.validation is None
        else _evaluate_validation(fold.validation, model, measure, tool)
    )
    return PathPoint(
        fold.number, value, int(np.count_nonzero(weights)), judged, tuple(weights.tolist())
    )


def _evaluate_validation(validation: Dataset, model: Any, measure: str, tool: str) -> float:
    found = evaluate(validation, model.score(validation), measure, tool=tool, ties="expected")
    return next(iter(found.means().values()))


def _by_number(weights: Sequence[float]) -> dict[str, float]:
    return {str(number): weight for number, weight in enumerate(weights, 1) if weight}


ALWAYS_MEASURED = ("MAP", "NDCG@10")
Folds = str | Path | Sequence[Fold]


@dataclass(frozen=True)
class StudiedFolds:
    """Folds without NULL; `remarks` tell what was done to them."""

    folds: tuple[Fold, ...]
    remarks: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """One per feature, where they are known."""
        return self.folds[0].train.feature_names


def studied_folds(folds: Folds, names: str | Path | None = None) -> StudiedFolds:
    """Folds, or those in a folder, whose features have the names of a file, or their own."""
    found = list(read_folds(folds) if isinstance(folds, str | Path) else folds)
    if not found:
        raise RankwiseError("a study of features needs folds, found none")
    n_features = found[0].train.n_features
    known = () if names is None else read_feature_names(names, n_features)
    null = any(count_null(part) for fold in found for _, part in fold.parts())
    filled = [change_fold(fold, fill_null) for fold in found]
    if known:
        filled = [change_fold(fold, lambda part: part.with_feature_names(known)) for fold in filled]
    remark = "NULL values were filled with the query's minimum of the feature"
    return StudiedFolds(tuple(filled), (remark,) if null else ())


def change_fold(fold: Fold, change: Callable[[Dataset], Dataset]) -> Fold:
    """The fold with every part changed."""
    validation = None if fold.validation is None else change(fold.validation)
    return Fold(fold.number, change(fold.train), validation, change(fold.test))


def make_learner(ranker: object, seed: int) -> Learner:
    """What learns a ranker with its defaults."""
    made = make_ranker(ranker)
    return lambda train, validation: fit(made, train, validation, seed=seed).score


@dataclass(frozen=True)
class EffectFigures:
    """One measure over the test queries of all folds, with all features and with fewer.

    `p_value` is that of the paired t-test over queries; None where there are too few.
    """

    measure: str
    all_features: float
    fewer_features: float
    difference: float
    p_value: float | None
    queries: int


def measured_effects(
    folds: Sequence[Fold],
    change: Callable[[Fold], Fold],
    learn: Learner,
    measure: str,
    tool: str,
    stage: Stage,
) -> tuple[EffectFigures, ...]:
    """What a change of the features does to the measure, to MAP and to NDCG@10."""
    measures = list(dict.fromkeys((measure, *ALWAYS_MEASURED)))
    advance = stage("Learning", len(folds))
    effects = compare_on_folds(folds, change, learn, measures, tool, advance)
    return tuple(map(_make_effect_figures, effects))


def check_target(output: str | Path | None) -> None:
    """Refuse a folder that folds cannot be written to before anything is learnt."""
    if output is None:
        return
    folder = Path(output)
    if is_there(folder) and (not is_folder(folder) or any(folder.iterdir())):
        raise RankwiseError(
            f"cannot write folds to {folder}: it is not an empty folder; name a new one"
        )
    if not is_folder(resolve(folder).parent):
        raise RankwiseError(
            f"cannot write folds to {folder}: the folder {resolve(folder).parent} does not exist"
        )


def _make_effect_figures(effect: Effect) -> EffectFigures:
    count = len(effect.before)
    return EffectFigures(
        effect.measure,
        float(effect.before.mean()),
        float(effect.after.mean()),
        effect.difference,
        None if count < 2 else t_test(effect.after - effect.before).p_value,
        count,
    )
