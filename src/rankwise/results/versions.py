"""Versions of a data set: other features, so that figures of one are no rivals of another's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.data.catalog.published import find_published_version
from rankwise.results.merging import stack_results
from rankwise.results.table import ResultTable


def separate_versions(table: ResultTable) -> ResultTable:
    """Data sets that stand in several versions become one data set each: `OHSUMED, MIN`.

    Figures that name no version are of the one that published figures are of, by the catalogue,
    where the table has it.
    """
    full = table.dataset_names.tolist()
    subjects = dict(zip(full, zip(table.collection, table.dataset, strict=True), strict=True))
    published = {name: find_published_version(*subject) for name, subject in subjects.items()}
    named_versions = set(zip(full, table.version.tolist(), strict=True))
    versions = [
        version or (published[name] if (name, published[name]) in named_versions else None)
        for name, version in zip(full, table.version.tolist(), strict=True)
    ]
    there: dict[str, set[str | None]] = {}
    for name, version in zip(full, versions, strict=True):
        there.setdefault(name, set()).add(version)
    named = [
        f"{dataset}, {version}" if version and len(there[name]) > 1 else dataset
        for name, dataset, version in zip(full, table.dataset.tolist(), versions, strict=True)
    ]
    return replace(table, dataset=np.array(named, dtype=object))


def separate_versions_of(own: ResultTable, other: ResultTable) -> tuple[ResultTable, ResultTable]:
    """Separate the versions of two tables together, so that both name their data sets alike."""
    together = separate_versions(stack_results([own, other]))
    rows = np.arange(len(together))
    return together.take(rows[: len(own)]), together.take(rows[len(own) :])


def name_unversioned(table: ResultTable) -> dict[str, str]:
    """Every data set of the table with the name that it has without its version.

    The reverse of `separate_versions`: `OHSUMED, MIN` and `OHSUMED, NULL` are both `OHSUMED`.
    """
    names = {name: name for name in table.datasets()}
    pairs = zip(table.dataset_names.tolist(), table.version.tolist(), strict=True)
    for name, version in dict.fromkeys(pairs):
        if version:
            names[name] = name.removesuffix(f", {version}")
    return names
