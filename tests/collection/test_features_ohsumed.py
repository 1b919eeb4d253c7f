"""LETOR's OHSUMED, rebuilt from its metadata alone: every published file, to the byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.build_folder import make_versions, round_as_printed, write_versions
from rankwise.collection.features.definition import Parameters
from rankwise.collection.features.feature_sets import compute_dataset, make_feature_set
from rankwise.collection.metadata import (
    format_query,
    make_query_file_name,
    read_collection,
    read_queries,
)
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import FILL_RULES, count_null
from rankwise.data.reading import read
from rankwise.errors import RankwiseError

from .made import made_collection, made_query

Meta = tuple[CollectionStatistics, list[QueryStatistics]]


@pytest.fixture(scope="module")
def ohsumed(shared: Path) -> Path:
    return shared / "data" / "letor3" / "OHSUMED"


@pytest.fixture(scope="module")
def meta(ohsumed: Path) -> Meta:
    collection = read_collection(ohsumed / "Meta")
    return collection, list(read_queries(ohsumed / "Meta", collection))


def test_all_query_files_are_rewritten_byte_for_byte(meta: Meta, ohsumed: Path) -> None:
    assert len(meta[1]) == 106
    for query in meta[1]:
        path = ohsumed / "Meta" / make_query_file_name(query.query_id)
        assert format_query(query).encode() == path.read_bytes(), path.name


@pytest.fixture(scope="module")
def rebuilt(meta: Meta, tmp_path_factory: pytest.TempPathFactory) -> Path:
    collection, queries = meta
    features = make_feature_set("ohsumed", collection)
    versions = make_versions(compute_dataset(collection, queries, features), features.fill_rule)
    target = tmp_path_factory.mktemp("rebuilt") / "OHSUMED"
    assert len(write_versions(versions, target, collection.name)) == 47
    return target


@pytest.mark.parametrize(
    "name",
    [
        "Feature-null/ALL/OHSUMED.txt",
        "Feature-min/ALL/OHSUMED.txt",
        *(
            f"QueryLevelNorm/Fold{fold}/{part}.txt"
            for fold in range(1, 6)
            for part in ("train", "vali", "test")
        ),
    ],
)
def test_published_file_byte_for_byte(name: str, ohsumed: Path, rebuilt: Path) -> None:
    assert (rebuilt / name).read_bytes() == (ohsumed / name).read_bytes()


def test_the_folds_of_null_and_min_hold_the_rows_of_the_whole_file(rebuilt: Path) -> None:
    for version in ("Feature-null", "Feature-min"):
        whole = (rebuilt / version / "ALL" / "OHSUMED.txt").read_bytes()
        tests = [rebuilt / version / f"Fold{fold}" / "testset.txt" for fold in (2, 3, 4, 5, 1)]
        assert b"".join(path.read_bytes() for path in tests) == whole


def test_the_fill_rule_of_the_set_is_that_of_the_files(meta: Meta) -> None:
    rule = make_feature_set("ohsumed", meta[0]).fill_rule
    assert rule.exceptions == FILL_RULES["letor3-files"].exceptions


@pytest.mark.parametrize(
    ("change", "features"),
    [
        ({"k1": 1.2001}, {11, 12, 26, 27, 41, 42}),
        ({"b": 0.7501}, {11, 12, 26, 27, 41, 42}),
        ({"k3": 7.01}, {11, 12, 26, 27, 41, 42}),
        ({"average_length_digits": None}, {11, 12, 26, 27, 41, 42}),
        ({"mu": 50.01}, {13, 28, 43}),
        ({"lambda_": 0.5001}, {14, 29, 44}),
        ({"delta": 0.5001}, {15, 30, 45}),
    ],
)
def test_a_parameter_changes_its_own_features_only(
    change: dict[str, float], features: set[int], meta: Meta, ohsumed: Path
) -> None:
    collection, queries = meta
    chosen = make_feature_set("ohsumed", collection, replace(Parameters(), **change))
    # Query 22 has a repeated word, so that k3 counts.
    found = round_as_printed(compute_dataset(collection, queries[21:30], chosen)).features
    real = read(ohsumed / "Feature-null" / "ALL" / "OHSUMED.txt").select_queries(slice(21, 30))
    differs = (found != real.features) & ~(np.isnan(found) & np.isnan(real.features))
    assert {int(number) + 1 for number in np.flatnonzero(differs.any(axis=0))} == features


def test_null_values_of_the_rebuilt_data(meta: Meta) -> None:
    collection, queries = meta
    dataset = compute_dataset(collection, queries, make_feature_set("extended", collection))
    assert dataset.n_features == 3 * (15 + 13)
    assert count_null(dataset) == 51_490


def test_as_printed_is_what_is_read_back(tmp_path: Path) -> None:
    values = [1 / 128, 2 / 3, -1e-9, 1e12 / 3, 5e-7, np.nan]
    dataset = Dataset.from_arrays(np.array([values]), [1], [1])
    from rankwise.data.reading import write

    write(dataset, tmp_path / "x.txt", numbers="fixed6")
    printed = round_as_printed(dataset).features
    assert np.array_equal(printed, read(tmp_path / "x.txt").features, equal_nan=True)
    assert printed[0, 0] == 0.007813


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    collection = made_collection()
    queries = [made_query(n, collection, query_id=str(n)) for n in range(5)]
    features = make_feature_set("ohsumed", collection)
    versions = make_versions(compute_dataset(collection, queries, features))
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RankwiseError, match="not an empty folder"):
        write_versions(versions, tmp_path, "made")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_too_few_queries_for_folds_leave_nothing(tmp_path: Path) -> None:
    collection = made_collection()
    queries = [made_query(n, collection, query_id=str(n)) for n in range(4)]
    features = make_feature_set("ohsumed", collection)
    versions = make_versions(compute_dataset(collection, queries, features))
    with pytest.raises(RankwiseError, match="every part needs at least one query"):
        write_versions(versions, tmp_path / "out", "made")
    assert not (tmp_path / "out").exists()


def test_no_queries_make_no_data_set() -> None:
    collection = made_collection()
    with pytest.raises(RankwiseError, match="at least one query"):
        compute_dataset(collection, [], make_feature_set("ohsumed", collection))
