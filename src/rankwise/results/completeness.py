"""Which methods can be compared: those that have the folds of the others, with all their seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwise.results.store_reading import Mean
from rankwise.results.store_records import Subject, TaskName, subject_names

Method = tuple[Subject, str]
"""A method by its label, on a data set in one version."""


def seeds_by_fold(names: Iterable[TaskName]) -> dict[Method, dict[int, set[int]]]:
    """Of every method its folds, and the seeds of each."""
    found: dict[Method, dict[int, set[int]]] = {}
    for name in names:
        own = found.setdefault((Subject.of(name), name.method), {})
        own.setdefault(name.fold, set()).add(name.seed)
    return found


def incomplete(names: Iterable[TaskName]) -> dict[Method, tuple[int, ...]]:
    """Methods whose means are over less than those of others, with the folds that they lack.

    A method lacks a fold that another one has on the same data, or in which it was not run with
    every seed of its other folds.
    """
    runs = seeds_by_fold(names)
    folds: dict[Subject, set[int]] = {}
    for (subject, _), own in runs.items():
        folds.setdefault(subject, set()).update(own)
    found = {}
    for (subject, method), own in runs.items():
        seeds = set().union(*own.values())
        lacking = tuple(sorted(fold for fold in folds[subject] if own.get(fold) != seeds))
        if lacking:
            found[subject, method] = lacking
    return found


def left_out(means: Sequence[Mean]) -> list[str]:
    """Sentences about the methods that `complete` leaves out."""
    names = dict.fromkeys(mean.name for mean in means)
    return lacking_sentences(incomplete(names), subject_names(map(Subject.of, names)))


def complete(means: Sequence[Mean]) -> list[Mean]:
    """The figures without those of incomplete methods, on the data where they are incomplete."""
    lacking = incomplete(dict.fromkeys(mean.name for mean in means))
    return [one for one in means if (Subject.of(one.name), one.name.method) not in lacking]


def lacking_sentences(
    lacking: Mapping[Method, tuple[int, ...]], called: Mapping[Subject, str]
) -> list[str]:
    """What `incomplete` found, for people."""
    return [
        f"{method} is left out on {called[subject]}: it lacks fold {', '.join(map(str, folds))} "
        "or seeds of it"
        for (subject, method), folds in lacking.items()
    ]
