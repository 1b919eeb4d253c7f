"""Every search method by name."""

from __future__ import annotations

from rankwise.experiments.search_methods.listed import GRID, RANDOM
from rankwise.experiments.search_methods.method import SearchMethod
from rankwise.experiments.search_methods.optuna_search import OPTUNA
from rankwise.registry import Registry

SEARCH_METHODS: Registry[SearchMethod] = Registry(
    "search method", {one.name: one for one in (GRID, RANDOM, OPTUNA)}
)


def find_search_method(name: str) -> SearchMethod:
    """The method of a name."""
    return SEARCH_METHODS[name]
