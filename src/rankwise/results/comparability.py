"""Which two results can be compared, and which of them is higher.

**What a result rests on**: the convention of a tool, and the folds it is a mean over. Only results
that rest on the same can be compared. Results that name no tool are taken for published ones, made
by the script of their collection; of an unknown collection nothing is known. In each data set and
measure the results by the collection's own script stay where there are two, else those that rest on
the same as most methods; the others are left out, and a sentence says so.

**Which runs count**: means over the same folds, each fold run with all its seeds.

**How finely values were printed**, and when one of two is higher at that print. A printed .422
stands for anything that rounds to it. Two values a and b, printed to units u and v, differ where

    |a - b| > max(u, v) / 2,

so that .42199 equals a printed .422 and .2304 does not beat .230, while values of one print differ
as soon as their last digits do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.entries import (
    find_published_folds,
    find_published_labels,
    find_published_tools,
    list_collections,
)
from rankwise.measures.reconciliation import describe_convention, is_tool
from rankwise.results.result_table import ResultTable
from rankwise.results.task_records import Subject, TaskName, name_subjects
from rankwise.sanitize import list_some
from rankwise.tables.notebook import shortened

_MOST_LISTED = 6


def keep_alike(table: ResultTable, reference: ResultTable | None = None) -> ResultTable:
    """The results that can be compared; remarks of the returned table say what was left out.

    Where `reference` has results of the same data set and measure, these decide what the results
    must rest on; otherwise most methods of `table` do, and among equals the published figures.
    """
    if all(_names_no_basis(one) for one in (table, reference) if one is not None):
        return table
    bases = find_bases(table)
    columns = group_columns(table)
    grounds = {} if reference is None else find_grounds(reference)
    grounds = {**find_grounds(table, bases), **grounds}
    kept = np.ones(len(table), dtype=bool)
    for place, rows in columns.items():
        kept[rows] = [grounds[place].bears(bases[row]) for row in rows]
    said = [*_describe_left_out(table, bases, grounds, np.flatnonzero(~kept).tolist())]
    said += _describe_unnamed(table, bases, grounds)
    return replace(table.take(kept), remarks=tuple(dict.fromkeys((*table.remarks, *said))))


def _names_no_basis(table: ResultTable) -> bool:
    """Whether no row names a tool or a fold, so that all of a column rest on the same."""
    return not {"tool", "fold"} & set(table.columns)


def _describe_left_out(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, Ground], rows: Sequence[int]
) -> list[str]:
    """A sentence for each data set and way in which results differ from those that stay."""
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in rows:
        place = table.dataset_names[row], table.measure[row]
        why, advice = _describe_difference(bases[row], grounds[place], table, row)
        groups[place[0], why, advice].append(row)
    return [
        f"left out: {_some(table.measure[own].tolist())} of {_some(table.method[own].tolist())} on "
        f"{shortened(dataset, 60)}: {why}; {advice}"
        for (dataset, why, advice), own in groups.items()
    ]


def _describe_difference(
    own: Basis, ground: Ground, table: ResultTable, row: int
) -> tuple[str, str]:
    if not ground.has_convention(own):
        there, advice = (
            ground.basis.tool,
            f"'rankwise evaluate --tool {ground.basis.tool}' gives that",
        )
        if ground.basis.convention == SCRIPT:
            named = name_tools(table.collection[row], table.dataset[row])
            there = f"{SCRIPT} ({named})"
            advice = f"'rankwise evaluate --tool {named.split(', ')[-1]}' gives that"
        known = ground.basis.convention == SCRIPT or is_tool(ground.basis.tool)
        way = f"{advice}, or see 'rankwise reconcile'" if known else "see 'rankwise reconcile'"
        return f"by {own.tool}, the others by {there}", way
    mine, theirs = (
        folds if folds == MEANS else f"of {folds}" for folds in (own.folds, ground.basis.folds)
    )
    return f"{mine}, the others are {theirs}", "compare the same folds"


def _describe_unnamed(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, Ground]
) -> list[str]:
    """A sentence where figures by a named tool stand beside some that name none."""
    mixed: dict[str, set[str]] = defaultdict(set)
    for row, place in enumerate(zip(table.dataset_names, table.measure, strict=True)):
        ground = grounds[place]
        pair = {bases[row].convention, ground.basis.convention}
        if (UNNAMED in pair or ground.unnamed) and pair != {UNNAMED}:
            tool = bases[row].tool if bases[row].tool != UNNAMED else ground.basis.tool
            mixed[place[0]].add(tool)
    return [
        f"on {shortened(dataset, 60)} figures by {_some(sorted(tools))} stand beside figures that "
        "name no tool, and are taken to be by the same"
        for dataset, tools in mixed.items()
    ]


def _some(names: Sequence[str]) -> str:
    return list_some((shortened(name, 40) for name in names), _MOST_LISTED)


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
        convention, words = _find_convention(collection, _strip_version(dataset), measure, tool)
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
        most = max(methods, key=lambda basis: _weigh_basis(basis, len(methods[basis])))
        unnamed = any(basis.convention == UNNAMED for basis in methods)
        found[place] = Ground(most, unnamed)
    return found


def _weigh_basis(basis: Basis, methods: int) -> tuple[bool, int, bool, bool, bool]:
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
        MEANS if fold is None else _name_folds(held[key], collection, _strip_version(dataset))
        for key, collection, dataset, fold in there
    ]


def _name_folds(folds: set[str], collection: str, dataset: str) -> str:
    count = find_published_folds(collection, dataset)
    if count is None or len(folds) >= count:
        return MEANS
    listed = ", ".join(sorted(folds))
    return f"fold {listed} alone" if len(folds) == 1 else f"folds {listed} alone"


def _strip_version(dataset: str) -> str:
    """The data set without the version that `separate_versions` writes after it."""
    return dataset.partition(", ")[0]


def name_tools(collection: str, dataset: str) -> str:
    """The tools of a data set's published figures, in words."""
    return ", ".join(sorted(find_published_tools(collection, _strip_version(dataset))))


