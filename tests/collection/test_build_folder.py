"""The folder of a build: whose it may be, and one build at a time in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.collection.build_folder import (
    FEATURES_MARK_TEXT,
    MARK,
    is_mark,
    lock_folder,
    open_build_folder,
    prepare_folder,
)
from rankwise.errors import RankwiseError


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(RankwiseError, match="holds other files"):
        prepare_folder(tmp_path)


def test_a_mark_that_was_never_finished_does_not_block_the_folder(tmp_path: Path) -> None:
    (tmp_path / ".build.txt.0a1b2c3d.unfinished").write_text("A fol")
    prepare_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["build.txt"]


def test_nothing_is_removed_from_a_folder_that_is_refused(tmp_path: Path) -> None:
    for name in (".build.txt.0a1b2c3d.unfinished", "thesis.txt"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(RankwiseError, match="holds other files"):
        prepare_folder(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_two_builds_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with open_build_folder(tmp_path) as home:
        assert home == tmp_path
        with (
            pytest.raises(RankwiseError, match="another build is at work in"),
            open_build_folder(home),
        ):
            pass
    with open_build_folder(tmp_path):
        pass


@pytest.mark.parametrize(("text", "marked"), [(FEATURES_MARK_TEXT, True), ("how to\n", False)])
def test_no_build_goes_on_among_features_of_metadata_or_another_build_txt(
    tmp_path: Path, text: str, marked: bool
) -> None:
    (tmp_path / MARK).write_text(text)
    assert is_mark(tmp_path / MARK) is marked
    with pytest.raises(RankwiseError, match="holds other files"):
        prepare_folder(tmp_path)
    assert (tmp_path / MARK).read_text() == text


def test_a_lock_alone_does_not_block_the_folder(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        assert list(tmp_path.iterdir()) and prepare_folder(tmp_path) == tmp_path
