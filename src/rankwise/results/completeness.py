"""Which figures can be compared: those over the same folds, each fold with all of its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rankwise.results.store_records import Subject, TaskName, TaskValue, subject_names

Seeds = Mapping[int, set[int]]
"""The seeds of every fold of a method."""


@dataclass(frozen=True)
class Comparable:
    """What of the methods on one data set can be compared.

    Attributes:
        folds: those that count.
        lacking: methods that do not have them all, with what they lack in words.
        surplus: other folds that some of the methods have.
    """

    folds: frozenset[int]
    lacking: Mapping[str, str]
    surplus: tuple[int, ...]

    def keeps(self, name: TaskName) -> bool:
        """Whether a task of the data set counts."""
        return name.fold in self.folds and name.method not in self.lacking

    def sentences(self, called: str) -> list[str]:
        """What does not count, for people; `called` is the name of the data set."""
        said = [
            f"{method} is left out on {called}: it lacks {what}"
            for method, what in self.lacking.items()
        ]
        if self.surplus:
            noun, verb = ("fold", "is") if len(self.surplus) == 1 else ("folds", "are")
            folds = ", ".join(map(str, self.surplus))
            said.append(f"{noun} {folds} of {called} {verb} left aside: not all have it")
        return said


Rule = Literal["most", "everyone", "all folds"]


def comparable(names: Iterable[TaskName], rule: Rule = "most") -> Comparable:
    """Of the tasks that are done on one data set.

    A method has a fold if it was run there with every seed of its other folds. Those folds count
    that keep `most`: the number of methods that have them all, at least two of several, times their
    number; or those that `everyone` has, if any; or `all folds` that anyone has, as beside figures
    that others published.
    """
    runs = seeds_by_fold(names)
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


def said_by_measure(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Sentences about several measures, which are named where not all have the same."""
    different = {tuple(said) for said in sentences.values()}
    if len(different) < 2:
        return list(*different)
    return [f"in {measure}, {one}" for measure, said in sentences.items() for one in said]


def seeds_by_fold(names: Iterable[TaskName]) -> dict[str, dict[int, set[int]]]:
    """Of every method on one data set its folds, and the seeds of each."""
    found: dict[str, dict[int, set[int]]] = {}
    for name in names:
        found.setdefault(name.method, {}).setdefault(name.fold, set()).add(name.seed)
    return found


def complete(means: Sequence[TaskValue], rule: Rule = "most") -> tuple[list[TaskValue], list[str]]:
    """The figures that can be compared, and sentences about the others.

    Each measure by each tool is looked at by itself: it may have been computed on fewer folds.
    """
    groups: dict[tuple[Subject, str, str], list[TaskValue]] = {}
    for mean in means:
        groups.setdefault((Subject.of(mean.name), mean.tool, mean.measure), []).append(mean)
    called = subject_names(subject for subject, _, _ in groups)
    kept: set[int] = set()
    said: dict[tuple[Subject, str], dict[str, list[str]]] = {}
    for (subject, tool, measure), own in groups.items():
        found = comparable((one.name for one in own), rule)
        kept |= {id(one) for one in own if found.keeps(one.name)}
        said.setdefault((subject, tool), {})[measure] = found.sentences(called[subject])
    sentences = dict.fromkeys(one for own in said.values() for one in said_by_measure(own))
    return [one for one in means if id(one) in kept], list(sentences)


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
