"""The methods of a store as systems: their values per query, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.results.comparability import Rule, join_sentences
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import PairedSystems

Values = dict[str, dict[str, NDArray[np.float64]]]


def stored_values(
    store: str | Path,
    methods: Sequence[str],
    measures: Sequence[str],
    tool: str | None,
    dataset: str | None,
) -> tuple[str, Values, list[str]]:
    """The tool, values per query by measure and method, the baseline first, and remarks."""
    named = methods if len(methods) > 1 else ()
    rule: Rule = "everyone" if named else "most"
    with Store.read(store) as opened, opened.snapshot():
        subject, own = opened.find_subject(dataset)
        chosen = tool or own
        for one in measures:
            check_mean(one, find_tool(chosen).measure(one).average)
        _check_methods(store, methods, opened.methods(subject))
        found = {one: opened.paired(one, chosen, subject, named, rule) for one in measures}
        left_out = opened.remarks(subject)
    said = join_sentences({one: systems.sentences for one, systems in found.items()})
    values = {one: _chosen(store, systems, methods) for one, systems in found.items()}
    return chosen, values, [*left_out, *said, *_tell_means(found.values())]


def _tell_means(found: Iterable[PairedSystems]) -> list[str]:
    """That means over queries are no means over folds, where folds have different sizes."""
    for systems in found:
        sizes = systems.fold_sizes
        if len(set(sizes)) > 1:
            return [
                f"means here are over all {sum(sizes):,} queries; 'rankwise results show' has the "
                f"mean of the {len(sizes)} folds' means, which differs where folds differ in size "
                f"({min(sizes):,} to {max(sizes):,} queries)"
            ]
    return []


def check_mean(measure: str, average: str | None) -> None:
    """Refuse a measure that is no mean of values per query."""
    if average != "mean":
        raise RankwiseError(
            f"a paired test needs a measure that is the mean of its figures per query, "
            f"but {measure} is a {average} figure",
            Advice("choose another with {}", "measures"),
        )


def _check_methods(store: str | Path, methods: Sequence[str], there: Sequence[str]) -> None:
    for method in methods:
        if method not in there:
            raise RankwiseError(f"{store} has no method {method!r}; it has {', '.join(there)}")
        if methods.count(method) > 1:
            raise RankwiseError(f"each method must be named once, found {method!r} again")


def _chosen(
    store: str | Path, systems: PairedSystems, methods: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """The methods to compare: the baseline, which must be there, then the others that are."""
    if methods and methods[0] not in systems.values:
        lacking = systems.lacking.get(methods[0], "figures of this measure")
        raise RankwiseError(
            f"the baseline must have the folds of the others, but {methods[0]} lacks {lacking} in "
            f"{store}; finish the run, or name other methods"
        )
    if len(systems.values) < 2:
        raise RankwiseError(
            f"a comparison needs at least two methods with the same folds, {store} has one"
        )
    wanted = methods if len(methods) > 1 else (*methods, *systems.values)
    return {method: systems.values[method] for method in wanted if method in systems.values}
