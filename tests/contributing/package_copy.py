"""A copy of the package in a temporary folder, to be extended as CONTRIBUTING says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rankwise


class PackageCopy:
    """The sources of Rankwise below a folder, and Python that imports them from there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        source = Path(rankwise.__file__).parent
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, folder / "rankwise", ignore=ignored)

    def write(self, path: str, text: str) -> None:
        """Add a file of the package."""
        target = self.folder / "rankwise" / path
        assert not target.exists()
        target.write_text(text, "utf-8")

    def append(self, path: str, text: str) -> None:
        """Add text to the end of a file."""
        target = self.folder / "rankwise" / path
        target.write_text(target.read_text("utf-8") + text, "utf-8")

    def insert_line(self, path: str, before: str, line: str) -> None:
        """Add one line to a file, before the only one that is `before`."""
        target = self.folder / "rankwise" / path
        lines = target.read_text("utf-8").splitlines(keepends=True)
        assert lines.count(before) == 1
        lines.insert(lines.index(before), line)
        target.write_text("".join(lines), "utf-8")

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
