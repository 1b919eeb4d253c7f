"""Whether files are the data set they should be: by published checksums, else by facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.data.catalog.entries import CatalogEntry, PartFacts
from rankwise.data.catalog.layout import Layout
from rankwise.data.frames import as_text
from rankwise.errors import RankwiseError
from rankwise.files import compute_checksum, verify_checksums
from rankwise.progress import Progress, ignore_progress


@dataclass(frozen=True)
class FileFacts:
    """What one file holds."""

    documents: int
    features: int
    labels: Mapping[float, int]
    query_ids: frozenset[str]
    has_null: bool
    lowest: float
    highest: float


@dataclass(frozen=True)
class Facts:
    """What a data set holds, taken over its parts."""

    documents: int
    queries: int
    features: int
    labels: Mapping[float, int]
    version: str


@dataclass(frozen=True)
class Verification:
    """The outcome: by what the files were checked, the facts that hold, SHA-256 of each file."""

    by: tuple[str, ...]
    facts: Mapping[str, object]
    version: str | None
    checksums: Mapping[str, str]


def verify(
    entry: CatalogEntry, layout: Layout, progress: Progress = ignore_progress
) -> Verification:
    """Refuse files that are not `entry`, with everything that does not fit in one sentence.

    Files that all have a published checksum are checked by it, which is stronger than any fact.
    Otherwise every file is read and rows, queries, features and labels are compared with the
    catalogue, and in folds that the parts of each make up the whole and share no query.
    """
    if entry.file_checksums and set(layout.files) <= set(entry.file_checksums):
        return _verify_by_checksums(entry, layout, progress)
    return _verify_by_facts(entry, layout, progress)


def read_facts(path: Path) -> FileFacts:
    """Read a file and keep only what is compared."""
    from rankwise.data.reading import read

    dataset = read(path)
    values = dataset.stored_values
    # Of sparse data, what is not held is 0.
    zero = () if dataset.sparse is None else (0.0,)
    levels, counts = np.unique(dataset.labels, return_counts=True)
    return FileFacts(
        documents=dataset.n_documents,
        features=dataset.n_features,
        labels=dict(zip(levels.tolist(), counts.tolist(), strict=True)),
        query_ids=frozenset(dataset.query_ids),
        has_null=bool(np.isnan(values).any()),
        lowest=float(min([np.fmin.reduce(values, axis=None, initial=np.inf), *zero])),
        highest=float(max([np.fmax.reduce(values, axis=None, initial=-np.inf), *zero])),
    )


def _verify_by_checksums(entry: CatalogEntry, layout: Layout, progress: Progress) -> Verification:
    for name, path in _walk_with_progress(layout, progress):
        verify_checksums(path, {"sha256": entry.file_checksums[name]})
    known = {"documents": entry.documents, "queries": entry.queries, "features": entry.features}
    facts = {fact: count for fact, count in known.items() if count is not None}
    by = ("published SHA-256 checksums of all files",)
    return Verification(by, facts, layout.version, entry.file_checksums)


def _walk_with_progress(layout: Layout, progress: Progress) -> Iterator[tuple[str, Path]]:
    total = sum(path.stat().st_size for path in layout.files.values())
    done = 0
    for name, path in layout.files.items():
        yield name, path
        done += path.stat().st_size
        progress(done / max(total, 1))


def _verify_by_facts(entry: CatalogEntry, layout: Layout, progress: Progress) -> Verification:
    files = _walk_with_progress(layout, progress)
    found = {name.split(".")[0]: read_facts(path) for name, path in files}
    facts = _add_up(layout.kind, found)
    problems = [*_find_whole_problems(entry, facts), *_find_part_problems(entry, found)]
    if layout.kind == "folds":
        problems += _find_fold_problems(found, facts)
    version = _check_version(entry, layout, facts, problems)
    if problems:
        raise RankwiseError(f"{layout} is not {entry.name}: {'; '.join(problems)}")
    kept = {
        "documents": facts.documents,
        "queries": facts.queries,
        "features": facts.features,
        "labels": {as_text(label): count for label, count in facts.labels.items()},
    }
    checksums = {name: compute_checksum(path) for name, path in layout.files.items()}
    return Verification(_list_compared(entry), kept, version, checksums)


def _add_up(kind: str, found: Mapping[str, FileFacts]) -> Facts:
    """Over all files; of folds, whose parts overlap, over the test parts, which are disjoint."""
    counted = [facts for name, facts in found.items() if kind != "folds" or name.endswith("/test")]
    labels: Counter[float] = Counter()
    for facts in counted:
        labels.update(facts.labels)
    return Facts(
        documents=sum(facts.documents for facts in counted),
        queries=sum(len(facts.query_ids) for facts in counted),
        features=max(facts.features for facts in found.values()),
        labels=dict(sorted(labels.items())),
        version=_detect_version(found.values()),
    )


def _detect_version(found: Iterable[FileFacts]) -> str:
    """The LETOR version that the values tell."""
    files = list(found)
    if any(facts.has_null for facts in files):
        return "NULL"
    within = all(facts.lowest >= 0 and facts.highest <= 1 for facts in files)
    return "QueryLevelNorm" if within else "MIN"


def _find_whole_problems(entry: CatalogEntry, facts: Facts) -> Iterator[str]:
    for what, expected, counted in (
        ("documents", entry.documents, facts.documents),
        ("queries", entry.queries, facts.queries),
    ):
        if expected is not None and counted != expected:
            yield f"{what} must be {expected:,}, found {counted:,}"
    yield from _find_feature_problems(entry, facts.features)
    yield from _find_label_problems(entry, facts.labels)


def _find_feature_problems(entry: CatalogEntry, features: int) -> Iterator[str]:
    if entry.features is None or features == entry.features:
        return
    if not entry.features_may_be_absent:
        yield f"features must be {entry.features}, found {features}"
    elif features > entry.features:
        yield f"features must be at most {entry.features}, found {features}"


def _find_label_problems(entry: CatalogEntry, labels: Mapping[float, int]) -> Iterator[str]:
    if entry.label_range is not None:
        low, high = entry.label_range
        if min(labels) < low or max(labels) > high:
            span = f"{min(labels):g} to {max(labels):g}"
            yield f"labels must lie between {low:g} and {high:g}, found {span}"
        return
    other = sorted(set(labels) - set(entry.label_levels))
    if entry.label_levels and other:
        levels = ", ".join(map(str, entry.label_levels))
        yield f"labels must be {levels}, found {', '.join(map(as_text, other))}"
    elif entry.label_counts:
        expected = dict(zip(entry.label_levels, entry.label_counts, strict=True))
        if dict(labels) != expected:
            yield f"label counts must be {_format_counts(expected)}, found {_format_counts(labels)}"


def _format_counts(labels: Mapping[int, int] | Mapping[float, int]) -> str:
    return " / ".join(f"{as_text(label)}: {count:,}" for label, count in labels.items())


def _find_part_problems(entry: CatalogEntry, found: Mapping[str, FileFacts]) -> Iterator[str]:
    for part, expected in entry.part_facts.items():
        if part not in found:
            continue
        counted = PartFacts(len(found[part].query_ids), found[part].documents)
        if counted != expected:
            yield (
                f"{part} must have {expected.queries:,} queries and {expected.documents:,} "
                f"documents, found {counted.queries:,} and {counted.documents:,}"
            )


def _find_fold_problems(found: Mapping[str, FileFacts], whole: Facts) -> Iterator[str]:
    """Every fold must hold every query in exactly one of its parts."""
    folds: dict[str, list[FileFacts]] = {}
    for name, facts in found.items():
        folds.setdefault(name.partition("/")[0], []).append(facts)
    for fold, parts in folds.items():
        queries = len(frozenset[str]().union(*(facts.query_ids for facts in parts)))
        if queries < sum(len(facts.query_ids) for facts in parts):
            yield f"{fold} has queries in two of its parts"
        documents = sum(facts.documents for facts in parts)
        if (queries, documents) != (whole.queries, whole.documents):
            yield (
                f"{fold} has {queries:,} queries and {documents:,} documents, all test parts "
                f"together have {whole.queries:,} and {whole.documents:,}"
            )


def _check_version(
    entry: CatalogEntry, layout: Layout, facts: Facts, problems: list[str]
) -> str | None:
    """The version by the values; a folder's name that says otherwise is a problem."""
    if not entry.versions:
        return None
    if layout.version is not None and layout.version != facts.version:
        problems.append(f"the folder says {layout.version}, the values are {facts.version}")
    return facts.version


def _list_compared(entry: CatalogEntry) -> tuple[str, ...]:
    known = {
        "rows": entry.documents,
        "queries": entry.queries,
        "features": entry.features,
        "labels": entry.label_levels or entry.label_range,
        "label counts": entry.label_counts,
        "counts of the parts": entry.part_facts,
    }
    return tuple(what for what, fact in known.items() if fact) or ("layout only",)
