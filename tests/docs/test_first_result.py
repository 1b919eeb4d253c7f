"""docs/start/first-result.md shows what the demo prints, by the Python that the page names."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from tests.cli.whole_program import rankwise
from tests.docs.page import ROOT, blocks_of

PAGE = ROOT / "docs/start/first-result.md"


@pytest.mark.slow
def test_the_demo_prints_the_table_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = re.search(r"\(Python ([\d.]+), 120 queries\)", PAGE.read_text("utf-8"))
    assert named
    if named[1] != platform.python_version():
        pytest.skip(f"other pages are the documentation of another Python than {named[1]}")
    monkeypatch.chdir(tmp_path)
    (table,) = (block.text for block in blocks_of(PAGE) if block.language == "text")
    ended = rankwise("demo")
    assert ended.code == 0, ended.err
    printed = [line.split() for line in ended.out.splitlines()]
    assert all(line.split() in printed for line in table.splitlines() if "─" not in line)
