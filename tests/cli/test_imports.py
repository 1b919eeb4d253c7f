"""Commands import the fronts of rooms and nothing behind them, for type checkers neither."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import rankwise.cli

FOLDER = Path(rankwise.cli.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
# What is no room: errors, how text from outside is shown, where own code is looked for, and the
# demo, which crosses all rooms.
MODULES = {
    *("rankwise", "rankwise.errors", "rankwise.sanitize", "rankwise.registry"),
    "rankwise.demonstration",
}
# What is no room's to offer: whether an output can be written is asked before any room is loaded.
NAMES = {("rankwise.files", "refuse_unwritable")}


def imported(source: str) -> Iterator[tuple[str, str]]:
    """Every module of rankwise that a file imports from, and what, wherever in the file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, "") for alias in node.names if alias.name.startswith("rankwise")
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankwise"):
            yield from ((node.module or "", alias.name) for alias in node.names)


def refusals(source: str) -> list[str]:
    """Imports that are not of a front, of the command line itself, or of one of `MODULES`."""
    found = []
    for module, name in imported(source):
        own = module == "rankwise.cli" or module.startswith("rankwise.cli.")
        room = module.count(".") == 1 and module not in MODULES
        front = room and name in getattr(import_module(module), "__all__", ())
        if not (own or front or module in MODULES or (module, name) in NAMES):
            found.append(f"{module}: {name}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_fronts_only(path: Path) -> None:
    assert refusals(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "from rankwise.data.reading import read",
        "import rankwise.data.reading",
        "from rankwise.data import reading",
        "from rankwise.files import write_text",
        "def f():\n    from rankwise.results.store.store import Store",
        "if TYPE_CHECKING:\n    from rankwise.results.store.store import Store",
    ],
)
def test_what_is_refused(line: str) -> None:
    assert len(refusals(line)) == 1


def test_what_is_allowed() -> None:
    allowed = "from rankwise.data import read\nfrom rankwise.cli.output import note\nimport numpy"
    assert refusals(allowed) == []
