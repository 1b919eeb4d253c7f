"""A data set is believed for its checksums or its facts, and for nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.data.catalog import CatalogEntry, find_entry
from rankwise.data.catalog.layout import find_layout
from rankwise.data.catalog.verifying import verify
from rankwise.errors import RankwiseError

from .little import ENTRY, SPLIT, entry, rows, write_folds, write_split


def check(wanted: CatalogEntry, folder: Path):
    return verify(wanted, find_layout(wanted, folder))


def test_facts_that_fit_are_kept(tmp_path: Path):
    checked = check(ENTRY, write_folds(tmp_path))
    labels = {"0": 3, "1": 3, "2": 3}
    assert checked.facts == {"documents": 9, "queries": 3, "features": 2, "labels": labels}
    assert checked.by == ("rows", "queries", "features", "labels", "label counts")
    train = (tmp_path / "Fold1" / "train.txt").read_bytes()
    assert checked.checksums["Fold1/train.txt"] == hashlib.sha256(train).hexdigest()


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"documents": 10}, "documents must be 10, found 9"),
        ({"queries": 1234}, "queries must be 1,234, found 3"),
        ({"features": 3}, "features must be 3, found 2"),
        ({"features": 1, "features_may_be_absent": True}, "features must be at most 1, found 2"),
        ({"label_levels": (0, 1), "label_counts": ()}, "labels must be 0, 1, found 2"),
        ({"label_counts": (4, 3, 2)}, "must be 0: 4 / 1: 3 / 2: 2, found 0: 3 / 1: 3 / 2: 3"),
        (
            {"label_levels": (), "label_counts": (), "label_range": (0.0, 1.5)},
            "labels must lie between 0 and 1.5, found 0 to 2",
        ),
    ],
)
def test_a_fact_that_does_not_fit_is_said(facts: dict[str, object], problem: str, tmp_path: Path):
    with pytest.raises(RankwiseError, match=f"is not letor4/mq2008: .*{problem}$"):
        check(entry(**facts), write_folds(tmp_path))


def test_everything_that_does_not_fit_is_in_one_sentence(tmp_path: Path):
    with pytest.raises(RankwiseError, match=r"documents must be .*; queries must be .*; features"):
        check(entry(documents=1, queries=1, features=1), write_folds(tmp_path))


def test_last_features_that_are_always_zero_may_be_absent(tmp_path: Path):
    sparse = entry(features=700, features_may_be_absent=True)
    assert check(sparse, write_folds(tmp_path)).facts["features"] == 2


def test_counts_of_single_parts_are_compared(tmp_path: Path):
    assert "counts of the parts" in check(SPLIT, write_split(tmp_path)).by
    (tmp_path / "vali.txt").write_text(rows("b") + rows("x"))
    wanted = replace(SPLIT, documents=12, queries=4, label_counts=())
    problem = "vali must have 1 queries and 3 documents, found 2 and 6"
    with pytest.raises(RankwiseError, match=problem):
        check(wanted, tmp_path)


def test_a_query_in_two_parts_of_a_fold_is_found(tmp_path: Path):
    write_folds(tmp_path)
    (tmp_path / "Fold2" / "vali.txt").write_text(rows("b"))
    with pytest.raises(RankwiseError, match="Fold2 has queries in two of its parts"):
        check(ENTRY, tmp_path)


def test_a_fold_that_lacks_a_document_is_found(tmp_path: Path):
    write_folds(tmp_path)
    (tmp_path / "Fold3" / "train.txt").write_text("1 qid:c 1:0.5 2:0.5\n")
    problem = "Fold3 has 3 queries and 7 documents, all test parts together have 3 and 9"
    with pytest.raises(RankwiseError, match=problem):
        check(ENTRY, tmp_path)


@pytest.mark.parametrize(
    ("scale", "null", "version"),
    [(1.0, False, "QueryLevelNorm"), (5.0, False, "MIN"), (5.0, True, "NULL"), (1.0, True, "NULL")],
)
def test_the_values_tell_the_version(scale: float, null: bool, version: str, tmp_path: Path):
    assert check(ENTRY, write_folds(tmp_path, scale=scale, null=null)).version == version


def test_a_folder_whose_name_lies_about_the_version_is_found(tmp_path: Path):
    write_folds(tmp_path / "QueryLevelNorm", scale=5.0)
    with pytest.raises(RankwiseError, match="the folder says QueryLevelNorm, the values are MIN"):
        check(ENTRY, tmp_path)


def test_what_nobody_knows_is_checked_for_its_layout_only(tmp_path: Path):
    assert check(find_entry("wcl2r/fs"), write_folds(tmp_path)).by == ("layout only",)


def test_a_malformed_file_is_the_readers_sentence(tmp_path: Path):
    write_folds(tmp_path)
    (tmp_path / "Fold1" / "train.txt").write_text("1 qid:a 1:0.5\nnonsense\n")
    with pytest.raises(RankwiseError, match=r"Fold1/train.txt:2"):
        check(ENTRY, tmp_path)


def sums_of(folder: Path) -> dict[str, str]:
    files = sorted(folder.rglob("*.txt"))
    content = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: hashlib.sha256(text).hexdigest() for name, text in content.items()}


def test_published_checksums_of_all_files_make_reading_unnecessary(tmp_path: Path):
    """The files are nonsense to the reader, yet their checksums are the published ones."""
    write_folds(tmp_path)
    for path in tmp_path.rglob("*.txt"):
        path.write_text("nonsense")
    checked = check(entry(file_checksums=sums_of(tmp_path), versions=()), tmp_path)
    assert checked.by == ("published SHA-256 checksums of all files",)
    assert checked.facts == {"documents": 9, "queries": 3, "features": 2}


def test_one_wrong_checksum_is_enough(tmp_path: Path):
    write_folds(tmp_path)
    wanted = entry(file_checksums=sums_of(tmp_path), versions=())
    (tmp_path / "Fold2" / "test.txt").write_text(rows("c", scale=0.5))
    with pytest.raises(RankwiseError, match=r"Fold2/test.txt must have the sha256 checksum"):
        check(wanted, tmp_path)


def test_progress_ends_at_one(tmp_path: Path):
    shares: list[float] = []
    verify(ENTRY, find_layout(ENTRY, write_folds(tmp_path)), shares.append)
    assert len(shares) == 9
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
