"""Digests of everything that a task's figures depend on: its key, code, files and data.

The code behind a ranker or an own measure is its files, what they import, and the libraries they
use. Files are parsed, not run; those that a ranker says it `reads` count with their bytes. A module
that names functions of the compiled core comes with the C that defines them, and with what that
includes. Followed are modules of `rankwise.rankers` and `rankwise.feedback`, what these import of
models (`_MODELS`), the package that a ranker of somebody else comes from, and modules that are
neither of the standard library nor installed: the user's own. Everything else counts by the
version of its library.

What a data set holds has a digest wherever it came from: a file, a frame, arrays.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from importlib.resources import files
from importlib.util import find_spec
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from rankwise import __version__
from rankwise.data.dataset import Dataset
from rankwise.data.folds import FoldFiles
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.files import compute_checksum, readable
from rankwise.measures.families.registry import function_of
from rankwise.processes import parse_source
from rankwise.rankers.external import OwnRanker
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker
from rankwise.results.store.schema import dump_canonical

RELATION = "relation "
"""What begins the name of a relation among the checksums of a fold."""
_SHARED_ROOMS = ("data", "measures", "native")
_SHARED_FILES = (
    "experiments/running/task_run.py",
    "experiments/transfer.py",
    "experiments/parameter_search.py",
)
_COMPILED = ("*.c", "*.h")
_LIBRARIES = ("numpy",)


def make_task_key(inputs: Mapping[str, Any]) -> str:
    """The SHA-256 of a task's inputs as canonical JSON."""
    return hashlib.sha256(dump_canonical(inputs).encode()).hexdigest()


def compute_fold_checksums(fold: FoldFiles) -> dict[str, str]:
    """The checksum of each file of a fold, by part, and of its relations, by name."""
    parts = {"train": fold.train, "validation": fold.validation, "test": fold.test}
    found = {part: compute_file_checksum(path) for part, path in parts.items() if path is not None}
    related = {f"{RELATION}{path.name}": _compute_relation(path) for path in fold.relations}
    return {**found, **related}


def _compute_relation(path: Path) -> str:
    """Of a folder that of the names and checksums of its files."""
    if not path.is_dir():
        return compute_file_checksum(path)
    total = hashlib.sha256()
    for file in sorted(path.iterdir()):
        total.update(f"{file.name} {compute_file_checksum(file)}\0".encode())
    return total.hexdigest()


