"""The code behind a ranker or an own measure: files, what they import, libraries they use.

Files are parsed, not run; those that a ranker says it `reads` count with their bytes. A module that
names functions of the compiled core comes with the C that defines them, and with what that
includes. Followed are modules of `rankwise.rankers` and `rankwise.feedback`, the package that a
ranker of somebody else comes from, and modules that are neither of the standard library nor
installed: the user's own. Everything else counts by the version of its library.
"""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.resources import files
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.measures.own_measures import function_of
from rankwise.python_source import parse_source
from rankwise.rankers.own import OwnRanker
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker

# Dask carries data from machine to machine; what is computed from them does not depend on it.
_INSTALLED = {"site-packages", "dist-packages"}
_NO_FIGURES = {"rankwise", "dask", "distributed"}
_DEFINED = re.compile(rb"^RANKWISE_API [^;{(]*?(rankwise_\w+)\(", re.M)
_NAMED = re.compile(rb"\"(rankwise_\w+)\"")
_INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)


@dataclass(frozen=True)
class MethodCode:
    """Files by the name of their module, C by its path in the package, and names of libraries.

    `homes` are those libraries that something of somebody's own was taken from: it may be work in
    progress, installed again and again under one version.
    """

    files: dict[str, Path] = field(default_factory=dict)
    libraries: set[str] = field(default_factory=set)
    homes: set[str] = field(default_factory=set)

    def __or__(self, other: MethodCode) -> MethodCode:
        return MethodCode(
            self.files | other.files, self.libraries | other.libraries, self.homes | other.homes
        )


def code_of(name: str) -> MethodCode:
    """The code of the ranker `name` and of everything it inherits from."""
    ranker = find_ranker(name)
    found = _code_of_modules([one.__module__ for one in ranker.__mro__], _packages(ranker))
    if not issubclass(ranker, OwnRanker):
        return found | _named_files(name, ranker.__module__, ranker.reads)
    found |= _named_files(name, name.partition(":")[0], ranker.reads)
    origin = ranker.origin if isinstance(ranker.origin, type) else type(ranker.origin)
    # An object stands in a module of its own, which says what it is made of.
    return found | _own_code([name.partition(":")[0], *(one.__module__ for one in origin.__mro__)])


def _named_files(name: str, module: str, reads: tuple[str, ...]) -> MethodCode:
    """The files that a ranker says it reads, which stand beside its module."""
    home = _file(module)
    folder = Path() if home is None else home.parent
    for written in reads:
        if not (isinstance(written, str) and (folder / written).is_file()):
            raise RankwiseError(
                f"{name}: reads must name files from the folder of its module on, {folder}, found "
                f"{written!r}"
            )
    return MethodCode({f"file {written}": folder / written for written in reads})


def code_of_measure(name: str) -> MethodCode:
    """The code of the own measure `module:name`, without its cut-off and fields."""
    return _own_code([name.partition(":")[0], function_of(name).__module__])


def _own_code(modules: list[str]) -> MethodCode:
    found = _code_of_modules(modules)
    homes = {module.partition(".")[0] for module in modules} & found.libraries
    return replace(found, homes=homes)


def _code_of_modules(modules: Iterable[str], homes: Collection[str] = ()) -> MethodCode:
    """The code of modules and of what they import; the packages `homes` are followed anywhere."""
    found = MethodCode()
    waiting = list(modules)
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        if name in seen or top in sys.stdlib_module_names:
            continue
        seen.add(name)
        if not _is_followed(name, homes):
            found.libraries.update({top} - _NO_FIGURES)
        elif path := _file(name):
            found.files[name] = path
            waiting += _imports(name, path)
            root = _package_folder()
            compiled = with_included(_defining(path.read_bytes()), root)
            found.files.update({one.relative_to(root).as_posix(): one for one in compiled})
    return found


def with_included(sources: Iterable[Path], root: Path) -> set[Path]:
    """C files with all that they include; a header comes with the file that has its functions."""
    found: set[Path] = set()
    waiting = list(sources)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for included in _INCLUDED.findall(path.read_text("utf-8")):
            header = path.parent / included
            header = header.resolve() if header.exists() else root / "native" / included
            body = header.with_suffix(".c")
            waiting += [header, *([body] if body.exists() else [])]
    return found


