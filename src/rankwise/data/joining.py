"""Data sets joined: one after the other, equally wide, each query once.

Data of elsewhere are brought to the features of other data by name, or by place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features, list_names
from rankwise.data.document_relations import join_relations
from rankwise.data.feature_matrix import join_features
from rankwise.data.text import TextColumn, join
from rankwise.errors import RankwiseError


def concatenate(parts: Sequence[Dataset]) -> Dataset:
    """Join data sets one after the other; the query ids of all parts must differ."""
    if not parts:
        raise RankwiseError("nothing to join: at least one data set is needed")
    widths = {part.n_features for part in parts}
    if len(widths) > 1:
        raise RankwiseError(f"data sets to join must have equally many features, found {widths}")
    parts = _ordered_alike(parts)
    lengths = np.concatenate([part.query_lengths for part in parts])
    joined = Dataset(
        features=as_features(join_features([part.stored for part in parts])),
        labels=np.concatenate([part.labels for part in parts]),
        query_offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        query_ids=join([part.query_ids.packed() for part in parts]),
        document_ids=_join([part.document_ids for part in parts]),
        comments=_join([part.comments for part in parts]),
        feature_names=_first_names(parts),
        weights=_join_weights(parts),
        query_classes=_join_classes(parts),
        query_features=_join_query_features(parts),
        relations=join_relations([(part.relations, part.n_documents) for part in parts]),
    )
    check_unique_queries(joined)
    return joined


def equally_wide(parts: Sequence[Dataset]) -> list[Dataset]:
    """All parts as wide as the widest: sparse files leave their last features out."""
    width = max((part.n_features for part in parts), default=0)
    return [part.widened(width) for part in _ordered_alike(parts)]


def _ordered_alike(parts: Sequence[Dataset]) -> list[Dataset]:
    """All parts that name their features with these in the order of the first that does."""
    names = _first_names(parts)
    return [part.ordered_as(names, "the data before them") for part in parts]


def _first_names(parts: Sequence[Dataset]) -> tuple[str, ...] | None:
    return next((part.feature_names for part in parts if part.feature_names is not None), None)


def merge_repeated_queries(dataset: Dataset) -> Dataset:
    """Rows of equal query ids brought together, each query where it first appears.

    What is known of a query must be the same wherever its rows stand.
    """
    first: dict[str, int] = {}
    homes = [first.setdefault(text, number) for number, text in enumerate(dataset.query_ids)]
    if len(first) == dataset.n_queries:
        return dataset
    order = np.argsort(np.array(homes), kind="stable")
    grouped = dataset.select_queries(order)
    kept = np.flatnonzero(np.diff(np.array(homes)[order], prepend=-1))
    of_queries = np.repeat(kept, np.diff(np.append(kept, grouped.n_queries)))
    _refuse_contradictions(grouped, of_queries)
    classes, features = grouped.query_classes, grouped.query_features
    return replace(
        grouped,
        features=as_features(grouped.stored),
        query_offsets=np.append(grouped.query_offsets[kept], dataset.n_documents),
        query_ids=grouped.query_ids.take(kept),
        query_classes=None if classes is None else classes.take(kept),
        query_features=None if features is None else features[kept],
    )


def _refuse_contradictions(grouped: Dataset, homes: NDArray[np.int64]) -> None:
    """Refuse a class or features of a query that differ from those where it stands first."""
    known: dict[str, list[object]] = {}
    if grouped.query_classes is not None:
        known["class"] = list(grouped.query_classes)
    if grouped.query_features is not None:
        known["row of query features"] = list(map(tuple, grouped.query_features.tolist()))
    for what, values in known.items():
        for number, home in enumerate(homes.tolist()):
            if values[number] != values[home]:
                raise RankwiseError(
                    f"query {grouped.query_ids[number]!r} must have one {what} to be merged, found "
                    f"{values[home]!r} and {values[number]!r}"
                )


def check_unique_queries(dataset: Dataset) -> None:
    """Refuse a query id that stands for two queries."""
    seen: set[str] = set()
    for query_id in dataset.query_ids:
        if query_id in seen:
            raise RankwiseError(f"query id {query_id!r} stands for more than one query")
        seen.add(query_id)


def _join(columns: Sequence[TextColumn | None]) -> TextColumn | None:
    present = [column.packed() for column in columns if column is not None]
    return join(present) if len(present) == len(columns) else None


def _join_weights(parts: Sequence[Dataset]) -> NDArray[np.float64] | None:
    """The weights of all rows; those of a part that has none are 1."""
    if all(part.weights is None for part in parts):
        return None
    given = [np.ones(p.n_documents) if p.weights is None else p.weights for p in parts]
    return np.concatenate(given)


def _join_classes(parts: Sequence[Dataset]) -> TextColumn | None:
    if len({part.query_classes is None for part in parts}) > 1:
        raise RankwiseError("either all data sets to join must have query classes or none of them")
    return _join([part.query_classes for part in parts])


def _join_query_features(parts: Sequence[Dataset]) -> NDArray[np.float64] | None:
    widths = {None if p.query_features is None else p.query_features.shape[1] for p in parts}
    if len(widths) > 1:
        raise RankwiseError("data sets to join must have equally many features of queries")
    found = [part.query_features for part in parts if part.query_features is not None]
    return np.concatenate(found) if found else None


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
            f"{list_names(own, _MOST_SHOWN)} beside {list_names(wanted, _MOST_SHOWN)}"
        )
    lacking = [name for name in wanted if name not in places]
    more = [name for name in own if name not in set(wanted)]
    remarks = [
        f"the source lacks {list_names(lacking, _MOST_SHOWN)} of the target's features, {how}"
    ] * bool(lacking)
    remarks += [
        f"{list_names(more, _MOST_SHOWN)} of the source, {how}, are not used: the target lacks them"
    ] * bool(more)
    return FeatureMatch(columns, target.feature_names, tuple(remarks))


def without_features(dataset: Dataset, columns: NDArray[np.int64]) -> Dataset:
    """The same width with 0 in these features, so that nothing can be learnt from them."""
    if len(columns) == 0:
        return dataset
    features = dataset.to_dense().features.copy()
    features[:, columns] = 0.0
    return replace(dataset, features=as_features(features))
