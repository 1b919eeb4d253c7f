"""Features of a source that stand for those of a target, by name or by number."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.joining import match_features, without_features
from rankwise.data.sparse_features import as_sparse
from rankwise.errors import RankwiseError


def made(rows: list[list[float]], names: list[str] | None = None) -> Dataset:
    return Dataset.from_arrays(rows, [0.0] * len(rows), group=[len(rows)], feature_names=names)


def test_features_go_by_name_and_those_missing_are_told() -> None:
    source = made([[1.0, 2.0, 3.0]], ["b", "c", "x"])
    target = made([[7.0, 8.0, 9.0]], ["a", "b", "c"])
    match = match_features(source, target)
    found = match.apply(source)
    assert found.features.tolist() == [[0.0, 1.0, 2.0]]
    assert found.feature_names == ("a", "b", "c")
    assert match.lacking.tolist() == [0]
    assert match.remarks == (
        "the source lacks 'a' of the target's features, by name",
        "'x' of the source, by name, are not used: the target lacks them",
    )


@pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
def test_features_without_names_go_by_number(names: list[str] | None) -> None:
    source, target = made([[1.0, 2.0]]), made([[7.0, 8.0, 9.0]], names)
    found = match_features(source, target).apply(source)
    assert found.features.tolist() == [[1.0, 2.0, 0.0]]
    assert found.feature_names == target.feature_names


def test_a_source_with_the_same_features_is_not_copied() -> None:
    source, target = made([[1.0, 2.0]]), made([[7.0, 8.0]], ["a", "b"])
    found = match_features(source, target).apply(source)
    assert found.features.base is source.features.base
    assert found.feature_names == ("a", "b")


def test_sparse_sources_are_matched_too() -> None:
    source = made([[1.0, 0.0, 3.0], [0.0, 5.0, 0.0]])
    sparse = source.with_features(as_sparse(source.features))
    found = match_features(sparse, made([[7.0, 8.0]])).apply(sparse)
    assert found.features.tolist() == [[1.0, 0.0], [0.0, 5.0]]


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(RankwiseError, match="features in common, by name, found none: 'a' beside"):
        match_features(made([[1.0]], ["a"]), made([[1.0]], ["b"]))


def test_a_name_that_stands_twice_is_refused() -> None:
    with pytest.raises(RankwiseError, match="found 'a' twice in the source"):
        match_features(made([[1.0, 2.0]], ["a", "a"]), made([[1.0]], ["a"]))


def test_features_that_are_taken_out_are_0() -> None:
    data = made([[1.0, 2.0, 3.0]])
    assert without_features(data, np.array([0, 2])).features.tolist() == [[0.0, 2.0, 0.0]]
    assert data.features.tolist() == [[1.0, 2.0, 3.0]]