@lru_cache(maxsize=1024)
def _defining(source: bytes) -> frozenset[Path]:
    """The C files that define the functions which a text of Python names."""
    homes = _homes_of_functions()
    named = set(_NAMED.findall(source)) if b"rankwise_" in source else set()
    return frozenset(homes[one] for one in named & homes.keys())


@lru_cache(maxsize=1)
def _homes_of_functions() -> dict[bytes, Path]:
    """Every function of the compiled core, and the C file that defines it."""
    sources = sorted(_package_folder().rglob("*.c"))
    return {name: path for path in sources for name in _DEFINED.findall(path.read_bytes())}


@lru_cache(maxsize=1)
def _package_folder() -> Path:
    return Path(str(files("rankwise"))).resolve()


def _packages(ranker: type[Ranker]) -> set[str]:
    """The packages of somebody's subclasses of Ranker, which are followed even where installed."""
    tops = {one.__module__.partition(".")[0] for one in ranker.__mro__ if issubclass(one, Ranker)}
    return tops - {"rankwise"}


def _is_followed(name: str, homes: Collection[str]) -> bool:
    """Whether a module is a ranker's, or the user's own; libraries are not even looked into."""
    top = name.partition(".")[0]
    if top == "rankwise":
        return name.startswith(("rankwise.rankers.", "rankwise.feedback."))
    if top in homes:
        return True
    # The parts of a package without a file of its own may lie in several places.
    path = _file(top) or _file(name)
    return path is not None and not _is_installed(path)


def _is_installed(path: Path) -> bool:
    """Whether a package manager put the file where it is, for all or for one user."""
    standard = [Path(sysconfig.get_paths()[key]) for key in ("stdlib", "platstdlib")]
    return bool(_INSTALLED & set(path.parts)) or any(map(path.is_relative_to, standard))


@lru_cache(maxsize=1024)
def _file(name: str) -> Path | None:
    """The file of a module; None for a name that is no module, or a package without a file."""
    spec = _spec(name)
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


@lru_cache(maxsize=1024)
def _spec(name: str) -> ModuleSpec | None:
    """Where a module is, found level by level: `find_spec` would run the packages above it."""
    parent, _, own = name.rpartition(".")
    if not parent:
        return PathFinder.find_spec(own) or _loaded_spec(own)
    above = _spec(parent)
    places = above.submodule_search_locations if above else None
    return PathFinder.find_spec(name, places) if places else None


def _loaded_spec(name: str) -> ModuleSpec | None:
    """Of a package that is installed in place, which only its own finder knows."""
    return getattr(sys.modules.get(name), "__spec__", None)


def _imports(name: str, path: Path) -> tuple[str, ...]:
    """The modules that a file imports anywhere in it; `from a import b` may mean the module a.b."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return _imports_of(path.read_bytes(), package)


@lru_cache(maxsize=1024)
def _imports_of(source: bytes, package: str) -> tuple[str, ...]:
    """Of a text: what several rankers share is parsed once, and again where it has changed."""
    return tuple(_find_imports(_parse(source), package, calls=b"import_module" in source))


def _find_imports(tree: ast.Module, package: str, *, calls: bool) -> Iterator[str]:
    # Nine nodes of ten are expressions, which import only by calling import_module.
    for node in ast.walk(tree) if calls else _walk_statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant))


def _walk_statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, those within others too: of classes, branches, handlers and cases."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            # The body of a conditional expression or of a lambda is no list of statements.
            inner = getattr(node, part, None)
            waiting += inner if isinstance(inner, list) else []


def _parse(source: bytes) -> ast.Module:
    """A file that is no Python of this version, or machine code, imports nothing that is seen."""
    try:
        return parse_source(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """`from ..a import b` in the package x.y means x.a."""
    parents = package.split(".")
    kept = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*kept, *([node.module] if node.module else [])])