Seeds = Mapping[int, set[int]]
"""The seeds of every fold of a method."""


@dataclass(frozen=True)
class Comparable:
    """Which runs of the methods on one data set can be compared.

    Attributes:
        folds: the folds that count.
        lacking: methods that do not have all of these, with what they lack in words.
        surplus: folds that some of the other methods have in addition; they do not count.
    """

    folds: frozenset[int]
    lacking: Mapping[str, str]
    surplus: tuple[int, ...]

    def includes(self, method: str, fold: int) -> bool:
        """Whether the result of a method on a fold of the data set counts."""
        return fold in self.folds and method not in self.lacking

    def describe(self, dataset: str) -> list[str]:
        """Sentences about what does not count; `dataset` is the name to print."""
        sentences = [
            f"{method} is left out on {dataset}: it lacks {what}"
            for method, what in self.lacking.items()
        ]
        if self.surplus:
            noun, verb = ("fold", "is") if len(self.surplus) == 1 else ("folds", "are")
            folds = ", ".join(map(str, self.surplus))
            sentences.append(f"{noun} {folds} of {dataset} {verb} left aside: not all have it")
        return sentences


Rule = Literal["most", "everyone", "all folds"]


def find_comparable(names: Iterable[TaskName], rule: Rule = "most") -> Comparable:
    """Find which of the tasks that were done on one data set can be compared.

    A method has a fold if it was run there with every seed of its other folds. By the rule `most`
    those folds count that keep most results: the number of methods that have them all (at least
    two, where there are several) times the number of folds. By the rule `everyone` the folds count
    that every method has, if there are any. By `all folds` every fold counts that any method has,
    which is needed next to figures that others published.
    """
    return _compare_runs(group_seeds(names), rule)


def group_seeds(names: Iterable[TaskName]) -> dict[str, dict[int, set[int]]]:
    """Group the tasks of one data set by method and fold: the seeds of each."""
    found: dict[str, dict[int, set[int]]] = {}
    for name in names:
        found.setdefault(name.method, {}).setdefault(name.fold, set()).add(name.seed)
    return found


