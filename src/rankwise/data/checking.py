"""What is wrong with a data set that reads well: found, named, and never repaired silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankwise.data.dataset import Dataset

# Most learners hold features in single precision, where larger values become infinite.
LARGEST_SINGLE = float(np.finfo(np.float32).max)
MOST_SHOWN = 5


@dataclass(frozen=True)
class DataProblem:
    """One thing that is wrong: its kind, the file or files, and a sentence."""

    kind: str
    where: str
    sentence: str


def check(dataset: Dataset, where: str) -> list[DataProblem]:
    """Everything that is wrong within one file."""
    return [DataProblem(kind, where, sentence) for kind, sentence in _faults(dataset)]


def check_parts(parts: Mapping[str, Dataset]) -> list[DataProblem]:
    """What is wrong between the files of one fold: shared queries, different widths."""
    findings = []
    for (name, part), (other_name, other) in combinations(parts.items(), 2):
        where = f"{name}, {other_name}"
        shared = sorted(set(part.query_ids) & set(other.query_ids))
        if shared:
            sentence = f"a query may stand in one part only, found {_listed(shared)} in both"
            findings.append(DataProblem("shared query", where, sentence))
        if part.n_features != other.n_features:
            sentence = (
                "parts must have equally many features, "
                f"found {part.n_features} and {other.n_features}"
            )
            findings.append(DataProblem("different features", where, sentence))
    return findings


def _faults(dataset: Dataset) -> Iterator[tuple[str, str]]:
    values = dataset.stored_values
    infinite = np.isinf(values)
    if infinite.any():
        yield "infinite value", f"values must be finite, found {_cells(dataset, infinite)} infinite"
    with np.errstate(invalid="ignore"):
        huge = (np.abs(values) > LARGEST_SINGLE) & ~infinite
    if huge.any():
        yield (
            "out of range",
            f"values must fit single precision (up to {LARGEST_SINGLE:.3g}), "
            f"found {_cells(dataset, huge)} beyond it",
        )
    negative = np.flatnonzero(dataset.labels < 0)
    if len(negative):
        yield (
            "negative label",
            f"labels must not be negative, found {len(negative)}, first in row {negative[0] + 1}",
        )
    yield from _document_faults(dataset)


def _document_faults(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """Document ids that are missing in some rows, or stand twice in a query."""
    if dataset.document_ids is None:
        named = [] if dataset.comments is None else [t for t in dataset.comments if "docid" in t]
        if named:
            missing = dataset.n_documents - len(named)
            yield (
                "missing document id",
                f"all rows must name their document or none, found {missing} rows without an id",
            )
        return
    queries = dataset.query_of_rows.tolist()
    seen: set[tuple[int, str]] = set()
    repeated: list[str] = []
    for key in zip(queries, dataset.document_ids, strict=True):
        if key in seen:
            repeated.append(f"{key[1]} (query {dataset.query_ids[key[0]]})")
        seen.add(key)
    if repeated:
        yield (
            "repeated document",
            f"a document may stand once in a query, found {_listed(repeated)} again",
        )


def _cells(dataset: Dataset, mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    """How many cells, and where the first of them is."""
    row, column = _first_cell(dataset, mask)
    names = dataset.feature_names
    feature = names[column] if names else str(column + 1)
    return f"{int(mask.sum())} (first in row {row + 1}, feature {feature})"


def _first_cell(
    dataset: Dataset, mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> tuple[int, int]:
    """Row and feature of the first of the stored values that are marked."""
    first = np.argwhere(mask)[0]
    if dataset.sparse is None:
        return int(first[0]), int(first[1])
    row = np.searchsorted(dataset.sparse.row_offsets, first[0], side="right") - 1
    return int(row), int(dataset.sparse.columns[first[0]])


def _listed(items: list[str]) -> str:
    shown = ", ".join(items[:MOST_SHOWN])
    return shown if len(items) <= MOST_SHOWN else f"{shown} and {len(items) - MOST_SHOWN} more"
