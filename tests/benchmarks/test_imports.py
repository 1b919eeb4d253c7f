"""What benchmarks and studies import from Rankwise exists, in programs that they write, too."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted([*ROOT.glob("benchmarks/*.py"), *ROOT.glob("studies/*.py")])
IMPORT = re.compile(r"^\s*from (rankwise[\w.]*) import (\([^)]*\)|[^\n(]*)", re.MULTILINE)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_imported_name_exists(path: Path) -> None:
    for module, names in IMPORT.findall(path.read_text(encoding="utf-8")):
        for name in re.split(r"[,\s]+", names.strip("() \n")):
            bare = name.split(" as ")[0]
            if bare:
                assert _has(module, bare), f"{path.name}: {module} has no {bare}"


def _has(module: str, name: str) -> bool:
    if hasattr(importlib.import_module(module), name):
        return True
    try:
        importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True
