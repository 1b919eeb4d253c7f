"""The public names of Rankwise: what it and the fronts of its rooms offer, with their homes.

They are read off the stubs of fronts, without importing anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankwise"


@dataclass(frozen=True)
class PublicName:
    """A name as a front offers it (`rankwise.data.read`) and where it is defined."""

    front: str
    name: str
    home: str

    @property
    def path(self) -> str:
        """What users write."""
        return f"{self.front}.{self.name}"

    @property
    def is_room(self) -> bool:
        """Whether it is a package with a front of its own."""
        return self.home == self.path and self.front == "rankwise"


def list_fronts() -> list[str]:
    """`rankwise`, then its rooms, in order."""
    rooms = [path.parent.name for path in sorted(SOURCE.glob("*/__init__.pyi"))]
    return ["rankwise", *(f"rankwise.{room}" for room in rooms)]


def list_names(front: str) -> list[PublicName]:
    """The names of a front, in order."""
    names = (PublicName(front, name, home) for name, home in _find_homes(front))
    return sorted(names, key=lambda one: one.name)


def describe_front(front: str) -> str:
    """The first paragraph of the docstring of a front."""
    text = ast.get_docstring(ast.parse(_read(front, "__init__.py"))) or ""
    return text.split("\n\n")[0]


def _find_homes(front: str) -> Iterator[tuple[str, str]]:
    for statement in ast.parse(_read(front, "__init__.pyi")).body:
        if isinstance(statement, ast.ImportFrom):
            home = f"{front}.{statement.module}" if statement.module else front
            for alias in statement.names:
                yield alias.name, f"{home}.{alias.name}"


def _read(front: str, file: str) -> str:
    return SOURCE.joinpath(*front.split(".")[1:], file).read_text("utf-8")
