"""Which results can be compared: means over the same folds, each fold run with all its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.results.store_records import Subject, TaskName, name_subjects
from rankwise.results.table import ResultTable

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
        found = _compare_runs(_seeds_of_rows(table, rows), rule)
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
        method: frozenset(fold for fold, seeds in own.items() if seeds == _all(own))
        for method, own in runs.items()
    }
    folds = _counting(whole, rule)
    lacking = {
        method: _words(own, folds or frozenset(own))
        for method, own in runs.items()
        if not (folds and folds <= whole[method])
    }
    there = {fold for method, own in runs.items() if method not in lacking for fold in own}
    return Comparable(folds, lacking, tuple(sorted(there - folds)))


def _seeds_of_rows(table: ResultTable, rows: Sequence[int]) -> dict[str, dict[int, set[int]]]:
    found: dict[str, dict[int, set[int]]] = {}
    for row in rows:
        own = found.setdefault(table.method[row], {})
        own.setdefault(int(table.fold[row]), set()).update(table.seeds[row])
    return found


def _all(own: Seeds) -> set[int]:
    return set().union(*own.values())


def _counting(whole: Mapping[str, frozenset[int]], rule: Rule) -> frozenset[int]:
    own = set(whole.values())
    shared = frozenset.intersection(*own) if own else frozenset()
    if rule == "all folds":
        return frozenset().union(*own)
    if rule == "everyone" and shared:
        return shared
    least = min(2, len(whole))
    return max(_shared_sets(own), key=lambda folds: _merit(folds, whole, least), default=shared)


def _shared_sets(own: set[frozenset[int]]) -> set[frozenset[int]]:
    """The sets of folds of all methods, and what any of them share."""
    found: set[frozenset[int]] = set()
    for one in own:
        found |= {one} | {one & other for other in found}
    return found


def _merit(
    folds: frozenset[int], whole: Mapping[str, frozenset[int]], least: int
) -> tuple[bool, int, int, list[int]]:
    """Enough methods first, then how much is kept; of equals more folds, then the first ones."""
    methods = sum(folds <= own for own in whole.values()) if folds else 0
    return methods >= least, methods * len(folds), len(folds), [-fold for fold in sorted(folds)]


def _words(own: Seeds, folds: frozenset[int]) -> str:
    absent = [str(fold) for fold in sorted(folds) if fold not in own]
    partial = [str(fold) for fold in sorted(folds) if fold in own and own[fold] != _all(own)]
    parts = [f"fold {', '.join(absent)}"] if absent else []
    return " and ".join(parts + ([f"seeds of fold {', '.join(partial)}"] if partial else []))
