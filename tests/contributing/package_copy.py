"""A copy of the package in a temporary folder, to be extended as CONTRIBUTING says."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import cache_from_source
from pathlib import Path

import rankwise

# Commands in a process that has begun, each from the entry point to its exit code.
_COMMANDS = """
import contextlib, io, json, sys
from rankwise.cli.main import run

def answer(words):
    sys.argv = ["rankwise", *words]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            run()
        except SystemExit as end:
            assert not end.code, words
    return said.getvalue()

print(json.dumps([answer(words) for words in json.loads(sys.argv[1])]))
"""


class PackageCopy:
    """The sources of Rankwise below a folder, and Python that imports them from there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[Path, str | None] = {}
        source = Path(rankwise.__file__).parent
        # What Python compiled stays valid with the time and size of a file; while it is written its
        # name goes on after `.pyc`.
        ignored = shutil.ignore_patterns("*.pyc.*", "*.lock*", "*_sanitized*")
        shutil.copytree(source, folder / "rankwise", ignore=ignored, copy_function=_copy)

    def write(self, path: str, text: str) -> None:
        """Add a file of the package."""
        target = self.folder / "rankwise" / path
        assert not target.exists()
        self._put(target, text)

    def append(self, path: str, text: str) -> None:
        """Add text to the end of a file."""
        target = self.folder / "rankwise" / path
        self._put(target, target.read_text("utf-8") + text)

    def insert_line(self, path: str, before: str, line: str) -> None:
        """Add one line to a file, before the only one that is `before`."""
        target = self.folder / "rankwise" / path
        lines = target.read_text("utf-8").splitlines(keepends=True)
        assert lines.count(before) == 1
        lines.insert(lines.index(before), line)
        self._put(target, "".join(lines))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`python` with these arguments, which must succeed."""
        ended = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended

    def answer(self, *commands: Sequence[str], program: str = "") -> list[str]:
        """What commands of Rankwise print, and after them a program: Python starts once."""
        ended = self.run("-c", f"{_COMMANDS}\n{program}", json.dumps(commands))
        said, _, printed = ended.stdout.partition("\n")
        return [*json.loads(said), printed]

    @contextlib.contextmanager
    def undone(self) -> Iterator[PackageCopy]:
        """What is added is taken back in the end: the next test need not copy the package."""
        try:
            yield self
        finally:
            for target, text in self._before.items():
                _write(target, text)
            self._before.clear()

    def _put(self, target: Path, text: str) -> None:
        before = target.read_text("utf-8") if target.exists() else None
        self._before.setdefault(target, before)
        _write(target, text)


def _write(target: Path, text: str | None) -> None:
    """The text of a file, or no file; Python compiles it anew even within the same second."""
    Path(cache_from_source(str(target))).unlink(missing_ok=True)
    if text is None:
        target.unlink()
    else:
        target.write_text(text, "utf-8")


def _copy(source: str, target: str) -> None:
    """Tests that run beside this one compile, and rename what they wrote at first.

    For that reason what Python compiled is only linked: it is replaced, never written into.
    """
    with contextlib.suppress(FileNotFoundError):
        if source.endswith(".pyc"):
            with contextlib.suppress(OSError):
                os.link(source, target)
                return
        shutil.copy2(source, target)