def keep_comparable(table: ResultTable, rule: Rule = "most") -> ResultTable:
    """Keep the results that can be compared; `remarks` of the returned table name the others.

    Only results with known seeds are judged, that is, those read from a store. Each measure by
    each tool is judged by itself, because it may have been computed on fewer folds.
    """
    groups: dict[tuple[Subject, str, str], list[int]] = {}
    for row in np.flatnonzero(table.seeds != None).tolist():  # noqa: E711
        subject = Subject(table.collection[row], table.dataset[row], table.version[row])
        groups.setdefault((subject, table.tool[row], table.measure[row]), []).append(row)
    names = name_subjects(subject for subject, _, _ in groups)
    kept = table.seeds == None  # noqa: E711
    sentences: dict[tuple[Subject, str], dict[str, list[str]]] = {}
    for (subject, tool, measure), rows in groups.items():
        found = _compare_runs(_group_seeds_of_rows(table, rows), rule)
        for row in rows:
            kept[row] = found.includes(table.method[row], int(table.fold[row]))
        by_measure = sentences.setdefault((subject, tool), {})
        by_measure[measure] = found.describe(names[subject])
    added = dict.fromkeys(one for own in sentences.values() for one in join_sentences(own))
    return replace(table.take(kept), remarks=(*table.remarks, *added))


def join_sentences(by_measure: Mapping[str, Sequence[str]]) -> list[str]:
    """One list of the sentences about several measures; measures that differ are named in them."""
    different = {tuple(sentences) for sentences in by_measure.values()}
    if len(different) < 2:
        return list(*different)
    return [
        f"in {measure}, {sentence}"
        for measure, sentences in by_measure.items()
        for sentence in sentences
    ]


def _compare_runs(runs: Mapping[str, Seeds], rule: Rule) -> Comparable:
    whole = {
        method: frozenset(fold for fold, seeds in own.items() if seeds == _unite_seeds(own))
        for method, own in runs.items()
    }
    folds = _choose_folds(whole, rule)
    lacking = {
        method: _describe_lacking_runs(own, folds or frozenset(own))
        for method, own in runs.items()
        if not (folds and folds <= whole[method])
    }
    there = {fold for method, own in runs.items() if method not in lacking for fold in own}
    return Comparable(folds, lacking, tuple(sorted(there - folds)))


def _group_seeds_of_rows(table: ResultTable, rows: Sequence[int]) -> dict[str, dict[int, set[int]]]:
    found: dict[str, dict[int, set[int]]] = {}
    for row in rows:
        own = found.setdefault(table.method[row], {})
        own.setdefault(int(table.fold[row]), set()).update(table.seeds[row])
    return found


def _unite_seeds(own: Seeds) -> set[int]:
    return set().union(*own.values())


def _choose_folds(whole: Mapping[str, frozenset[int]], rule: Rule) -> frozenset[int]:
    own = set(whole.values())
    shared = frozenset.intersection(*own) if own else frozenset()
    if rule == "all folds":
        return frozenset().union(*own)
    if rule == "everyone" and shared:
        return shared
    least = min(2, len(whole))
    return max(
        _find_shared_folds(own), key=lambda folds: _rate_folds(folds, whole, least), default=shared
    )


def _find_shared_folds(own: set[frozenset[int]]) -> set[frozenset[int]]:
    """The sets of folds of all methods, and what any of them share."""
    found: set[frozenset[int]] = set()
    for one in own:
        found |= {one} | {one & other for other in found}
    return found


def _rate_folds(
    folds: frozenset[int], whole: Mapping[str, frozenset[int]], least: int
) -> tuple[bool, int, int, list[int]]:
    """Enough methods first, then how much is kept; of equals more folds, then the first ones."""
    methods = sum(folds <= own for own in whole.values()) if folds else 0
    return methods >= least, methods * len(folds), len(folds), [-fold for fold in sorted(folds)]


def _describe_lacking_runs(own: Seeds, folds: frozenset[int]) -> str:
    absent = [str(fold) for fold in sorted(folds) if fold not in own]
    partial = [
        str(fold) for fold in sorted(folds) if fold in own and own[fold] != _unite_seeds(own)
    ]
    parts = [f"fold {', '.join(absent)}"] if absent else []
    return " and ".join(parts + ([f"seeds of fold {', '.join(partial)}"] if partial else []))


FINEST = 12
"""Values with more decimals than these were computed, not printed; beyond is rounding error."""
COARSEST = 2
"""Nothing is printed more coarsely; fewer decimals are zeros at the end that a number lost."""
_ROUNDING_SLACK = 1 + 1e-6


