"""Data of elsewhere brought to the features of other data: by name, or by place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.errors import RankwiseError

ABSENT = ("zero", "drop")
"""What becomes of features that the other data lack: 0 there, or left out on both sides."""

_MOST_SHOWN = 3


@dataclass(frozen=True, eq=False)
class FeatureMatch:
    """How features of a source stand for those of a target.

    Attributes:
        columns: for every feature of the target, where it stands in the source; -1 where nowhere.
        names: of the target's features, where it names them.
        remarks: sentences that say what is missing on either side.
    """

    columns: NDArray[np.int64]
    names: tuple[str, ...] | None
    remarks: tuple[str, ...]

    @property
    def lacking(self) -> NDArray[np.int64]:
        """The features of the target that the source has not, from 0."""
        return np.flatnonzero(self.columns < 0)

    def apply(self, source: Dataset) -> Dataset:
        """The source with the features of the target, 0 where it has none."""
        same = np.array_equal(self.columns, np.arange(source.n_features))
        if same:
            return source.with_feature_names(self.names)
        held = source.to_dense().features
        found = np.zeros((source.n_documents, len(self.columns)))
        known = self.columns >= 0
        found[:, known] = held[:, self.columns[known]]
        return replace(source, features=found, feature_names=self.names)


def match_features(source: Dataset, target: Dataset) -> FeatureMatch:
    """Where the target's features stand in the source, by name where both have names."""
    if source.feature_names is None or target.feature_names is None:
        own: Sequence[str] = [str(number + 1) for number in range(source.n_features)]
        wanted: Sequence[str] = [str(number + 1) for number in range(target.n_features)]
        how = "by number"
    else:
        own, wanted, how = source.feature_names, target.feature_names, "by name"
    for whose, names in (("source", own), ("target", wanted)):
        twice = next((name for name in names if list(names).count(name) > 1), None)
        if twice is not None:
            raise RankwiseError(
                f"features must have different names to be matched, found {twice!r} twice in the "
                f"{whose}"
            )
    places = {name: place for place, name in enumerate(own)}
    columns = np.array([places.get(name, -1) for name in wanted], dtype=np.int64)
    if not (columns >= 0).any():
        raise RankwiseError(
            f"source and target must have features in common, {how}, found none: "
            f"{_list(own)} beside {_list(wanted)}"
        )
    lacking = [name for name in wanted if name not in places]
    more = [name for name in own if name not in set(wanted)]
    remarks = [f"the source lacks {_list(lacking)} of the target's features, {how}"] * bool(lacking)
    remarks += [f"{_list(more)} of the source, {how}, are not used: the target lacks them"] * bool(
        more
    )
    return FeatureMatch(columns, target.feature_names, tuple(remarks))


def without_features(dataset: Dataset, columns: NDArray[np.int64]) -> Dataset:
    """The same width with 0 in these features, so that nothing can be learnt from them."""
    if len(columns) == 0:
        return dataset
    features = dataset.to_dense().features.copy()
    features[:, columns] = 0.0
    return replace(dataset, features=as_features(features))


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(f"{name!r:.80}" for name in names[:_MOST_SHOWN])
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN} more"
