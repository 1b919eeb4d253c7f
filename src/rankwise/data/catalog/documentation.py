"""The facts of a data set in words, for the command line and for the page of the catalogue."""

from __future__ import annotations

from typing import Literal

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries

UNKNOWN = "–"
_COLUMNS = ("name", "queries", "documents", "features", "labels", "folds", "how to get it")


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


def format_markdown_table() -> str:
    """All data sets as a table in Markdown, one line each."""
    lines = [
        _COLUMNS,
        ("---",) * len(_COLUMNS),
        *(_format_row(entry) for entry in catalog_entries()),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _format_row(entry: CatalogEntry) -> tuple[str, ...]:
    counts = (entry.queries, entry.documents, entry.features)
    return (
        f"`{entry.name}`",
        *map(format_count, counts),
        format_labels(entry),
        format_count(entry.folds),
        find_access(entry) or "not public",
    )