def count_decimals(values: NDArray[np.float64], finest: int = FINEST) -> NDArray[np.int64]:
    """How many decimals the shortest decimal text of each value has, at most `finest`."""
    decimals = np.full(len(values), finest, dtype=np.int64)
    left = np.arange(len(values))
    rounding_error = 10.0**-finest / 2
    for count in range(finest):
        if not len(left):
            break
        short = np.abs(np.round(values[left], count) - values[left]) < rounding_error
        decimals[left[short]] = count
        left = left[~short]
    return decimals


def find_units(table: ResultTable, finest: int = FINEST) -> NDArray[np.float64]:
    """For each row one unit in the last decimal that its source prints.

    The value with most decimals decides, because single values may end in zeros: among the values
    of its source, or of its method where no source is named. At least two decimals are assumed.
    """
    decimals = count_decimals(table.value, finest)
    groups = _code_sources(table)
    most = np.full(int(groups.max(initial=0)) + 1, COARSEST, dtype=np.int64)
    np.maximum.at(most, groups, decimals)
    return np.asarray(10.0 ** -most[groups].astype(np.float64))


def find_tolerance(unit: float, other: float) -> float:
    """The largest difference of values printed to these units that is none."""
    return max(unit, other) / 2 * _ROUNDING_SLACK


def _code_sources(table: ResultTable) -> NDArray[np.int64]:
    if "source" not in table.columns:
        return table.codes().method
    codes: dict[tuple[str, str], int] = {}
    pairs = zip(table.source.tolist(), table.method.tolist(), strict=True)
    keys = (("source", source) if source else ("method", method) for source, method in pairs)
    return np.fromiter((codes.setdefault(key, len(codes)) for key in keys), np.int64, len(table))


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING_ERROR = find_tolerance(10.0**-FINEST, 10.0**-FINEST)
"""Values nearer than this are equal, whatever their print."""


class Prints(NamedTuple):
    """How values were printed: the unit of the last digit, and whether the survey collected them.

    Two results of the survey are compared as they stand (`results.published.published_tables`).
    """

    unit: Floats
    survey: NDArray[np.bool_]

    def take(self, chosen: NDArray[np.bool_] | Integers | slice) -> Prints:
        """The prints of some of the values."""
        return Prints(self.unit[chosen], self.survey[chosen])

    def tolerances(self) -> Floats:
        """For each pair the largest difference that is none."""
        units = np.maximum.outer(self.unit, self.unit)
        found = np.maximum(units, 10.0**-FINEST) * find_tolerance(1.0, 1.0)
        found[np.logical_and.outer(self.survey, self.survey)] = ROUNDING_ERROR
        return np.asarray(found)

    def classes(self) -> Integers:
        """A number for each value: the same for those of one print."""
        _, unit = np.unique(self.unit, return_inverse=True)
        return np.asarray(np.where(self.survey, -1 - unit, unit), dtype=np.int64)


def find_higher(value: Floats, prints: Prints) -> NDArray[np.bool_]:
    """(values, values): whether the first of each pair is the higher one."""
    return np.asarray(value[:, None] - value[None, :] > prints.tolerances())


def count_lower_and_higher(value: Floats, prints: Prints) -> tuple[Integers, Integers]:
    """For each of the rising values of a cell how many others are lower, and how many higher.

    Values of one print are searched together, so that no pair is visited.
    """
    lower, higher = np.zeros(len(value), np.int64), np.zeros(len(value), np.int64)
    classes = prints.classes()
    members = [np.flatnonzero(classes == one) for one in np.unique(classes)]
    for mine in members:
        for theirs in members:
            tolerance = _find_pair_tolerance(prints, int(mine[0]), int(theirs[0]))
            others = value[theirs]
            lower[mine] += np.searchsorted(others, value[mine] - tolerance, "left")
            right = np.searchsorted(others, value[mine] + tolerance, "right")
            higher[mine] += len(others) - right
    return lower, higher


def _find_pair_tolerance(prints: Prints, one: int, other: int) -> float:
    if prints.survey[one] and prints.survey[other]:
        return ROUNDING_ERROR
    return max(find_tolerance(prints.unit[one], prints.unit[other]), ROUNDING_ERROR)
