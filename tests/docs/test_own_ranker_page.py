"""docs/rankers/own-ranker.md is true: every block of it is run as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("lightgbm")

from tests.docs.page import blocks_of, run_block
from tests.docs.shell import FirstInOwnProcess

PAGE = Path(__file__).parents[2] / "docs" / "rankers" / "own-ranker.md"


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {}
    shell = FirstInOwnProcess()
    blocks = blocks_of(PAGE)
    assert {block.language for block in blocks} == {"python", "console", "pycon", "toml"}
    for block in blocks:
        run_block(block, names, f"{PAGE.name}:{block.line}", shell)
    # Its test file is one that pytest runs: 47 laws, none broken.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "46 passed, 9 skipped" in done.stdout, done.stdout
