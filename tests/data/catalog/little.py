"""A little data set in folds, made here, and the catalogue entry that fits it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.data.catalog import CatalogEntry, find_entry
from rankwise.data.catalog.entries import PartFacts

FOLDS = 3
QUERIES = ("a", "b", "c")
# Every query has one document of each of the labels 0, 1, 2.
ENTRY = replace(
    find_entry("letor4/mq2008"),
    queries=3,
    documents=9,
    features=2,
    label_counts=(3, 3, 3),
    folds=FOLDS,
)
SPLIT = replace(
    ENTRY,
    folds=1,
    versions=(),
    part_facts={part: PartFacts(1, 3) for part in ("train", "vali", "test")},
)


def rows(query: str, scale: float = 1.0, null: bool = False) -> str:
    """Three documents of a query, with features of 0 to `scale`."""
    values = ("NULL" if null else "0", f"{scale / 2:g}", f"{scale:g}")
    lines = [f"{label} qid:{query} 1:{value} 2:{value}\n" for label, value in enumerate(values)]
    return "".join(lines)


def write_folds(
    folder: Path,
    names: tuple[str, str, str] = ("train.txt", "vali.txt", "test.txt"),
    fold: str = "Fold{}",
    scale: float = 1.0,
    null: bool = False,
) -> Path:
    """Three folds in which the three queries rotate through the three parts."""
    for number in range(FOLDS):
        place = folder / fold.format(number + 1)
        place.mkdir(parents=True)
        for step, name in enumerate(names):
            (place / name).write_text(rows(QUERIES[(number + step) % 3], scale, null))
    return folder


def write_split(
    folder: Path, names: tuple[str, ...] = ("train.txt", "vali.txt", "test.txt")
) -> Path:
    """One query in each part."""
    folder.mkdir(parents=True, exist_ok=True)
    for query, name in zip(QUERIES, names, strict=False):
        (folder / name).write_text(rows(query))
    return folder


def entry(**facts: object) -> CatalogEntry:
    """`ENTRY` with other facts."""
    return replace(ENTRY, **facts)  # type: ignore[arg-type]
