"""Describe the source of a package in one line of figures, to compare two states of it.

    python build_tools/descriptors.py                     # this clone
    python build_tools/descriptors.py OTHER/src/rankwise  # another one

Printed are files, lines, the median and the longest file, functions of more than 60 lines, the
share of functions that are annotated, the share of functions named by a verb, and import cycles.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONG_FUNCTION = 60
OWN = Path(__file__).resolve().parents[1] / "src" / "rankwise"
# Names of values: properties and class methods that are named after what they make.
_VALUES = {"property", "cached_property", "classmethod"}
VERBS = frozenset((Path(__file__).parent / "verbs.txt").read_text("utf-8").split())


@dataclass(frozen=True)
class Function:
    """A function of the package: where it stands and what is counted of it."""

    place: str
    name: str
    lines: int
    annotated: bool
    is_value: bool

    @property
    def has_verb(self) -> bool:
        """Whether the first word of its name is a verb."""
        return self.name.strip("_").partition("_")[0] in VERBS


def read_functions(path: Path) -> Iterator[Function]:
    """Every function of a file, methods and inner functions included, special methods left out."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("__") and node.name.endswith("__"):
                continue
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            place = f"{path.name}:{node.lineno}"
            yield Function(place, node.name, lines, _is_annotated(node), _is_value(node))


def find_cycles(folder: Path) -> list[list[str]]:
    """Groups of modules that import each other, at whatever place in the file they do so."""
    import grimp

    sys.path.insert(0, str(folder.parent))
    graph = grimp.build_graph(folder.name, exclude_type_checking_imports=True, cache_dir=None)
    imports = {one: graph.find_modules_directly_imported_by(one) for one in graph.modules}
    return find_components(imports)


def find_components(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of two or more nodes that reach each other."""
    reached = {node: _reach(imports, node) for node in imports}
    groups = {
        frozenset(other for other in reached[node] if node in reached.get(other, set()))
        for node in imports
        if node in reached[node]
    }
    return sorted(sorted(group) for group in groups)


def describe(folder: Path) -> list[tuple[str, str]]:
    """The figures with what they are called."""
    paths = sorted(folder.rglob("*.py"))
    lengths = [len(path.read_text("utf-8").splitlines()) for path in paths]
    functions = [one for path in paths for one in read_functions(path)]
    named = [one for one in functions if not one.is_value]
    long = [one for one in functions if one.lines > LONG_FUNCTION]
    cycles = find_cycles(folder)
    longest = max(range(len(paths)), key=lengths.__getitem__)
    return [
        ("files", f"{len(paths):,}"),
        ("lines", f"{sum(lengths):,}"),
        ("median file", f"{statistics.median(lengths):g} lines"),
        ("longest file", f"{lengths[longest]} lines ({paths[longest].relative_to(folder)})"),
        (f"functions over {LONG_FUNCTION} lines", _count([one.place for one in long])),
        ("functions annotated", _share(sum(one.annotated for one in functions), len(functions))),
        ("functions named by a verb", _share(sum(one.has_verb for one in named), len(named))),
        ("import cycles", _count([", ".join(one) for one in cycles])),
    ]


def _reach(imports: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting += imports.get(node, ())
    return reached


def _is_annotated(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    every += [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
    given = [one for one in every if one.arg not in ("self", "cls")]
    return node.returns is not None and all(one.annotation is not None for one in given)


def _is_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).rpartition(".")[2] in _VALUES for one in node.decorator_list)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} % ({part:,} of {whole:,})"


def _count(names: list[str]) -> str:
    return f"{len(names)}" + (f" ({'; '.join(names)})" if names else "")


if __name__ == "__main__":
    for what, figure in describe(Path(sys.argv[1]).resolve() if sys.argv[1:] else OWN):
        sys.stdout.write(f"{what:28}{figure}\n")
