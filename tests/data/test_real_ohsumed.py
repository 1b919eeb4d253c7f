"""LETOR's own files, rebuilt: MIN from NULL, QueryLevelNorm from MIN, folds from parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.folds import (
    NAMINGS,
    compose_folds,
    cut_into_parts,
    read_folds,
    write_folds,
)
from rankwise.data.joining import concatenate
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.normalization.scales import count_null, fill_null, query_level_norm
from rankwise.data.reading import read, write
from tests.data.fold_problems import fold_problems

# Fold f is tested on part S(f - 1), fold 1 on S5.
FOLDS_TESTED_ON_S1_TO_S5 = (2, 3, 4, 5, 1)
MQ2008_SIZES = [157, 157, 157, 157, 156]
BM25_AND_ITS_LOGARITHM = (11, 12, 26, 27, 41, 42)
NULL_ROWS_OF_STREAMS = {"title": 5344, "abstract": 3378, "title and abstract": 1576}


@pytest.fixture(scope="module")
def ohsumed(shared: Path) -> Path:
    return shared / "data" / "letor3" / "OHSUMED"


@pytest.fixture(scope="module")
def null(ohsumed: Path) -> Dataset:
    return read(ohsumed / "Feature-null" / "ALL" / "OHSUMED.txt")


@pytest.fixture(scope="module")
def minimum(ohsumed: Path) -> Dataset:
    return read(ohsumed / "Feature-min" / "ALL" / "OHSUMED.txt")


@pytest.fixture(scope="module")
def mq2008(shared: Path) -> Path:
    return shared / "data" / "letor4" / "MQ2008"


def test_null_by_stream(null: Dataset) -> None:
    assert count_null(null) == 5 * sum(NULL_ROWS_OF_STREAMS.values()) == 51490


def test_min_from_null_byte_for_byte(ohsumed: Path, null: Dataset, tmp_path: Path) -> None:
    write(fill_null(null, "letor3-files"), tmp_path / "min.txt", numbers="fixed6")
    real = ohsumed / "Feature-min" / "ALL" / "OHSUMED.txt"
    assert (tmp_path / "min.txt").read_bytes() == real.read_bytes()


def test_the_papers_rule_differs_for_bm25_and_its_logarithm_only(
    null: Dataset, minimum: Dataset
) -> None:
    differs = fill_null(null).features != minimum.features
    features = tuple(int(feature) + 1 for feature in np.flatnonzero(differs.any(axis=0)))
    assert features == BM25_AND_ITS_LOGARITHM
    assert differs.sum() == 2 * sum(NULL_ROWS_OF_STREAMS.values())


@pytest.mark.parametrize(
    ("feature", "queries"), [(27, [36, 50, 83, 96]), (42, [36, 49, 50, 83, 96])]
)
def test_the_files_zero_can_lie_above_the_minimum(
    null: Dataset, feature: int, queries: list[int]
) -> None:
    least = [np.nanmin(query.features[:, feature - 1]) for query in null.queries()]
    absent = [np.isnan(query.features[:, feature - 1]).any() for query in null.queries()]
    found = [
        int(query_id)
        for query_id, value, some in zip(null.query_ids, least, absent, strict=True)
        if value < 0 and some
    ]
    assert found == queries


def test_query_level_norm_from_min_byte_for_byte(
    ohsumed: Path, minimum: Dataset, tmp_path: Path
) -> None:
    write(query_level_norm(minimum), tmp_path / "norm.txt", numbers="letor3-normalized")
    folder = ohsumed / "QueryLevelNorm"
    real = [folder / f"Fold{number}" / "test.txt" for number in FOLDS_TESTED_ON_S1_TO_S5]
    assert (tmp_path / "norm.txt").read_bytes() == b"".join(path.read_bytes() for path in real)


def test_all_fifteen_fold_files_from_null_byte_for_byte(
    ohsumed: Path, null: Dataset, tmp_path: Path
) -> None:
    norm = normalize(null, "query-level", fill_rule="letor3-files")
    folds = compose_folds(cut_into_parts(norm, 5, seed=None))
    write_folds(folds, tmp_path / "out", numbers="letor3-normalized")
    for number in range(1, 6):
        for name in NAMINGS["letor4"].values():
            found = (tmp_path / "out" / f"Fold{number}" / name).read_bytes()
            assert found == (ohsumed / "QueryLevelNorm" / f"Fold{number}" / name).read_bytes()


def test_the_parts_of_ohsumed(null: Dataset) -> None:
    parts = cut_into_parts(null, 5, seed=None)
    assert [part.n_queries for part in parts] == [21, 21, 21, 21, 22]
    assert [part.n_documents for part in parts] == [2570, 3076, 3573, 3538, 3383]


@pytest.mark.parametrize("name", ["ohsumed", "mq2008"])
def test_folds_composed_from_the_real_parts_are_the_real_folds(
    name: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(name)
    real = read_folds(folder / "QueryLevelNorm" if name == "ohsumed" else folder)
    parts = [real[number - 1].test for number in FOLDS_TESTED_ON_S1_TO_S5]
    for composed, fold in zip(compose_folds(parts), real, strict=True):
        assert composed.number == fold.number
        for (part, found), (same, expected) in zip(composed.parts(), fold.parts(), strict=True):
            assert part == same
            assert found.equals(expected)
    assert fold_problems(real) == []


def test_mq2008_is_cut_into_runs_of_other_sizes_than_ohsumed(mq2008: Path) -> None:
    parts = [read(mq2008 / f"Fold{fold}" / "test.txt") for fold in FOLDS_TESTED_ON_S1_TO_S5]
    assert [part.n_queries for part in parts] == MQ2008_SIZES
    cut = cut_into_parts(concatenate(parts), seed=None, sizes=MQ2008_SIZES)
    assert all(found.equals(part) for found, part in zip(cut, parts, strict=True))


def test_mq2008_is_query_level_normalized_already(mq2008: Path) -> None:
    part = read(mq2008 / "Fold1" / "test.txt")
    assert np.array_equal(query_level_norm(part).features, part.features)


def test_folds_that_share_queries_are_found_out(mq2008: Path) -> None:
    [first, second, *_] = read_folds(mq2008)
    leaking = type(first)(1, first.train, first.validation, second.test)
    [problem] = fold_problems([leaking])
    assert problem.where == "train, test"
    assert problem.sentence.startswith("a query may stand in one part only, found 10002, ")
    assert problem.sentence.endswith("and 152 more in both")
