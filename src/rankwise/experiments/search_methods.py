"""Ways to choose what a tuning tries next: the whole grid, at random, or by optuna.

A search method is asked for combinations, and told how good each was. Those of the grid and of
random search are known before the first trial. Optuna's tree-structured Parzen estimator searches
the same space; values of a grid are categories, intervals are floats or whole numbers.

Bergstra, Bardenet, Bengio and Kégl, "Algorithms for hyper-parameter optimization", NIPS 2011;
Akiba, Sano, Yanase, Ohta and Koyama, "Optuna: a next-generation hyperparameter optimization
framework", KDD 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rankwise.errors import Advice, MissingExtra, RankwiseError
from rankwise.experiments.parameter_search import (
    Combination,
    Search,
    check_interval,
    check_names,
    list_combinations,
    list_values,
)
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.registry import Registry


class Asking(Protocol):
    """A search that is under way.

    What it asks for may depend on its seed and on what it was told, and on nothing else: a tuning
    that continues tells it again what is known, and so comes to the same next combination.
    """

    def ask(self) -> Combination | None:
        """The next combination; None where there is no other."""

    def tell(self, merit: float | None) -> None:
        """How good the last one was, higher being better; None where it has no figure."""


@dataclass(frozen=True)
class SearchMethod:
    """A way to search, by name.

    Attributes:
        name: as commands call it.
        meaning: one line about it.
        endless: whether it must be given a number of trials or a time.
        begin: makes a search in a ranker's space, for at most so many trials.
    """

    name: str
    meaning: str
    endless: bool
    begin: Callable[[type[Ranker], Search, int | None], Asking]


MOST_DRAWS = 1000
"""How many combinations are drawn where only time ends the search."""


class ListedSearch:
    """Combinations one after the other, whatever their figures are."""

    def __init__(self, combinations: Iterable[Combination]) -> None:
        self._left = iter(combinations)

    def ask(self) -> Combination | None:
        """The next of the list."""
        return next(self._left, None)

    def tell(self, merit: float | None) -> None:
        """Nothing is learnt from it."""


def _begin_grid(ranker: type[Ranker], search: Search, trials: int | None) -> ListedSearch:
    if search.intervals:
        raise RankwiseError(
            f"a grid has values, found an interval of {next(iter(search.intervals))}",
            Advice("choose {}", "method", ("random", "optuna")),
        )
    return ListedSearch(list_combinations(ranker, search))


def _begin_random(ranker: type[Ranker], search: Search, trials: int | None) -> ListedSearch:
    """Different combinations; those of fewer trials are among those of more."""
    found = list_combinations(ranker, replace(search, draws=trials or MOST_DRAWS))
    if trials is not None:
        return ListedSearch(found)
    # Time ends the search anywhere: what comes first must be as random as the rest.
    order = np.random.default_rng(search.seed).permutation(len(found))
    return ListedSearch([found[place] for place in order.tolist()])


GRID = SearchMethod("grid", "every combination of the values", False, _begin_grid)
RANDOM = SearchMethod("random", "combinations drawn at random", True, _begin_random)


class OptunaSearch:
    """A study of optuna in memory, asked and told."""

    def __init__(self, ranker: type[Ranker], search: Search) -> None:
        try:
            import optuna
        except ImportError:
            raise MissingExtra("tuning by optuna", "tune") from None
        self._failed = optuna.trial.TrialState.FAIL
        self._fixed = dict(search.fixed)
        declared = {one.name: one for one in parameters_of(ranker)}
        self._values = list_values(declared, search)
        self._intervals = search.intervals
        self._whole = {name for name, one in declared.items() if isinstance(one.default, int)}
        with _quiet_optuna(optuna):
            sampler = optuna.samplers.TPESampler(seed=search.seed)
            self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._trial: Any = None

    def ask(self) -> Combination | None:
        """What the sampler suggests, parameters in the order of their declaration."""
        self._trial = self._study.ask()
        found: Combination = dict(self._fixed)
        for name, values in self._values.items():
            # Places instead of values: a category of optuna cannot be a list.
            place = self._trial.suggest_categorical(name, list(range(len(values))))
            found[name] = values[place]
        for name, interval in self._intervals.items():
            if name in self._whole:
                low, high = int(interval.low), int(interval.high)
                found[name] = self._trial.suggest_int(name, low, high, log=interval.logarithmic)
            else:
                found[name] = self._trial.suggest_float(
                    name, interval.low, interval.high, log=interval.logarithmic
                )
        return found

    def tell(self, merit: float | None) -> None:
        """The sampler learns from it; a trial without a figure is a failed one."""
        if merit is None:
            self._study.tell(self._trial, state=self._failed)
        else:
            self._study.tell(self._trial, merit)


@contextmanager
def _quiet_optuna(optuna: Any) -> Iterator[None]:
    """Optuna tells of a new study, which is none of the user's."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _begin_optuna(ranker: type[Ranker], search: Search, trials: int | None) -> OptunaSearch:
    check_names(ranker, search)
    declared = {one.name: one for one in parameters_of(ranker)}
    for name, interval in search.intervals.items():
        check_interval(interval, declared[name])
    return OptunaSearch(ranker, search)


OPTUNA = SearchMethod(
    "optuna", "optuna's TPE, which learns from the trials so far", True, _begin_optuna
)


SEARCH_METHODS: Registry[SearchMethod] = Registry(
    "search method", {one.name: one for one in (GRID, RANDOM, OPTUNA)}
)


def find_search_method(name: str) -> SearchMethod:
    """The method of a name."""
    return SEARCH_METHODS[name]
