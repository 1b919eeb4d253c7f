"""One name, one thing: what a reader finds under a name does not depend on the room."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import rankwise

HOME = Path(rankwise.__file__).parent


def public_classes() -> dict[str, list[str]]:
    """The public classes at the top of every module, by name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(HOME.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(HOME).as_posix())
    return found


def test_no_two_public_classes_have_the_same_name() -> None:
    twice = {name: homes for name, homes in public_classes().items() if len(homes) > 1}
    assert twice == {}


def test_the_classes_of_the_package_are_found() -> None:
    assert public_classes()["ResultTable"] == ["results/result_table.py"]
