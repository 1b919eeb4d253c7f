"""Commands of pages: those of Rankwise alone are run in this process, the rest by a shell."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from rankwise.cli import main

# Counts that only make a study finer: a test of the page needs the command, not the precision.
SMALLER = {
    "--sessions": "60", "--runs": "1", "--checkpoints": "1", "--bootstrap": "20",
    "--jobs": "1",
}  # fmt: skip
# The same where the page leaves a count open.
ADDED = {("model", "cost"): ("--repeats", "1")}
# Figures for print take seconds each; tests/reports draws them.
UNDRAWN = ("--figures", "none")
_PROGRAM = "from rankwise.cli.main import run\nif __name__ == '__main__':\n    run()\n"


class Shell(Protocol):
    """What runs a command and gives its output back.

    A command that fails fails the test, unless the page shows how it is refused.
    """

    def run(self, command: str, page: str, *, refused: bool = False) -> str:
        """The output of the command, errors included."""


class OwnProcess:
    """Every command in a process of its own, as it stands."""

    def run(self, command: str, page: str, *, refused: bool = False) -> str:
        """As a console script is started: its own folder is on the path, not the current one."""
        done = subprocess.run(["bash", "-euc", command], text=True, env=_surroundings(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        wanted = 2 if refused else 0
        assert done.returncode == wanted, f"{page}: {command}\n{done.stdout}"
        return done.stdout


class ThisProcess(OwnProcess):
    """Commands of Rankwise in this process, with small counts; what needs a shell by a shell."""

    def run(self, command: str, page: str, *, refused: bool = False) -> str:
        """The same output, sooner."""
        words = _read_words(command)
        if words is None:
            return super().run(command, page, refused=refused)
        if not words:
            return ""
        code, said = _run_program(_make_smaller(words[1:]))
        assert code == (2 if refused else 0), f"{page}: {command}\n{said}"
        return said


class FirstInOwnProcess(ThisProcess):
    """The first command as a user starts it; the others need no libraries loaded anew."""

    def __init__(self) -> None:
        self._begun = False

    def run(self, command: str, page: str, *, refused: bool = False) -> str:
        """The same output, whichever process it comes from."""
        if self._begun:
            return super().run(command, page, refused=refused)
        self._begun = True
        return OwnProcess.run(self, command, page, refused=refused)


def _read_words(command: str) -> list[str] | None:
    """The words of a plain command of Rankwise; None where a shell is needed."""
    if re.search(r"[$*`]|<<", command):
        return None
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    words = list(reader)
    if any(set(word) <= set("();<>|&") for word in words):
        return None
    return words if not words or words[0] == "rankwise" else None


def _make_smaller(words: list[str]) -> list[str]:
    made = list(words)
    for place, word in enumerate(words[:-1]):
        if word in SMALLER:
            made[place + 1] = SMALLER[word]
    for command, added in ADDED.items():
        if tuple(words[: len(command)]) == command and added[0] not in words:
            made += added
    report = words[:1] == ["compare"] and "-o" in words and "--figures" not in words
    return [*made, *UNDRAWN] if report else made


def _run_program(arguments: list[str]) -> tuple[object, str]:
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rankwise", *arguments])
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                main.run()
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
    return code, said.getvalue()


def _surroundings() -> dict[str, str]:
    """With this `python`, and a `rankwise` that runs by it, first on the path of programs."""
    folder = Path(".scripts").resolve()
    folder.mkdir(exist_ok=True)
    script = folder / "rankwise"
    if not script.exists():
        script.write_text(f"#!{sys.executable}\n{_PROGRAM}")
        script.chmod(0o755)
    places = (str(folder), str(Path(sys.executable).parent), os.environ["PATH"])
    return os.environ | {"PATH": os.pathsep.join(places)}
