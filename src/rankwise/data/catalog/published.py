"""What the values published of a data set are: made by which tools, over which folds, of which
version.

Publications name none of these. A data set that the catalogue does not have is taken for one like
those of its collection, and one of an unknown collection for one like all others, as far as these
agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries

Fact = TypeVar("Fact")


def find_published_tools(collection: str, dataset: str) -> frozenset[str]:
    """The tools whose values may stand beside published ones of the data set."""
    alike = _find_alike(collection, dataset)
    return frozenset(tool for entry in alike for tool in entry.published_tools)


def find_published_folds(collection: str, dataset: str) -> int | None:
    """Over how many folds published values of the data set are means, where that is known."""
    return _find_shared(entry.folds for entry in _find_alike(collection, dataset))


def find_published_version(collection: str, dataset: str) -> str | None:
    """The version that published values of the data set are of; None where it has no versions."""
    alike = _find_alike(collection, dataset)
    return _find_shared(next(iter(entry.versions), None) for entry in alike)


def find_published_labels(collection: str, dataset: str) -> tuple[int, ...]:
    """The labels of the data set, none where they are not known."""
    return (
        _find_shared(entry.label_levels or None for entry in _find_alike(collection, dataset)) or ()
    )


def list_collections() -> tuple[str, ...]:
    """The collections of the catalogue as tables of results spell them."""
    return tuple(dict.fromkeys(entry.collection for entry in catalog_entries()))


def _find_alike(collection: str, dataset: str) -> list[CatalogEntry]:
    of_collection = [entry for entry in catalog_entries() if entry.collection == collection]
    itself = [entry for entry in of_collection if entry.title == dataset]
    return itself or of_collection or list(catalog_entries())


def _find_shared(facts: Iterable[Fact | None]) -> Fact | None:
    """The one that all agree on who know it."""
    known = {fact for fact in facts if fact is not None}
    return known.pop() if len(known) == 1 else None
