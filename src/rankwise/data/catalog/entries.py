"""What is known of each data set: facts as data, read from the TOML files beside this one.

Of the values published of a data set: made by which tools, over which folds, of which version.
Publications name none of these. A data set that the catalogue does not have is taken for one like
those of its collection, and one of an unknown collection for one like all others, as far as these
agree. The facts are put into words for the command line and for the page of the catalogue.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeVar

from rankwise.errors import RankwiseError

PARTS = ("train", "vali", "test")


@dataclass(frozen=True)
class Archive:
    """The file in which a data set is handed out, as far as it is known."""

    file_name: str
    size: int | None = None
    size_note: str | None = None
    checksums: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PartFacts:
    """How many queries and documents one part of a single split holds."""

    queries: int
    documents: int


@dataclass(frozen=True)
class FoldCounts:
    """How many test queries a fold has, and how many of them have no relevant document."""

    queries: int
    empty: int


@dataclass(frozen=True)
class CatalogEntry:
    """One data set. A fact that nobody published is absent (None or empty), never guessed.

    `collection` and `title` are spelt as in tables of published results, so that figures and data
    find each other. `documents` counts judged query-document pairs, that is rows.

    Attributes:
        name: `collection/dataset`, as commands and the data home spell it.
        label_levels: the labels that may occur; `label_counts` says how often each does.
        label_range: lowest and highest label where labels are real numbers.
        folds: number of folds; 1 is a single split into `parts`.
        part_facts: counts of single parts, by part.
        test_counts: by fold how many test queries there are, and how many are empty.
        versions: the LETOR versions in which it exists; the first one is preferred, and is the one
            that published values are of.
        tool: the evaluation tool with which its makers computed their values, where one is known.
        published_tools: tools whose values may stand beside published ones that name no tool.
        path_words: folder names that mark this data set in an archive of several.
        file_prefix: what stands before `train`, `vali` or `test` in its file names.
        features_may_be_absent: the last features may be 0 in every row and so not be written.
        query_in_comment: the query id stands after `#` instead of in `qid:`.
        addresses: where to download it, tried in order; `former_addresses` are known to be dead.
        file_checksums: SHA-256 of the files in it, by their name in the data home.
        in_cross_benchmark: one of the 20 data sets of Tax, Bockting and Hiemstra (2015), Table 1.
    """

    name: str
    collection: str
    title: str
    licence: str
    citation: str
    in_cross_benchmark: bool
    homepage: str | None = None
    queries: int | None = None
    documents: int | None = None
    features: int | None = None
    features_may_be_absent: bool = False
    label_levels: tuple[int, ...] = ()
    label_counts: tuple[int, ...] = ()
    label_range: tuple[float, float] | None = None
    folds: int | None = None
    parts: tuple[str, ...] = PARTS
    part_facts: Mapping[str, PartFacts] = field(default_factory=dict)
    test_counts: Mapping[str, FoldCounts] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    tool: str | None = None
    published_tools: tuple[str, ...] = ()
    path_words: tuple[str, ...] = ()
    file_prefix: str = ""
    query_in_comment: bool = False
    addresses: tuple[str, ...] = ()
    former_addresses: tuple[str, ...] = ()
    archive: Archive | None = None
    file_checksums: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@lru_cache(maxsize=1)
def catalog_entries() -> tuple[CatalogEntry, ...]:
    """All data sets, by collection and in the order in which their collection lists them."""
    folder = files("rankwise.data.catalog")
    tables = [item for item in folder.iterdir() if item.name.endswith(".toml")]
    return tuple(
        entry
        for table in sorted(tables, key=lambda item: item.name)
        for entry in read_collection(tomllib.loads(table.read_text("utf-8")), table.name)
    )


def find_entry(name: str) -> CatalogEntry:
    """The entry called `name`; its title or the part after the slash will do where it is unique.

    A name that is not in the catalogue is answered with the nearest ones.
    """
    wanted = name.strip().lower()
    for entry in catalog_entries():
        if entry.name == wanted:
            return entry
    short = [entry for entry in catalog_entries() if wanted in _list_other_names(entry)]
    if len(short) == 1:
        return short[0]
    if short:
        choices = " and ".join(entry.name for entry in short)
        raise RankwiseError(f"'{name}' stands for more than one data set: say which of {choices}")
    raise RankwiseError(
        f"there is no data set '{name}' in the catalogue; {_suggest_dataset(wanted)}"
    )


def _suggest_dataset(wanted: str) -> str:
    from difflib import get_close_matches

    full = {
        name: entry.name
        for entry in catalog_entries()
        for name in (entry.name, *_list_other_names(entry))
    }
    near = dict.fromkeys(full[match] for match in get_close_matches(wanted, full, n=2))
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "see 'rankwise data list'"


def _list_other_names(entry: CatalogEntry) -> tuple[str, ...]:
    collection, _, key = entry.name.partition("/")
    title = entry.title.lower()
    return key, title, f"{collection}/{title}", f"{collection}/{title.replace(' ', '-')}"


def read_collection(table: dict[str, Any], file_name: str) -> list[CatalogEntry]:
    """The entries of one file: each data set with the facts that its collection shares."""
    collection = dict(table["collection"])
    collection_key, collection_title = collection.pop("key"), collection.pop("title")
    made = []
    for dataset in table["dataset"]:
        facts = {**collection, **dataset}
        facts["name"] = f"{collection_key}/{facts.pop('key')}"
        facts["collection"] = collection_title
        made.append(_make_entry(facts, file_name))
    return made


def _make_entry(facts: dict[str, Any], file_name: str) -> CatalogEntry:
    known = {one.name for one in fields(CatalogEntry)}
    for key in facts:
        if key not in known:
            raise RankwiseError(
                f"{file_name}: a data set has no fact {key!r} ({facts['name']}); the facts are "
                f"{', '.join(sorted(known))}"
            )
    if "archive" in facts:
        facts["archive"] = Archive(**facts["archive"])
    if "part_facts" in facts:
        parts = facts["part_facts"].items()
        facts["part_facts"] = {part: PartFacts(**counts) for part, counts in parts}
    if "test_counts" in facts:
        folds = facts["test_counts"].items()
        facts["test_counts"] = {fold: FoldCounts(**counts) for fold, counts in folds}
    for key, fact in facts.items():
        facts[key] = tuple(fact) if isinstance(fact, list) else fact
    return CatalogEntry(**facts)


Fact = TypeVar("Fact")


def find_published_tools(collection: str, dataset: str) -> frozenset[str]:
    """The tools whose values may stand beside published ones of the data set."""
    alike = _find_entries_alike(collection, dataset)
    return frozenset(tool for entry in alike for tool in entry.published_tools)


def find_published_folds(collection: str, dataset: str) -> int | None:
    """Over how many folds published values of the data set are means, where that is known."""
    return _find_shared(entry.folds for entry in _find_entries_alike(collection, dataset))


def find_published_version(collection: str, dataset: str) -> str | None:
    """The version that published values of the data set are of; None where it has no versions."""
    alike = _find_entries_alike(collection, dataset)
    return _find_shared(next(iter(entry.versions), None) for entry in alike)


def find_published_labels(collection: str, dataset: str) -> tuple[int, ...]:
    """The labels of the data set, none where they are not known."""
    return (
        _find_shared(
            entry.label_levels or None for entry in _find_entries_alike(collection, dataset)
        )
        or ()
    )


def list_collections() -> tuple[str, ...]:
    """The collections of the catalogue as tables of results spell them."""
    return tuple(dict.fromkeys(entry.collection for entry in catalog_entries()))


def _find_entries_alike(collection: str, dataset: str) -> list[CatalogEntry]:
    of_collection = [entry for entry in catalog_entries() if entry.collection == collection]
    itself = [entry for entry in of_collection if entry.title == dataset]
    return itself or of_collection or list(catalog_entries())


def _find_shared(facts: Iterable[Fact | None]) -> Fact | None:
    """The one that all agree on who know it."""
    known = {fact for fact in facts if fact is not None}
    return known.pop() if len(known) == 1 else None


UNKNOWN = "–"


def format_count(number: int | None) -> str:
    """A number with commas, or a dash where it is not known."""
    return UNKNOWN if number is None else f"{number:,}"


def format_labels(entry: CatalogEntry) -> str:
    """The lowest and the highest label, or a dash where they are not known."""
    span = entry.label_range or entry.label_levels
    return f"{span[0]:g}–{span[-1]:g}" if span else UNKNOWN


def find_access(entry: CatalogEntry) -> Literal["fetch", "import"] | None:
    """The command that gets the data set; None for one that was never handed out."""
    if entry.addresses:
        return "fetch"
    return "import" if entry.homepage else None
