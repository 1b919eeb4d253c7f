"""Combinations that are known before the first trial: the whole grid, or drawn at random."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.search_methods.method import SearchMethod
from rankwise.experiments.tuning import Combination, Search, list_combinations
from rankwise.rankers.ranker import Ranker

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
