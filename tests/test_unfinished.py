"""What a killed process leaves beside a file goes when that is written again, and only that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.data.folds import split_folds, write_folds
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.files import unfinished_file, unfinished_folder, write_text, written_whole

FILE = """
import os, signal, sys
from rankwise.files import written_whole

with written_whole(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
FOLDER = """
import os, signal, sys
from pathlib import Path
from rankwise.files import unfinished_folder

with unfinished_folder(Path(sys.argv[1])) as folder:
    (folder / "part").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_while_writing(program: str, target: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", program, str(target)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(target.parent.glob(f".{target.name}.*.unfinished"))) == 1


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_goes_with_the_next_writing(tmp_path: Path) -> None:
    target = tmp_path / "t.txt"
    kill_while_writing(FILE, target)
    write_text(target, "whole\n")
    assert names(tmp_path) == ["t.txt"]
    assert target.read_text() == "whole\n"


def test_a_folder_that_a_killed_process_left_goes_as_well(tmp_path: Path) -> None:
    target = tmp_path / "folds"
    kill_while_writing(FOLDER, target)
    write_folds(split_folds(make_dataset(25)), target)
    assert names(tmp_path) == ["folds"]


def test_what_somebody_is_writing_stays(tmp_path: Path) -> None:
    target = tmp_path / "t.txt"
    with unfinished_file(target) as (path, handle), unfinished_folder(target) as folder:
        write_text(target, "another was quicker\n")
        assert path.exists() and folder.exists()
        os.close(handle)
        assert target.read_text() == "another was quicker\n"
        write_text(target, "and again\n")
        assert path.exists()
    assert names(tmp_path) == ["t.txt"]


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = [".t.txt.swp", ".t.txt.abcd1234", ".other.txt.abcd1234.unfinished", "t.txt~"]
    for name in others:
        (tmp_path / name).write_text("mine")
    write_text(tmp_path / "t.txt", "whole\n")
    assert names(tmp_path) == sorted([*others, "t.txt"])


def test_a_failure_leaves_nothing_and_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "t.txt"
    write_text(target, "before\n")
    with pytest.raises(ZeroDivisionError), written_whole(target) as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    assert names(tmp_path) == ["t.txt"] and target.read_text() == "before\n"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    write_text(target, "whole\n")
    assert names(tmp_path) == [target.name]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("before\n")
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real.txt")
    write_text(link, "whole\n")
    assert link.is_symlink() and (tmp_path / "real.txt").read_text() == "whole\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_device_is_a_sentence_and_stays_a_device() -> None:
    with pytest.raises(RankwiseError, match="cannot write /dev/full: No space left on device"):
        write_text("/dev/full", "too much")
    write_text(os.devnull, "anything")
    assert not Path("/dev/full").is_file() and not Path(os.devnull).is_file()
