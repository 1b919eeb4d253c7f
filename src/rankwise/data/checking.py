"""What is wrong with a data set that reads well: found, named, and never repaired silently.

Files are checked each by itself, and those of one fold beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import find_folds
from rankwise.data.formats.letor_reader import MOST_FAULTS, find_faults
from rankwise.data.reading import is_letor_text, read
from rankwise.data.shared_queries import QueryPrints, list_pairs
from rankwise.errors import FormatError, location
from rankwise.files import is_folder
from rankwise.sanitize import list_some

# Most learners hold features in single precision, where larger values become infinite.
LARGEST_SINGLE = float(np.finfo(np.float32).max)
MOST_SHOWN = 5
_CHANCE_OF_FALSE_ALARM = 1e-6
"""The probability below which no feature of chance orders all queries as their labels do."""
_TRIED_FIRST = 20


@dataclass(frozen=True)
class DataProblem:
    """One thing that is wrong: its kind, the file or files, and a sentence."""

    kind: str
    where: str
    sentence: str


def check_dataset(dataset: Dataset, where: str) -> list[DataProblem]:
    """Everything that is wrong within one file."""
    return [DataProblem(kind, where, sentence) for kind, sentence in _find_dataset_faults(dataset)]


def check_parts(parts: Mapping[str, Dataset]) -> list[DataProblem]:
    """What is wrong between the files of one fold: shared queries, different widths."""
    findings = list_shared({name: QueryPrints.of(part) for name, part in parts.items()})
    for (name, part), (other_name, other) in combinations(parts.items(), 2):
        if part.n_features != other.n_features:
            sentence = (
                "parts must have equally many features, "
                f"found {part.n_features} and {other.n_features}"
            )
            where = f"{name}, {other_name}"
            findings.append(DataProblem("different features", where, sentence))
    return findings


def list_shared(prints: Mapping[str, QueryPrints], *, in_tests: bool = False) -> list[DataProblem]:
    """The queries that stand in several parts of one fold, or are tested in several folds."""
    rule = (
        "a query may be tested in one fold only, as copies would count as independent"
        if in_tests
        else "a query may stand in one part only"
    )
    return [
        DataProblem(
            "shared query",
            f"{name}, {other}",
            f"{rule}, found {list_some(ids, MOST_SHOWN)} in both",
        )
        for name, other, ids in list_pairs(prints, in_tests=in_tests)
    ]


def find_label_features(dataset: Dataset) -> list[str]:
    """The features, by name or number, that order every query as its labels do, up or down.

    Such a feature is the label by another name. Where queries are so few or short that a feature
    of chance may do the same, there are none.
    """
    groups = _LabelGroups.of(dataset)
    if not groups.log_chances.sum() < math.log(
        _CHANCE_OF_FALSE_ALARM / max(1, 2 * dataset.n_features)
    ):
        return []
    # Hardly any other feature passes a few queries: whole columns are read of these alone.
    mixed = np.flatnonzero(groups.log_chances < 0.0)
    few = dataset.select_queries(mixed[:_TRIED_FIRST])
    if few.sparse is None:
        chosen, values = np.arange(few.n_features), few.features
    else:
        # A feature that is 0 in all rows of a query orders none of them.
        chosen = np.unique(few.sparse[: int(few.query_offsets[1])].columns).astype(np.int64)
        values = few.sparse.take_columns(chosen).to_dense()
    likely = chosen[_LabelGroups.of(few).are_ordered(values)]
    found = [c for c in likely.tolist() if groups.are_ordered(dataset.column(c)[:, None])[0]]
    names = dataset.feature_names
    return [str(column + 1) if names is None else names[column] for column in found]


@dataclass(frozen=True, eq=False)
class _LabelGroups:
    """The rows of equal labels in each query, by query and rising label."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    """Where a group begins in this order."""
    same_query: NDArray[np.bool_]
    """Whether a group and the next are of one query."""
    log_chances: NDArray[np.float64]
    """Of each query, the logarithm of the probability that chance puts its groups in order."""

    @classmethod
    def of(cls, dataset: Dataset) -> _LabelGroups:
        queries = dataset.query_of_rows
        order = np.lexsort((dataset.labels, queries))
        labels, query = dataset.labels[order], queries[order]
        begins = np.ones(len(order), bool)
        begins[1:] = (labels[1:] != labels[:-1]) | (query[1:] != query[:-1])
        starts = np.flatnonzero(begins)
        sizes, home = np.diff(np.append(starts, len(order))), query[starts]
        lengths = dataset.query_lengths
        factorials = np.cumsum(np.log(np.maximum(np.arange(lengths.max(initial=0) + 1), 1)))
        within = np.bincount(home, factorials[sizes], minlength=dataset.n_queries)
        # What is equal but for rounding is no chance at all.
        chances = np.minimum(within - factorials[lengths], 0.0)
        chances[np.bincount(home, minlength=dataset.n_queries) < 2] = 0.0
        return cls(order, starts, home[1:] == home[:-1], chances)

    def are_ordered(self, features: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of the features rise, or fall, from each group to the next of its query."""
        rows = features[self.order]
        low = np.minimum.reduceat(rows, self.starts, axis=0)
        high = np.maximum.reduceat(rows, self.starts, axis=0)
        rises = (high[:-1] < low[1:])[self.same_query].all(axis=0)
        falls = (low[:-1] > high[1:])[self.same_query].all(axis=0)
        return np.asarray(rises | falls)


def describe_label_features(found: list[str]) -> str:
    """That features are the label, in a sentence."""
    return (
        f"no feature may be the label by another name, found {list_some(found, MOST_SHOWN)}, which "
        f"{'orders' if len(found) == 1 else 'order'} the documents of every query as the labels do"
    )


