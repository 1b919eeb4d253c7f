"""Which compiled kernels a ranker may call: read from its source, name by name, without running it.

Only what says how long compiling will take rests on this; a kernel that it does not see is compiled
all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from rankwise.python_source import parse_source

_HOME = "rankwise.rankers"
_DECORATOR = "compiled"

Place = tuple[str, str]
"""A module and a name that it defines."""


def kernels_of(module: str, name: str) -> list[Place]:
    """The kernels that the definition `name` reaches through names of its own and others' code.

    Followed are the package of `module` and the rankers.
    """
    packages = {_HOME, module.rpartition(".")[0] or module}
    found: list[Place] = [(module, name)]
    for place in found:
        new = [one for one in _references(*place) if one not in found]
        found += [one for one in dict.fromkeys(new) if _is_within(one[0], packages)]
    return [place for place in found if _is_kernel(*place)]


@dataclass(frozen=True, eq=False)
class _Source:
    """What a module defines, and what it imports at its top."""

    definitions: dict[str, ast.stmt]
    imports: dict[str, Place]


def _references(module: str, name: str) -> Iterator[Place]:
    source = _source(module)
    node = source.definitions.get(name)
    if node is None:
        # `from package import module`: all that the module defines may be meant.
        inner = f"{module}.{name}"
        yield from ((inner, one) for one in _source(inner).definitions)
        return
    for part in ast.walk(node):
        if isinstance(part, ast.ImportFrom):
            yield from _imported(part).values()
        elif isinstance(part, ast.Name) and part.id in source.imports:
            yield source.imports[part.id]
        elif isinstance(part, ast.Name) and part.id in source.definitions:
            yield module, part.id


def _is_kernel(module: str, name: str) -> bool:
    node = _source(module).definitions.get(name)
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(isinstance(one, ast.Name) and one.id == _DECORATOR for one in decorators)


def _is_within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@lru_cache(maxsize=256)
def _source(module: str) -> _Source:
    definitions: dict[str, ast.stmt] = {}
    imports: dict[str, Place] = {}
    for node in _statements(module):
        if isinstance(node, ast.ImportFrom):
            imports.update(_imported(node))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign):
            names = (target.id for target in node.targets if isinstance(target, ast.Name))
            definitions.update(dict.fromkeys(names, node))
    return _Source(definitions, imports)


def _statements(module: str) -> list[ast.stmt]:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return []
    return parse_source(Path(spec.origin).read_bytes()).body


def _imported(node: ast.ImportFrom) -> dict[str, Place]:
    if node.module is None or node.level:
        return {}
    return {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
