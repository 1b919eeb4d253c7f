"""The public API is what tests/public_api.txt lists, so that a break is seen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
LISTED = (ROOT / "tests/public_api.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def lister() -> ModuleType:
    path = ROOT / "build_tools/list_public_api.py"
    spec = importlib.util.spec_from_file_location("list_public_api", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def test_the_list_is_that_of_the_code(lister: ModuleType) -> None:
    found = list(lister.list_api())
    gone = sorted(set(LISTED) - set(found))
    assert not gone, "a break: say it in CHANGELOG.md, raise the version, list the API anew"
    new = sorted(set(found) - set(LISTED))
    assert not new, "run: python build_tools/list_public_api.py > tests/public_api.txt"
    assert found == LISTED


def test_arguments_that_are_needed_are_told_from_others(lister: ModuleType) -> None:
    def scored(dataset: object, *scores: object, tool: str = "letor4", **rest: object) -> None: ...

    def named(dataset: object, *, measure: str, tool: str = "letor4") -> None: ...

    assert lister._describe(scored) == "(dataset, *scores, tool=, **rest)"
    assert lister._describe(named) == "(dataset, *, measure, tool=)"
    assert lister._describe(7) == ""