def compute_file_checksum(path: Path) -> str:
    """The SHA-256 of a file's bytes; read again only when its size or time has changed."""
    with readable(path):
        status = path.stat()
    return _compute_file_checksum(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _compute_file_checksum(path: Path, size: int, changed: int) -> str:
    return compute_checksum(path)


@lru_cache(maxsize=1024)
def digest_code(
    ranker: str, own_measures: tuple[str, ...] = (), wrapped: tuple[str, ...] = ()
) -> str:
    """The version, and a digest of the code on which a ranker's figures depend.

    That is all code that reads data, tunes and evaluates, in Python as in C, the files of the
    ranker and of what it inherits from, what these import from the rankers' shared parts or from
    anybody's own modules, the C that these call, and the versions of the libraries they use.
    Figures of other code are never taken for figures of this one, and a change to one ranker leaves
    the others' alone. Measures of somebody's own, `module:name`, count with their modules in the
    same way, and so do the rankers that are `wrapped`.
    """
    methods = [code_of(name) for name in (ranker, *wrapped)]
    found = reduce(or_, [*methods, *map(code_of_measure, own_measures)])
    own = {name: path.read_bytes() for name, path in found.files.items()}
    total = hashlib.sha256(__version__.encode())
    for name, content in sorted({**own, **_shared_contents()}.items()):
        total.update(name.encode() + b"\0" + content)
    for library in sorted({*_LIBRARIES, *found.libraries}):
        total.update(f"{library} {_library_version(library)}\0".encode())
    for home in sorted(found.homes):
        total.update(f"{home} {_installed_files(home)}\0".encode())
    return f"{__version__}+{total.hexdigest()[:16]}"


@lru_cache(maxsize=1)
def digest_data_code() -> str:
    """A digest of the code that reads data, in Python and in C."""
    total = hashlib.sha256()
    root = Path(str(files("rankwise"))).resolve()
    for path in sorted([*_list_code(root / "data"), *_compiled_sources(root, ("data", "native"))]):
        total.update(path.read_bytes())
    return total.hexdigest()


@lru_cache(maxsize=1)
def _shared_contents() -> dict[str, bytes]:
    """The files that every ranker's figures depend on: read once for all rankers of a plan."""
    root = Path(str(files("rankwise"))).resolve()
    rooms = [path for room in _SHARED_ROOMS for path in _list_code(root / room)]
    found = (*rooms, *map(root.joinpath, _SHARED_FILES), *_compiled_sources(root, _SHARED_ROOMS))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def _list_code(room: Path) -> list[Path]:
    """The Python files of a room; a room that moved must not leave every key without a word."""
    found = [*room.rglob("*.py")]
    if not found:
        raise FileNotFoundError(f"{room} must hold code that figures depend on; is it renamed?")
    return found


def _compiled_sources(root: Path, rooms: Iterable[str]) -> set[Path]:
    """The C of these rooms and what it includes: the same everywhere, as its binaries are not."""
    own = [path for room in rooms for ending in _COMPILED for path in (root / room).rglob(ending)]
    return with_included(own, root)


@lru_cache(maxsize=64)
def _library_version(name: str) -> str:
    """Of the distribution of that name, else of those that the module comes with."""
    try:
        return version(name)
    except PackageNotFoundError:
        # All installed files are looked through for it: not for an extra that is not there.
        found = sorted(set(_distributions().get(name, ()))) if _has_module(name) else []
        return " ".join(f"{one} {version(one)}" for one in found) or "none"


def _has_module(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # Of a module that was made in this process, not found.
        return True


@lru_cache(maxsize=64)
def _installed_files(name: str) -> str:
    """A digest of the Python files of a package as its installation recorded them."""
    total = hashlib.sha256()
    for one in sorted(set(_distributions().get(name, ()))):
        for file in distribution(one).files or ():
            if file.suffix == ".py" and file.hash is not None:
                total.update(f"{file} {file.hash.value}\0".encode())
    return total.hexdigest()


@lru_cache(maxsize=1)
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


# Dask carries data from machine to machine; what is computed from them does not depend on it.
_INSTALLED_FOLDERS = {"site-packages", "dist-packages"}
_METHODS = ("rankwise.rankers.", "rankwise.feedback.", "rankwise.models.scorers.")
# What a training makes, and what reads the trees that LightGBM grew; not how models are exported.
_MODELS = {"rankwise.models.model", "rankwise.models.formats.lightgbm_text"}
_NO_FIGURES = {"rankwise", "dask", "distributed"}
_DEFINED_FUNCTION = re.compile(rb"^RANKWISE_API [^;{(]*?(rankwise_\w+)\(", re.M)
_NAMED_FUNCTION = re.compile(rb"\"(rankwise_\w+)\"")
_INCLUDED_FILE = re.compile(r'^#include "([^"]+)"', re.M)


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
    home = _file_of_module(module)
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
        elif path := _file_of_module(name):
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
        for included in _INCLUDED_FILE.findall(path.read_text("utf-8")):
            header = path.parent / included
            header = header.resolve() if header.exists() else root / "native" / included
            body = header.with_suffix(".c")
            waiting += [header, *([body] if body.exists() else [])]
    return found


@lru_cache(maxsize=1024)
def _defining(source: bytes) -> frozenset[Path]:
    """The C files that define the functions which a text of Python names."""
    homes = _homes_of_functions()
    named = set(_NAMED_FUNCTION.findall(source)) if b"rankwise_" in source else set()
    return frozenset(homes[one] for one in named & homes.keys())


@lru_cache(maxsize=1)
def _homes_of_functions() -> dict[bytes, Path]:
    """Every function of the compiled core, and the C file that defines it."""
    sources = sorted(_package_folder().rglob("*.c"))
    return {name: path for path in sources for name in _DEFINED_FUNCTION.findall(path.read_bytes())}


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
        return name.startswith(_METHODS) or name in _MODELS
    if top in homes:
        return True
    # The parts of a package without a file of its own may lie in several places.
    path = _file_of_module(top) or _file_of_module(name)
    return path is not None and not _is_installed(path)


def _is_installed(path: Path) -> bool:
    """Whether a package manager put the file where it is, for all or for one user."""
    standard = [Path(sysconfig.get_paths()[key]) for key in ("stdlib", "platstdlib")]
    return bool(_INSTALLED_FOLDERS & set(path.parts)) or any(map(path.is_relative_to, standard))


@lru_cache(maxsize=1024)
def _file_of_module(name: str) -> Path | None:
    """The file of a module; None for a name that is no module, or a package without a file."""
    spec = _spec_of_module(name)
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


@lru_cache(maxsize=1024)
def _spec_of_module(name: str) -> ModuleSpec | None:
    """Where a module is, found level by level: `find_spec` would run the packages above it."""
    parent, _, own = name.rpartition(".")
    if not parent:
        return PathFinder.find_spec(own) or _loaded_spec(own)
    above = _spec_of_module(parent)
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
    return tuple(_find_imports(_parse_python(source), package, calls=b"import_module" in source))


def _find_imports(tree: ast.Module, package: str, *, calls: bool) -> Iterator[str]:
    # Nine nodes of ten are expressions, which import only by calling import_module.
    for node in ast.walk(tree) if calls else _walk_statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute_module(node, package)
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


def _parse_python(source: bytes) -> ast.Module:
    """A file that is no Python of this version, or machine code, imports nothing that is seen."""
    try:
        return parse_source(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _absolute_module(node: ast.ImportFrom, package: str) -> str:
    """`from ..a import b` in the package x.y means x.a."""
    parents = package.split(".")
    kept = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*kept, *([node.module] if node.module else [])])


def digest_dataset(dataset: Dataset) -> str:
    """The SHA-256 of everything that rankers and measures see of the data, to the bit.

    Comments are not among it, but what was read out of them is: ids and classes.
    """
    total = hashlib.sha256()
    sparse = dataset.sparse
    if sparse is None:
        shape = (dataset.n_documents, dataset.n_features)
        total.update(f"features {np.dtype(np.float64).str} {shape} ".encode())
        for values in dataset.value_blocks():
            total.update(np.ascontiguousarray(values).data)
    held = ("values", "columns", "row_offsets") if sparse is not None else ()
    parts = (
        *((name, getattr(sparse, name)) for name in held),
        *((name, getattr(dataset, name)) for name in (
            "labels", "query_offsets", "query_ids", "document_ids", "feature_names", "weights",
            "query_classes", "query_features",
        )),
        *((f"{one.name} {name}", getattr(one, name)) for one in dataset.relations
          for name in ("offsets", "places", "weights")),
        ("width", str(dataset.n_features)),
    )  # fmt: skip
    for name, value in parts:
        if value is not None:
            _add_content(total, name, value)
    return total.hexdigest()


def _add_content(total: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        content: Any = np.ascontiguousarray(value).data
        shape = f"{value.dtype.str} {value.shape}"
    else:
        texts = [value] if isinstance(value, str) else list(value)
        content = "\0".join(texts).encode("utf-8", "surrogateescape")
        shape = f"{'texts' if isinstance(value, TextColumn) else 'names'} {len(texts)}"
    total.update(f"{name} {shape} ".encode())
    total.update(content)
