"""Fronts: names are there, typed as they are loaded, and no module has the name of one."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankwise
from rankwise.lazy import attach

ROOT = Path(rankwise.__file__).parent
FRONTS = sorted(
    ".".join(("rankwise", *path.parent.relative_to(ROOT).parts))
    for path in ROOT.rglob("__init__.py")
    if "attach(__name__" in path.read_text("utf-8")
)
every_front = pytest.mark.parametrize("name", FRONTS)


def test_every_room_has_a_front() -> None:
    others = {"cli", "native"}
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} - others
    assert {f"rankwise.{room}" for room in rooms} | {"rankwise"} <= set(FRONTS)


@every_front
def test_names_are_there(name: str) -> None:
    front = importlib.import_module(name)
    assert front.__all__ == sorted(set(front.__all__))
    for offered in front.__all__:
        assert getattr(front, offered) is not None
    assert dir(front) == front.__all__


@every_front
def test_type_checkers_see_the_names_that_are_loaded(name: str) -> None:
    assert declared(name) == set(importlib.import_module(name).__all__)


@every_front
def test_no_name_is_also_that_of_a_module(name: str) -> None:
    """Importing the module would put it in the place of the function."""
    front = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(front.__path__)}
    rooms = {one for one in front.__all__ if is_room(front, one)}
    assert modules & set(front.__all__) == rooms


@every_front
def test_a_name_that_is_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_that_name'"):
        importlib.import_module(name).nothing_of_that_name  # noqa: B018


def test_importing_a_front_imports_nothing_of_its_room() -> None:
    program = (
        "import sys\n"
        f"for name in {FRONTS!r}: __import__(name)\n"
        "print(sorted(name for name in sys.modules if name.startswith('rankwise.')))\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded, numpy = done.stdout.splitlines()
    assert set(ast.literal_eval(loaded)) <= {*FRONTS, "rankwise.lazy"}
    assert numpy == "False"


def test_a_name_may_be_offered_under_another() -> None:
    load, names, offered = attach("rankwise", {"rankwise.errors": ("RankwiseError as Mine",)})
    assert (names(), offered) == (["Mine"], ["Mine"])
    assert load("Mine") is rankwise.RankwiseError
    del rankwise.Mine  # type: ignore[attr-defined]


def declared(name: str) -> set[str]:
    """What the front imports for type checkers."""
    tree = ast.parse((ROOT / Path(*name.split(".")[1:]) / "__init__.py").read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def is_room(front: object, name: str) -> bool:
    return type(getattr(front, name)).__name__ == "module"
