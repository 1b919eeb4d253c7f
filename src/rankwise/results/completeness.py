"""Which figures can be compared: those over the same folds, each fold with all of its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankwise.results.store_reading import Mean
from rankwise.results.store_records import Subject, TaskName, subject_names

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
        aside = ", ".join(map(str, self.surplus))
        return [
            f"{method} is left out on {called}: it lacks {what}"
            for method, what in self.lacking.items()
        ] + ([f"fold {aside} of {called} is left aside: not all have it"] if aside else [])


def comparable(names: Iterable[TaskName]) -> Comparable:
    """Of the tasks that are done on one data set.

    A method has a fold if it was run there with every seed of its other folds. Those folds count
    that keep most: the number of methods that have them all, times their number.
    """
    runs = seeds_by_fold(names)
    whole = {
        method: frozenset(fold for fold, seeds in own.items() if seeds == _all(own))
        for method, own in runs.items()
    }
    folds = max(whole.values(), key=lambda one: (_kept(one, whole), len(one)), default=frozenset())
    lacking = {
        method: _words(own, folds) for method, own in runs.items() if not folds <= whole[method]
    }
    there = {fold for method, own in runs.items() if method not in lacking for fold in own}
    return Comparable(folds, lacking, tuple(sorted(there - folds)))


def seeds_by_fold(names: Iterable[TaskName]) -> dict[str, dict[int, set[int]]]:
    """Of every method on one data set its folds, and the seeds of each."""
    found: dict[str, dict[int, set[int]]] = {}
    for name in names:
        found.setdefault(name.method, {}).setdefault(name.fold, set()).add(name.seed)
    return found


def complete(means: Sequence[Mean]) -> tuple[list[Mean], list[str]]:
    """The figures that can be compared, and sentences about the others.

    Each measure by each tool is looked at by itself: it may have been computed on fewer folds.
    """
    groups: dict[tuple[Subject, str, str], list[Mean]] = {}
    for mean in means:
        groups.setdefault((Subject.of(mean.name), mean.tool, mean.measure), []).append(mean)
    called = subject_names(subject for subject, _, _ in groups)
    kept: set[int] = set()
    said: dict[str, None] = {}
    for (subject, _, _), own in groups.items():
        found = comparable(one.name for one in own)
        kept |= {id(one) for one in own if found.keeps(one.name)}
        said |= dict.fromkeys(found.sentences(called[subject]))
    return [one for one in means if id(one) in kept], list(said)


def _all(own: Seeds) -> set[int]:
    return set().union(*own.values())


def _kept(folds: frozenset[int], whole: Mapping[str, frozenset[int]]) -> int:
    return len(folds) * sum(folds <= own for own in whole.values())


def _words(own: Seeds, folds: frozenset[int]) -> str:
    absent = [str(fold) for fold in sorted(folds) if fold not in own]
    partial = [str(fold) for fold in sorted(folds) if fold in own and own[fold] != _all(own)]
    parts = [f"fold {', '.join(absent)}"] if absent else []
    return " and ".join(parts + ([f"seeds of fold {', '.join(partial)}"] if partial else []))
