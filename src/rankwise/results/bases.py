"""What results rest on: the convention of a tool, and the folds they are means over.

Only results that rest on the same can be compared. Results that name no tool are taken for
published ones, made by the script of their collection; of an unknown collection nothing is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rankwise.data.catalog.published import (
    find_published_folds,
    find_published_labels,
    find_published_tools,
    list_collections,
)
from rankwise.measures.likeness import describe_convention, is_tool
from rankwise.results.table import ResultTable

SCRIPT = "the collection's script"
UNNAMED = "a tool that is not named"
MEANS = "means over folds"

Column = tuple[str, str]


class Basis(NamedTuple):
    """What a result rests on; `tool` says in words whose convention, `convention` which."""

    convention: str
    tool: str
    folds: str


@dataclass(frozen=True)
class Ground:
    """What the results that stay in a column rest on, and whether some of them name no tool."""

    basis: Basis
    unnamed: bool

    def bears(self, other: Basis) -> bool:
        """Whether a result that rests on `other` can be compared here."""
        return other.folds == self.basis.folds and self.has_convention(other)

    def has_convention(self, other: Basis) -> bool:
        """Whether the tools agree; of one that is not named nothing else is known."""
        return other.convention in (self.basis.convention, UNNAMED) or (
            self.basis.convention == UNNAMED
        )


def find_bases(table: ResultTable) -> list[Basis]:
    """For each row what its result rests on."""
    folds = _find_folds(table)
    rows = zip(table.collection, table.dataset, table.measure, table.tool, folds, strict=True)
    found = []
    for collection, dataset, measure, tool, over in rows:
        convention, words = _find_convention(collection, _plain(dataset), measure, tool)
        found.append(Basis(convention, words, over))
    return found


def group_columns(table: ResultTable) -> dict[Column, list[int]]:
    """The rows of each data set and measure."""
    columns: dict[Column, list[int]] = defaultdict(list)
    for row, place in enumerate(zip(table.dataset_names, table.measure, strict=True)):
        columns[place].append(row)
    return columns


def find_grounds(table: ResultTable, bases: Sequence[Basis] | None = None) -> dict[Column, Ground]:
    """By column what its results must rest on to be compared: see `_weigh`."""
    known = find_bases(table) if bases is None else bases
    found = {}
    for place, rows in group_columns(table).items():
        methods: dict[Basis, set[str]] = defaultdict(set)
        for row in rows:
            methods[known[row]].add(table.method[row])
        most = max(methods, key=lambda basis: _weigh(basis, len(methods[basis])))
        unnamed = any(basis.convention == UNNAMED for basis in methods)
        found[place] = Ground(most, unnamed)
    return found


def _weigh(basis: Basis, methods: int) -> tuple[bool, int, bool, bool, bool]:
    """Means by the collection's script come first where two methods have them, then most methods.

    Among equals published figures come before others, named tools before unnamed ones, means
    before folds.
    """
    official, means = basis.convention == SCRIPT, basis.folds == MEANS
    named = basis.convention != UNNAMED
    return official and means and methods > 1, methods, official, named, means


@lru_cache(maxsize=4096)
def _find_convention(
    collection: str, dataset: str, measure: str, tool: str | None
) -> tuple[str, str]:
    """The convention, the same for tools whose figures of the data set are, and whose it is."""
    if "(" in measure:
        return measure, "the convention that it names"
    known = collection in list_collections()
    official = find_published_tools(collection, dataset) if known else frozenset()
    if tool is None and not official:
        return UNNAMED, UNNAMED
    if tool is None or tool in official:
        return SCRIPT, SCRIPT
    if not is_tool(tool):
        return tool, tool
    labels = find_published_labels(collection, dataset) if known else ()
    own = describe_convention(tool, measure, labels)
    if own in {describe_convention(one, measure, labels) for one in official}:
        return SCRIPT, SCRIPT
    return own or tool, tool


def _find_folds(table: ResultTable) -> list[str]:
    """For each row the folds of its method in words; `MEANS` where they are all there are."""
    held: dict[tuple[object, ...], set[str]] = defaultdict(set)
    names = ("dataset_names", "method", "measure", "version", "tool", "source")
    keys = list(zip(*(getattr(table, name) for name in names), strict=True))
    for key, fold in zip(keys, table.fold, strict=True):
        if fold is not None:
            held[key].add(str(fold))
    there = zip(keys, table.collection, table.dataset, table.fold, strict=True)
    return [
        MEANS if fold is None else _name_folds(held[key], collection, _plain(dataset))
        for key, collection, dataset, fold in there
    ]


def _name_folds(folds: set[str], collection: str, dataset: str) -> str:
    count = find_published_folds(collection, dataset)
    if count is None or len(folds) >= count:
        return MEANS
    listed = ", ".join(sorted(folds))
    return f"fold {listed} alone" if len(folds) == 1 else f"folds {listed} alone"


def _plain(dataset: str) -> str:
    """The data set without the version that `separate_versions` writes after it."""
    return dataset.partition(", ")[0]


def name_tools(collection: str, dataset: str) -> str:
    """The tools of a data set's published figures, in words."""
    return _listed(find_published_tools(collection, _plain(dataset)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
