"""The glossary: in order, and every name it gives is there in code."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from rankwise.results.result_table import COLUMNS

ROOT = Path(__file__).parent.parent
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word")
]


def resolve(path: str) -> Any:
    """The module, class or function of a dotted path."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        home, _, name = path.rpartition(".")
        return getattr(resolve(home), name)


def test_the_words_are_in_order_and_appear_once() -> None:
    words = [word.casefold() for word, _, _ in ROWS]
    assert words == sorted(set(words))
    assert {"measure", "value", "cut-off", "ranker", "probability", "digest"} <= set(words)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_names_are_there(row: list[str]) -> None:
    for attribute, path in re.findall(r"(?:`(\w+)` of )?`((?:rankwise|studies)\.[\w.]+)`", row[2]):
        found = resolve(path)
        if attribute:
            known = {*dir(found), *getattr(found, "__dataclass_fields__", ())}
            assert attribute in known
    for column in re.findall(r"column `(\w+)`", row[2]):
        assert column in COLUMNS


def test_the_front_pages_lead_to_it() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        assert "docs/glossary.md" in (ROOT / page).read_text("utf-8")
