"""Files of a data set are found under all names in use, and in the right place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.data.catalog import find_entry
from rankwise.data.catalog.layout import describe_whole_file, find_layout, is_data_name
from rankwise.data.folds import find_folds
from rankwise.errors import RankwiseError

from .little import ENTRY, SPLIT, entry, rows, write_folds, write_split

NAMINGS = {
    "LETOR 4.0": ("train.txt", "vali.txt", "test.txt"),
    "LETOR 3.0": ("trainingset.txt", "validationset.txt", "testset.txt"),
    "capitals": ("TRAIN.TXT", "VALI.TXT", "TEST.TXT"),
    "capital endings": ("train.TXT", "vali.TXT", "test.TXT"),
    "valid": ("train.txt", "valid.txt", "test.txt"),
    "compressed": ("train.txt.gz", "vali.txt.bz2", "test.txt.zst"),
    "other endings": ("train.dat", "validation.svm", "test"),
}
each_naming = pytest.mark.parametrize("names", NAMINGS.values(), ids=NAMINGS)


@each_naming
@pytest.mark.parametrize("fold", ["Fold{}", "fold{}", "Fold {}", "FOLD_0{}"])
def test_folds_are_found_under_all_names(names: tuple[str, str, str], fold: str, tmp_path: Path):
    root = write_folds(tmp_path / "deep" / "set", names, fold)
    layout = find_layout(ENTRY, tmp_path)
    assert (layout.root, layout.kind, layout.version) == (root, "folds", None)
    assert [name.split(".")[0] for name in layout.files] == [
        f"Fold{number}/{part}" for number in (1, 2, 3) for part in ("test", "train", "vali")
    ]


@each_naming
def test_the_same_files_are_taken_for_the_same_parts_as_elsewhere(
    names: tuple[str, str, str], tmp_path: Path
):
    write_folds(tmp_path, names)
    layout = find_layout(ENTRY, tmp_path)
    by_stem = {name.split(".")[0]: path for name, path in layout.files.items()}
    for files in find_folds(tmp_path):
        assert by_stem[f"Fold{files.number}/train"] == files.train
        assert by_stem[f"Fold{files.number}/vali"] == files.validation
        assert by_stem[f"Fold{files.number}/test"] == files.test


@each_naming
def test_a_single_split_is_found_under_all_names(names: tuple[str, str, str], tmp_path: Path):
    layout = find_layout(SPLIT, write_split(tmp_path, names))
    assert layout.kind == "split"
    assert {path.name for path in layout.files.values()} == set(names)


def test_compression_is_kept_in_the_name(tmp_path: Path):
    layout = find_layout(SPLIT, write_split(tmp_path, NAMINGS["compressed"]))
    assert set(layout.files) == {"train.txt.gz", "vali.txt.bz2", "test.txt.zst"}


def test_a_prefix_tells_two_sets_in_one_folder_apart(tmp_path: Path):
    for number in (1, 2):
        write_split(
            tmp_path, tuple(f"set{number}.{part}.txt" for part in ("train", "valid", "test"))
        )
    layout = find_layout(find_entry("yahoo/set2"), tmp_path)
    assert {path.name for path in layout.files.values()} == {
        "set2.train.txt",
        "set2.valid.txt",
        "set2.test.txt",
    }


def test_a_folder_name_tells_six_sets_in_one_archive_apart(tmp_path: Path):
    for name in ("2003_td_dataset", "2004_td_dataset", "2003_hp_dataset"):
        write_folds(tmp_path / "Gov" / "QueryLevelNorm" / name)
    layout = find_layout(replace(find_entry("letor3/td2004"), folds=3), tmp_path)
    assert layout.root.name == "2004_td_dataset"


def versions(folder: Path) -> Path:
    for name in ("Feature-null", "Feature-min", "QueryLevelNorm"):
        write_folds(folder / name)
    return folder


def test_the_preferred_version_is_taken(tmp_path: Path):
    layout = find_layout(ENTRY, versions(tmp_path))
    assert (layout.version, layout.root.name) == ("QueryLevelNorm", "QueryLevelNorm")


@pytest.mark.parametrize(("version", "name"), [("MIN", "Feature-min"), ("NULL", "Feature-null")])
def test_another_version_is_taken_when_named(version: str, name: str, tmp_path: Path):
    layout = find_layout(ENTRY, versions(tmp_path), version)
    assert (layout.version, layout.root.name) == (version, name)


def test_the_folder_that_was_named_tells_the_version(tmp_path: Path):
    assert find_layout(ENTRY, write_folds(tmp_path / "MIN")).version == "MIN"


def test_folders_above_the_named_one_say_nothing(tmp_path: Path):
    assert find_layout(ENTRY, write_folds(tmp_path / "min" / "set")).version is None


def test_a_version_that_is_not_there_is_a_sentence(tmp_path: Path):
    write_folds(tmp_path / "QueryLevelNorm")
    with pytest.raises(RankwiseError, match="in the version NULL; it holds QueryLevelNorm"):
        find_layout(ENTRY, tmp_path, "NULL")


def test_a_version_of_something_without_versions_is_a_sentence(tmp_path: Path):
    with pytest.raises(RankwiseError, match="mslr/web10k has the versions none; found 'MIN'"):
        find_layout(find_entry("mslr/web10k"), tmp_path, "MIN")


def test_several_copies_are_a_question_to_the_user(tmp_path: Path):
    write_folds(tmp_path / "one")
    write_folds(tmp_path / "two")
    with pytest.raises(RankwiseError, match=r"holds 2 copies .*one.*two.*; name one of them"):
        find_layout(ENTRY, tmp_path)


def test_parts_and_a_whole_file_are_taken_where_there_are_no_folds(tmp_path: Path):
    for number in (1, 2, 3):
        (tmp_path / f"S{number}.txt").write_text(rows("abc"[number - 1]))
    assert find_layout(ENTRY, tmp_path).kind == "parts"
    whole = tmp_path / "ALL"
    whole.mkdir()
    (whole / "MQ2008.txt").write_text("".join(map(rows, "abc")))
    assert find_layout(ENTRY, tmp_path).kind == "parts"
    assert find_layout(ENTRY, whole).files == {"all.txt": whole / "MQ2008.txt"}
    write_folds(tmp_path)
    assert find_layout(ENTRY, tmp_path).kind == "folds"


def test_a_missing_file_is_named(tmp_path: Path):
    (write_folds(tmp_path) / "Fold2" / "vali.txt").unlink()
    with pytest.raises(RankwiseError, match=r"missing: Fold2/vali$"):
        find_layout(ENTRY, tmp_path)


def test_a_missing_fold_is_named(tmp_path: Path):
    with pytest.raises(RankwiseError, match=r"missing: Fold4/train, Fold4/vali, Fold4/test$"):
        find_layout(entry(folds=4), write_folds(tmp_path))


def test_where_the_number_of_folds_is_unknown_all_that_are_there_are_taken(tmp_path: Path):
    layout = find_layout(find_entry("wcl2r/fs"), write_folds(tmp_path))
    assert (layout.kind, len(layout.files)) == ("folds", 9)


def test_an_empty_folder_and_one_fold_alone_are_sentences(tmp_path: Path):
    write_folds(tmp_path / "set")
    for folder in (tmp_path / "none", tmp_path / "set" / "Fold1"):
        folder.mkdir(exist_ok=True)
        with pytest.raises(
            RankwiseError, match=r"the folders Fold1 to Fold3 with train.txt, vali.txt"
        ):
            find_layout(ENTRY, folder)


def test_a_file_both_plain_and_compressed_is_a_sentence(tmp_path: Path):
    write_folds(tmp_path)
    (tmp_path / "Fold1" / "train.txt.gz").write_bytes(b"")
    with pytest.raises(RankwiseError, match="both plain and compressed"):
        find_layout(ENTRY, tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "wanted"),
    [
        ("letor4/mq2008", "MQ2008/Fold1/train.txt", True),
        ("letor4/mq2008", "MQ2008/S1.txt", True),
        ("letor4/mq2008", "MQ2008/train.txt", False),
        ("letor4/mq2008", "MQ2008/Fold1/README", False),
        ("istella/22", "istella22/train.svm.gz", True),
        ("istella/22", "istella22/docs.jsonl.gz", False),
        ("istella/full", "full/vali.txt", False),
        ("yandex/imat2009", "imat2009-datasets/imat2009_learning.txt", True),
        ("yandex/imat2009", "imat2009-datasets/imat2009_test.txt", False),
        ("yahoo/set1", "set1.valid.txt", True),
        ("yahoo/set1", "set2.valid.txt", False),
    ],
)
def test_only_files_of_the_data_set_are_taken_from_an_archive(name: str, file: str, wanted: bool):
    assert is_data_name(find_entry(name), file) is wanted


def test_a_single_file_is_the_whole(tmp_path: Path):
    assert describe_whole_file(tmp_path / "any.txt").files == {"all.txt": tmp_path / "any.txt"}
    assert describe_whole_file(tmp_path / "any.txt.gz").files == {
        "all.txt.gz": tmp_path / "any.txt.gz"
    }
