"""The documentation of the Python that runs this, as a small real web with queries.

Every module, class and function of the standard library that has a docstring is a page. Its title
is its name, its address its dotted path (the first part is the host), its body the docstring
without the summary. Pages link to what they contain and are contained in, to what they import or
inherit from, and to pages that their docstring names. Sources are parsed, never imported.

Queries come from the summaries, which is why pages do not have them: a known-item query is the
summary of one function or class, which alone is relevant (2), its module being a little (1); a
topic query is the summary of a module, which is relevant (2) as are the things it contains (1).
"""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import platform
import re
import sysconfig
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankwise.collection.corpora.corpus import Corpus
from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.corpora.query_files import CorpusQuery
from rankwise.errors import RankwiseError
from rankwise.processes import parse_source

STREAMS = ("body", "anchor", "title", "url")
KNOWN_ITEM, TOPIC = "known item", "topic"
_LEFT_OUT = frozenset(
    (
        "test",
        "tests",
        "idlelib",
        "lib2to3",
        "turtledemo",
        "site-packages",
        "__phello__",
        "ensurepip",
    )
)
_WORD_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_FEWEST_WORDS = 3
_FEWEST_MEMBERS = 3
# Nodes that are statements or hold some.
_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)

Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Page:
    """A documented thing: its dotted path, what it is, its docstring, what it refers to."""

    path: str
    kind: str
    summary: str
    body: str
    references: tuple[str, ...] = field(default=())

    @property
    def url(self) -> str:
        """The dotted path as an address; the first part is the host."""
        host, _, rest = self.path.partition(".")
        return f"http://{host}/{rest.replace('.', '/')}"


@dataclass(frozen=True)
class DemoCollection:
    """A corpus with queries and judgements, ready to be built."""

    corpus: Corpus
    queries: list[CorpusQuery]
    judgements: Judgements


def make_demo_collection(
    n_queries: int = 100, seed: int = 0, library: Path | None = None
) -> DemoCollection:
    """The standard library as a web, and about equally many known-item and topic queries."""
    home = library or Path(sysconfig.get_paths()["stdlib"])
    with _without_looking_for_cycles():
        pages = {page.path: page for page in _find_pages(home)}
    if not pages:
        raise RankwiseError(
            f"the demo needs the sources of Python's standard library, found none in {home}"
        )
    links = _make_links(pages)

    def documents() -> Iterator[Document | Broken]:
        for page in pages.values():
            yield _make_document(page, links[page.path])

    name = "python-documentation"
    source = f"{platform.python_version()} {home} {len(pages)}"
    corpus = Corpus(name, f"Python {platform.python_version()}", "demo", STREAMS, source, documents)
    queries, labels = _make_queries(pages, n_queries, seed)
    return DemoCollection(corpus, queries, Judgements(labels, "demo", "as-is"))


@contextlib.contextmanager
def _without_looking_for_cycles() -> Iterator[None]:
    """Sources are trees of many objects: looking for cycles takes a sixth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _find_pages(home: Path) -> Iterator[Page]:
    """Documented things, each once, in the order of their modules' names."""
    seen: set[str] = set()
    for file in _find_files(home):
        parts = file.relative_to(home).with_suffix("").parts
        if _LEFT_OUT & set(parts) or any(part.startswith("__main") for part in parts):
            continue
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = _parse_file(file)
        if tree is None or not module:
            continue
        for page in _find_pages_of(tree, module):
            if page.path not in seen:
                seen.add(page.path)
                yield page


def _find_files(home: Path) -> list[Path]:
    """All sources in order, without a look into folders that are left out: installed packages
    are many."""
    found: list[Path] = []
    for folder, names, files in os.walk(home):
        names[:] = [name for name in names if name not in _LEFT_OUT]
        found += [Path(folder, name) for name in files if name.endswith(".py")]
    return sorted(found)


