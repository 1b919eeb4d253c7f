"""Optuna's tree-structured Parzen estimator over the same space.

Bergstra, Bardenet, Bengio and Kégl, "Algorithms for hyper-parameter optimization", NIPS 2011;
Akiba, Sano, Yanase, Ohta and Koyama, "Optuna: a next-generation hyperparameter optimization
framework", KDD 2019. Values of a grid are categories, intervals are floats or whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankwise.errors import MissingExtra
from rankwise.experiments.search_methods.method import SearchMethod
from rankwise.experiments.tuning import (
    Combination,
    Search,
    check_interval,
    check_names,
    list_values,
)
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker


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
        with _quietly(optuna):
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
def _quietly(optuna: Any) -> Iterator[None]:
    """Optuna tells of a new study, which is none of the user's."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _begin(ranker: type[Ranker], search: Search, trials: int | None) -> OptunaSearch:
    check_names(ranker, search)
    declared = {one.name: one for one in parameters_of(ranker)}
    for name, interval in search.intervals.items():
        check_interval(interval, declared[name])
    return OptunaSearch(ranker, search)


OPTUNA = SearchMethod("optuna", "optuna's TPE, which learns from the trials so far", True, _begin)
