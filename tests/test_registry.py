"""`module:Name` is imported from where it may stand, and all that goes wrong is one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.registry import describe_failure, import_own, is_own, look_in


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("rankwise.registry._looked_in", [])
    return tmp_path


def test_names_with_a_colon_are_somebodys_own() -> None:
    assert is_own("mine:Ranker")
    assert not is_own("ranksvm-primal")


def test_members_of_members_are_found() -> None:
    assert import_own("os.path:join", "ranker") is os.path.join
    assert import_own("pathlib:Path.home", "ranker") == Path.home


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "mine.py:Ranker",
            "must be written module:Name, found 'mine.py:Ranker'; write mine:Ranker",
        ),
        ("folder/mine.py:Ranker", "write mine:Ranker, with its folder on PYTHONPATH"),
        (":Ranker", "must be written module:Name"),
        ("mine:", "must be written module:Name"),
        ("mine:a:b", "must be written module:Name"),
        ("no_such_module_here:Ranker", "there is no module 'no_such_module_here'; its folder must"),
        ("os.no_such_part:Ranker", "there is no module 'os.no_such_part'"),
        ("pathlib:Paht", "there is no 'Paht' in pathlib; did you mean 'Path'"),
        ("pathlib:zzz", "there is no 'zzz' in pathlib; it has "),
    ],
)
def test_what_cannot_be_found_is_told(name: str, sentence: str) -> None:
    with pytest.raises(RankwiseError) as caught:
        import_own(name, "ranker")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("1 / 0", "fails with ZeroDivisionError: division by zero (failing_of_a_test.py:1)"),
        ("import no_such_library_here", "ModuleNotFoundError: No module named 'no_such_library"),
        ("this is no Python", "fails with SyntaxError: invalid syntax"),
        ("raise SystemExit('bye')", "fails with SystemExit: bye"),
        ("raise ValueError('one\\ntwo')", "fails with ValueError: one (failing_of_a_test.py:1)"),
    ],
)
def test_a_module_that_fails_is_told(source: str, sentence: str, folder: Path) -> None:
    (folder / "failing_of_a_test.py").write_text(source)
    sys.path.insert(0, str(folder))
    with pytest.raises(RankwiseError, match="cannot be imported, its module fails") as caught:
        import_own("failing_of_a_test:Ranker", "ranker")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_is_looked_into_when_own_code_is_asked_for_and_not_before(folder: Path) -> None:
    (folder / "mine_of_this_test.py").write_text("class Ranker: ...")
    look_in(folder)
    assert str(folder) not in sys.path
    assert import_own("mine_of_this_test:Ranker", "ranker").__name__ == "Ranker"
    assert sys.path[0] == str(folder)
    import_own("mine_of_this_test:Ranker", "ranker")
    assert sys.path.count(str(folder)) == 1


def test_commands_take_no_file_of_the_current_folder_for_a_library(tmp_path: Path) -> None:
    """Data come from anywhere: a numpy.py beside them must not be run."""
    for name in ("numpy", "rich", "scipy", "numba"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was run')")
    program = "from rankwise.cli.main import run; run()"
    # As a console script is started: the folder of the script is on the path, not the current one.
    script = tmp_path / "bin" / "rankwise"
    script.parent.mkdir()
    script.write_text(program)
    done = subprocess.run([sys.executable, str(script), "rankers", "list"], cwd=tmp_path,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "lambdamart" in done.stdout


def test_failures_without_words_are_described() -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    assert describe_failure(Speechless()) == "Speechless: (no message)"
    assert describe_failure(KeyError()) == "KeyError: (no message)"