def _parse_file(file: Path) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_source(file.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return None


def _find_pages_of(node: Definition, path: str) -> Iterator[Page]:
    text = ast.get_docstring(node)
    if text:
        summary, body = _split_summary(text)
        kind = "module" if isinstance(node, ast.Module) else "definition"
        yield Page(path, kind, summary, body, tuple(_find_references(node, body)))
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _find_pages_of(child, f"{path}.{child.name}")


def _split_summary(text: str) -> tuple[str, str]:
    """The first sentence or paragraph, and the rest."""
    paragraph, _, rest = text.strip().partition("\n\n")
    sentence = re.match(r"(.*?[.!?])(?:\s+|$)", paragraph, re.DOTALL)
    summary = sentence[1] if sentence else paragraph
    return " ".join(summary.split()), f"{paragraph[len(summary) :].strip()}\n{rest}".strip()


def _find_references(node: Definition, body: str) -> Iterator[str]:
    """Names that a thing refers to: what it imports, inherits from, and mentions."""
    if isinstance(node, ast.Module):
        for child in _walk_statements(node):
            if isinstance(child, ast.Import):
                yield from (alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
                yield from (f"{child.module}.{alias.name}" for alias in child.names)
    elif isinstance(node, ast.ClassDef):
        yield from (ast.unparse(base) for base in node.bases)
    yield from _NAMES.findall(body)


def _walk_statements(module: ast.Module) -> Iterator[ast.AST]:
    """What `ast.walk` gives, in its order, but for expressions: most of a tree, and no imports."""
    waiting: deque[ast.AST] = deque([module])
    while waiting:
        node = waiting.popleft()
        yield node
        children = ast.iter_child_nodes(node)
        waiting.extend(child for child in children if isinstance(child, _STATEMENTS))


def _make_links(pages: dict[str, Page]) -> dict[str, list[Link]]:
    """Links of each page to others, each with the name of the target as its words."""
    links: dict[str, dict[str, None]] = {path: {} for path in pages}
    for page in pages.values():
        container = _find_container(page.path, pages)
        if container:
            links[page.path][container] = None
            links[container][page.path] = None
        for name in page.references:
            target = _find_meant(page, name, pages)
            if target and target != page.path:
                links[page.path][target] = None
    return {
        path: [Link(pages[target].url, _split_name(target)) for target in targets]
        for path, targets in links.items()
    }


def _find_meant(page: Page, name: str, pages: dict[str, Page]) -> str:
    """The page that a name stands for: beside the page, above it, or by its full path.

    A plain word is a name only with an underscore or a capital inside, or it would be prose.
    """
    plain = "." not in name
    if plain and page.kind != "module" and not re.search(r"_|[a-z][A-Z]", name):
        return ""
    scope = page.path
    while scope:
        if f"{scope}.{name}" in pages:
            return f"{scope}.{name}"
        scope = scope.rpartition(".")[0]
    known = (path for path in (name, name.rpartition(".")[0]) if path in pages)
    return next(known, "")


def _find_container(path: str, pages: dict[str, Page]) -> str:
    """The nearest documented thing that a page is contained in, empty where there is none."""
    while path := path.rpartition(".")[0]:
        if path in pages:
            return path
    return ""


def _make_document(page: Page, links: list[Link]) -> Document:
    streams = {
        "title": _split_name(page.path.rpartition(".")[2]),
        "body": page.body,
        "url": _split_name(page.path),
    }
    return Document(page.path, streams, page.url, tuple(links), page.path.partition(".")[0])


def _split_name(name: str) -> str:
    """`json.JSONDecoder.raw_decode` as json JSON Decoder raw decode."""
    return " ".join(_WORD_PARTS.findall(name))


def _make_queries(
    pages: dict[str, Page], n_queries: int, seed: int
) -> tuple[list[CorpusQuery], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    members: dict[str, list[str]] = {}
    for page in pages.values():
        members.setdefault(_find_container(page.path, pages), []).append(page.path)
    items = [p for p in pages.values() if p.kind != "module" and _is_telling(p) and p.body]
    topics = [
        p
        for p in pages.values()
        if p.kind == "module" and _is_telling(p) and len(members.get(p.path, ())) >= _FEWEST_MEMBERS
    ]
    queries: list[CorpusQuery] = []
    labels: dict[str, dict[str, float]] = {}
    for kind, candidates, wanted in (
        (KNOWN_ITEM, items, n_queries - n_queries // 2),
        (TOPIC, topics, n_queries // 2),
    ):
        chosen = np.sort(rng.permutation(len(candidates))[:wanted])
        for page in (candidates[place] for place in chosen.tolist()):
            query = CorpusQuery(str(len(queries) + 1), page.summary, kind)
            queries.append(query)
            near = [_find_container(page.path, pages)] if kind == KNOWN_ITEM else members[page.path]
            labels[query.id] = {path: 1 for path in near if path in pages} | {page.path: 2}
    return queries, labels


def _is_telling(page: Page) -> bool:
    """Whether a summary says enough to search by."""
    return len(_NAMES.findall(page.summary)) >= _FEWEST_WORDS
