"""Fewer features, and what they do to the measures: chosen, combined, or only weighed.

For each fold everything is found on its training part; a ranker is learnt there with all features
and with fewer, and both are measured on the test part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.data.folds import Fold, write_folds
from rankwise.errors import Advice, RankwiseError
from rankwise.evaluation.evaluating import evaluate
from rankwise.experiments.feature_folds import (
    EffectFigures,
    Folds,
    changed,
    check_target,
    learner,
    measured_effects,
    studied_folds,
)
from rankwise.feature_selection import (
    Choice,
    Learner,
    Reduction,
    choose_features,
    fit_reductions,
    permutation_importance,
    single_feature_quality,
)
from rankwise.files import write_text
from rankwise.stages import Stage, silent_stage
from rankwise.tabular import Rows, Tabular, shortened

MAPPING = "features.tsv"


@dataclass(frozen=True)
class _Study(Tabular):
    """What a ranker does with fewer features; `remarks` tell what was done to the data."""

    method: str
    ranker: str
    effects: tuple[EffectFigures, ...]
    remarks: tuple[str, ...]

    def _table(self) -> Rows:
        titles = tuple(EffectFigures.__dataclass_fields__)
        return titles, [tuple(vars(effect).values()) for effect in self.effects]


@dataclass(frozen=True)
class FeatureSelection(_Study):
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
class FeatureReduction(_Study):
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
    learn = learner(ranker, seed)
    given = studied_folds(folds, names)
    choices: dict[int, Choice] = {}

    def change(fold: Fold) -> Fold:
        choices[fold.number] = choose_features(
            fold.train, method, keep, measure=measure, tool=tool,
            similarity_weight=similarity_weight, trial=_trial(fold, learn, measure, tool),
        )  # fmt: skip
        return changed(fold, choices[fold.number].apply)

    effects = measured_effects(given.folds, change, learn, measure, tool, stage)
    if output is not None:
        write_folds((changed(one, choices[one.number].apply) for one in given.folds), output)
        _write_mapping(Path(output), choices, given.feature_names)
    return FeatureSelection(
        method, _name(ranker), effects, given.remarks, choices, given.feature_names
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
        return changed(fold, reductions[fold.number].apply)

    effects = measured_effects(given.folds, change, learner(ranker, seed), measure, tool, stage)
    if output is not None:
        write_folds((change(fold) for fold in given.folds), output)
    remarks = (*given.remarks, *([fewer] if reached < keep else []))
    return FeatureReduction(method, _name(ranker), effects, remarks, reached, reductions)


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
    learn = learner(ranker, seed)
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
    return FeatureWeights(measure, _name(ranker), len(given.folds), weights, given.remarks)


def _trial(fold: Fold, learn: Learner, measure: str, tool: str) -> Callable[[list[int]], float]:
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


def _name(ranker: object) -> str:
    return ranker if isinstance(ranker, str) else str(getattr(ranker, "name", ranker))
