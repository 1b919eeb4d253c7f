"""Fronts: names are there, listed once in a stub, and no module has the name of one."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rankwise

ROOT = Path(rankwise.__file__).parent
FRONTS = sorted(
    ".".join(("rankwise", *path.parent.relative_to(ROOT).parts))
    for path in ROOT.rglob("__init__.pyi")
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
def test_a_stub_says_to_checkers_what_is_loaded(name: str) -> None:
    """The loader leaves out names that are given another with `as`, and reads the stub as ASCII
    or as whatever the system writes."""
    stub = (ROOT / Path(*name.split(".")[1:]) / "__init__.pyi").read_text("ascii")
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    names = [alias for node in imports for alias in node.names]
    assert all(alias.asname == alias.name for alias in names)
    assert sorted(alias.name for alias in names) == importlib.import_module(name).__all__


def test_every_stub_is_loaded_and_ships() -> None:
    with (ROOT.parents[1] / "pyproject.toml").open("rb") as stream:
        assert "**/*.pyi" in tomllib.load(stream)["tool"]["setuptools"]["package-data"]["rankwise"]
    for name in FRONTS:
        assert importlib.import_module(name).__getattr__.__module__ == "lazy_loader"


@every_front
def test_no_name_is_also_that_of_a_module(name: str) -> None:
    """Importing the module would put it in the place of the function."""
    front = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(front.__path__)}
    rooms = {one for one in front.__all__ if is_room(front, one)}
    assert modules & set(front.__all__) == rooms


@every_front
def test_a_name_that_is_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match=f"No {name} attribute nothing_of_that_name"):
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
    assert set(ast.literal_eval(loaded)) <= set(FRONTS)
    assert numpy == "False"


def is_room(front: object, name: str) -> bool:
    return type(getattr(front, name)).__name__ == "module"
