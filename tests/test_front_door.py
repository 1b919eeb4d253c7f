"""Every command has a function at the front door that gives the same figures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rankwise.cli.main import main
from tests.experiments.running import tasks_here
from tests.front_door import (
    rows_arena,
    rows_data,
    rows_feedback,
    rows_measures,
    rows_rankers,
    rows_results,
    rows_serving,
)
from tests.front_door.table import ROWS, Case

MODULES = (
    rows_arena,
    rows_data,
    rows_feedback,
    rows_measures,
    rows_rankers,
    rows_results,
    rows_serving,
)
# It is about the command line itself: there is nothing of it that Python could ask for.
WITHOUT_FUNCTION = {"completion"}


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("made")


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all commands that are no groups."""
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


def test_every_command_has_a_row() -> None:
    assert set(ROWS) | WITHOUT_FUNCTION == set(leaves(main))
    assert not set(ROWS) & WITHOUT_FUNCTION


@pytest.mark.parametrize("command", ROWS)
def test_the_function_answers_as_the_command(
    command: str, shared_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A second process takes longer to start than to work on data as small as these.
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0}, raising=False)
    with tasks_here():
        by_command, by_function = ROWS[command](Case(tmp_path, shared_folder, monkeypatch))
    assert by_command == by_function


def test_importing_the_front_door_imports_nothing_heavy() -> None:
    program = (
        "import sys, rankwise as rw\n"
        "rw.evaluate, rw.compare, rw.bench\n"
        "print(sorted({'numba', 'pandas', 'polars', 'matplotlib', 'click'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
    program = "import sys, rankwise; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