def _find_dataset_faults(dataset: Dataset) -> Iterator[tuple[str, str]]:
    infinite, huge = _find_extremes(dataset)
    if infinite.count:
        yield "infinite value", f"values must be finite, found {infinite.told(dataset)} infinite"
    if huge.count:
        yield (
            "out of range",
            f"values must fit single precision (up to {LARGEST_SINGLE:.3g}), "
            f"found {huge.told(dataset)} beyond it",
        )
    negative = np.flatnonzero(dataset.labels < 0)
    if len(negative):
        yield (
            "negative label",
            f"labels must not be negative, found {len(negative)}, first in row {negative[0] + 1}",
        )
    if len(dataset.labels) and dataset.labels.min() >= 1:
        yield (
            "no irrelevant document",
            f"labels must begin at 0, found none below {dataset.labels.min():g}: every document is "
            "relevant to measures such as MAP, which have one value for every ranking",
        )
    telling = find_label_features(dataset)
    if telling:
        yield "label among features", describe_label_features(telling)
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
            f"a document may stand once in a query, found {list_some(repeated, MOST_SHOWN)} again",
        )


@dataclass
class _Cells:
    """How many of the stored values are odd in one way, and the first of them."""

    count: int = 0
    first: int = -1

    def add(self, mask: NDArray[np.bool_], before: int) -> None:
        """Those of a block, before which so many values stand."""
        found = int(np.count_nonzero(mask))
        if found and not self.count:
            self.first = before + int(np.argmax(mask))
        self.count += found

    def told(self, dataset: Dataset) -> str:
        """How many cells, and where the first of them is."""
        if dataset.sparse is None:
            row, column = divmod(self.first, dataset.n_features)
        else:
            row = int(np.searchsorted(dataset.sparse.row_offsets, self.first, side="right")) - 1
            column = int(dataset.sparse.columns[self.first])
        names = dataset.feature_names
        feature = names[column] if names else str(column + 1)
        return f"{self.count} (first in row {row + 1}, feature {feature})"


def _find_extremes(dataset: Dataset) -> tuple[_Cells, _Cells]:
    """Values that are infinite, and those beyond single precision."""
    infinite, huge = _Cells(), _Cells()
    before = 0
    for block in dataset.value_blocks():
        values = block.reshape(-1)
        endless = np.isinf(values)
        infinite.add(endless, before)
        with np.errstate(invalid="ignore"):
            huge.add((np.abs(values) > LARGEST_SINGLE) & ~endless, before)
        before += values.size
    return infinite, huge


def check(
    *paths: str | Path,
    zero_based: bool = False,
    advance: Callable[[int, int], None] = lambda done, total: None,
    look: Callable[[str, Dataset], None] = lambda where, part: None,
) -> list[DataProblem]:
    """Everything that is wrong in files, taken as the parts of one fold, and in folders of folds.

    `advance` is told how many of how many groups of files are done, and `look` is shown each file
    that can be read, by its name.
    """
    findings: list[DataProblem] = []
    groups = fold_files(paths)
    tests = {str(fold.test): number for number, path in enumerate(map(locate, paths))
             if is_folder(path) for fold in find_folds(path)}  # fmt: skip
    tested: dict[int, dict[str, QueryPrints]] = {number: {} for number in tests.values()}
    for number, group in enumerate(groups, 1):
        parts: dict[str, Dataset] = {}
        for path in group:
            try:
                parts[str(path)] = read(path, zero_based=zero_based)
            except FormatError as error:
                findings += _list_faults(path, error, zero_based)
        for name, part in parts.items():
            look(name, part)
            findings += [found for found in check_dataset(part, name) if found not in findings]
            if name in tests:
                tested[tests[name]][name] = QueryPrints.of(part)
        findings += check_parts(parts)
        advance(number, len(groups))
    for prints in tested.values():
        findings += list_shared(prints, in_tests=True)
    return findings


def _list_faults(path: Path, first: FormatError, zero_based: bool) -> list[DataProblem]:
    """The lines that cannot be read, the first ones where there are many."""
    faults = find_faults(path, zero_based=zero_based) if is_letor_text(path) else []
    listed = [DataProblem("unreadable line", location(path, fault.line, fault.column), fault.what)
              for fault in faults[:MOST_FAULTS]]  # fmt: skip
    if len(faults) > MOST_FAULTS:
        more = "there are more lines that cannot be read; mend these first"
        listed.append(DataProblem("unreadable line", str(path), more))
    where = location(path, first.line, first.column)
    return listed or [DataProblem("unreadable", where, first.what)]


def fold_files(paths: Sequence[str | Path]) -> list[list[Path]]:
    """Files that belong together: those that are named, and each fold of a folder."""
    # A path that knows the columns of its table stays what it is.
    located = [locate(path) for path in paths]
    named = [path if isinstance(path, Path) else Path(path) for path in located]
    files = [path for path in named if not is_folder(path)]
    folds = [fold for path in named if is_folder(path) for fold in find_folds(path)]
    fold_groups = [
        [part for part in (fold.train, fold.validation, fold.test) if part is not None]
        for fold in folds
    ]
    return ([files] if files else []) + fold_groups


def list_whole_files(paths: Sequence[str | Path]) -> list[Path]:
    """The files of a data set: those that are named, and of a folder the parts of its first fold.

    Each query is in one of these; other folds have the same queries in other parts.
    """
    files = []
    for path in map(locate, paths):
        files += fold_files([path])[0]
    return files
