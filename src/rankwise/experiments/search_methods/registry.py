"""Every search method by name."""

from __future__ import annotations

from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.search_methods.listed import GRID, RANDOM
from rankwise.experiments.search_methods.method import SearchMethod
from rankwise.experiments.search_methods.optuna_search import OPTUNA

SEARCH_METHODS = {one.name: one for one in (GRID, RANDOM, OPTUNA)}


def find_search_method(name: str) -> SearchMethod:
    """The method of a name."""
    if name not in SEARCH_METHODS:
        raise RankwiseError(
            f"a search method is one of {', '.join(SEARCH_METHODS)}, found {name!r}",
            Advice("choose {}", "method", tuple(SEARCH_METHODS)),
        )
    return SEARCH_METHODS[name]
