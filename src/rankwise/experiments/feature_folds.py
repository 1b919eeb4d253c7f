"""Folds as studies of features take them: NULL filled, features named, a learner at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.comparison.significance import t_test
from rankwise.data.dataset import Dataset
from rankwise.data.feature_names import read_feature_names
from rankwise.data.folds import Fold, read_folds
from rankwise.data.normalization import count_null, fill_null
from rankwise.errors import RankwiseError
from rankwise.experiments.training import fit
from rankwise.feature_selection import Effect, Learner, compare_on_folds
from rankwise.files import is_folder, is_there, resolve
from rankwise.rankers.making import make_ranker
from rankwise.stages import Stage

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
    filled = [changed(fold, fill_null) for fold in found]
    if known:
        filled = [changed(fold, lambda part: part.with_feature_names(known)) for fold in filled]
    remark = "NULL values were filled with the query's minimum of the feature"
    return StudiedFolds(tuple(filled), (remark,) if null else ())


def changed(fold: Fold, change: Callable[[Dataset], Dataset]) -> Fold:
    """The fold with every part changed."""
    validation = None if fold.validation is None else change(fold.validation)
    return Fold(fold.number, change(fold.train), validation, change(fold.test))


def learner(ranker: object, seed: int) -> Learner:
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
    return tuple(map(_figures, effects))


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


def _figures(effect: Effect) -> EffectFigures:
    count = len(effect.before)
    return EffectFigures(
        effect.measure,
        float(effect.before.mean()),
        float(effect.after.mean()),
        effect.difference,
        None if count < 2 else t_test(effect.after - effect.before).p_value,
        count,
    )
