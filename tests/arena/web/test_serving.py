"""The command that serves, as a process: from data to an answer, and its end."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.arena import Arena, Listening, WebSettings, fill_demo
from rankwise.cli.main import main
from rankwise.data import split_folds, write_folds
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError

from .conftest import TASK, Made


@contextmanager
def serving(folder: Path, *words: object) -> Iterator[str]:
    """What the command says once it answers; it must end well when it is told to."""
    command = [sys.executable, "-m", "rankwise", "serve", *map(str, words), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder, text=True)
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline()]
        if "--data" in words:
            lines += [process.stdout.readline() for _ in range(3)]
        yield "".join(lines)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(600) in (0, 130)


def test_data_are_served_at_once(tmp_path: Path) -> None:
    write_folds(split_folds(make_dataset(40, seed=1)), tmp_path / "folds")
    with serving(tmp_path, "--data", tmp_path / "folds", "--root-path", "/lab") as said:
        origin = re.search(r"Open (http://127\.0\.0\.1:\d+)/lab/ in a browser", said)
        assert origin is not None
        (invitation,) = re.findall(r"participant +(\S+)", said)
        assert invitation.startswith(f"{origin[1]}/lab/invitations/rwi_")
        with urllib.request.urlopen(invitation) as answer:
            assert b"You are invited" in answer.read()
        with urllib.request.urlopen(f"{origin[1]}/lab/tasks/folds/board") as answer:
            assert b"Nothing has been submitted yet" in answer.read()
    with Arena.open(tmp_path / "arena") as arena:
        assert [task.name for task in arena.tasks()] == ["folds"]


def test_one_thing_is_served(made: Made, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="one thing is served"):
        rw.serve()
    with pytest.raises(RankwiseError, match="one thing is served"):
        rw.serve(made.folder / "arena", demo=True)
    with pytest.raises(RankwiseError, match="root path must begin with a slash"):
        WebSettings(root_path="arena/")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(RankwiseError, match="cannot listen on"):
            rw.serve(made.folder / "arena", listening=Listening(port=port))


def test_the_site_is_exported_by_command(made: Made, tmp_path: Path) -> None:
    arena = made.folder / "arena"
    done = CliRunner().invoke(main, ["serve", str(arena), "--export", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "site" / "index.html").is_file()
    assert (tmp_path / "site" / f"board-{TASK}.html").is_file()
    done = CliRunner().invoke(main, ["serve", "--demo", "--export", str(tmp_path / "other")])
    assert done.exit_code == 2 and "name one" in done.output


def test_the_demo_needs_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RankwiseError, match="a folder of its own"):
        fill_demo(tmp_path)


@pytest.mark.slow
def test_the_demo_is_filled_once(tmp_path: Path) -> None:
    said: list[Any] = []
    settings = fill_demo(tmp_path / "demo", told=said.append)
    assert fill_demo(tmp_path / "demo") == settings
    with Arena.open(settings) as arena:
        board = arena.board("made-up")
        assert {row.kind for row in board.rows} == {"entry", "baseline"}
        assert arena.audit().sound
