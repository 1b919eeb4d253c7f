"""Classes of queries go from the file of queries into every version of the data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.collection import build_features, open_metadata
from rankwise.collection.build_folder import VERSION_FOLDERS
from rankwise.data.folds import read_folds
from rankwise.errors import RankwiseError
from rankwise.rankers.query_dependent.per_class import PerClass
from tests.collection.built import make_build

CLASSES = ("home page", "named page")


def _expected(query_id: str) -> str:
    return CLASSES[int(query_id) % 2]


def _check_classes(home: Path, n_features: int | None = None) -> int:
    for version in VERSION_FOLDERS:
        for fold in read_folds(home / version):
            for _, part in fold.parts():
                assert part.query_classes is not None
                assert list(part.query_classes) == [_expected(one) for one in part.query_ids]
                assert n_features in (None, part.n_features)
                n_features = part.n_features
    assert n_features is not None
    return n_features


def test_classes_of_the_query_file_come_along(tmp_path: Path) -> None:
    home = make_build(tmp_path, classes=CLASSES)
    _check_classes(home)
    rows = [row.split("\t") for row in (home / "queries.tsv").read_text().splitlines()[1:]]
    assert all(row[1] == _expected(row[0]) for row in rows)
    build_features(open_metadata(home / "Meta"), tmp_path / "again")
    _check_classes(tmp_path / "again")
    fold = read_folds(home / "QueryLevelNorm")[0]
    ranker = PerClass(of="ridge-regression")
    facts = ranker.fit(fold.train, fold.validation).facts
    assert facts["classes"] == 2 and "clusters" not in facts and "remarks" not in facts


def test_a_class_feature_numbers_the_classes_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "classes.tsv").write_text(
        "".join(f"{number}\t{_expected(str(number))}\n" for number in range(15))
    )
    other = ("one", "other")
    with_file = make_build(tmp_path, classes=other, query_classes=tmp_path / "classes.tsv")
    features = _check_classes(with_file)
    (tmp_path / "plain").mkdir()
    assert features == _count_features(make_build(tmp_path / "plain")) + 1


def _count_features(home: Path) -> int:
    return read_folds(home / "QueryLevelNorm")[0].train.n_features


def test_a_build_without_classes_says_what_rankers_take_instead(tmp_path: Path) -> None:
    fold = read_folds(make_build(tmp_path) / "QueryLevelNorm")[0]
    assert fold.train.query_classes is None
    wanted = ["the data give their queries no classes", "clusters of the training queries"]
    ranker = PerClass(of="ridge-regression")
    remarks = " ".join(ranker.fit(fold.train, fold.validation).facts["remarks"])
    assert all(part in remarks for part in wanted)
    asked = PerClass(of="ridge-regression", clusters=2)
    assert "remarks" not in asked.fit(fold.train, fold.validation).facts


def test_some_queries_with_a_class_and_some_without_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"either all queries must have a class .* for '1'"):
        make_build(tmp_path, classes=("home page", ""))
