"""What an experiment tries of a wrapper, divided from what it tries of the ranker within."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from rankwise.errors import RankwiseError
from rankwise.experiments.tuning import Search
from rankwise.rankers.settings_text import WITHIN
from rankwise.rankers.wrappers.wrapper import Wrapper

Value = TypeVar("Value")


def divide_search(ranker: type[Wrapper], search: Search) -> tuple[Search | None, Search]:
    """The search of the wrapped ranker, from `of.NAME`, and that of the wrapper itself.

    None where `settings` are given, which say all there is to say of the wrapped ranker.
    """
    fixed, intervals = _divide(search.fixed), _divide(search.intervals)
    grid = _divide(search.grid)
    around = replace(search, fixed=fixed[1], grid=grid[1], intervals=intervals[1])
    if "of" in {**around.grid, **around.intervals}:
        raise RankwiseError(
            f"{ranker.name}: an experiment wraps one ranker at a time, found several values of "
            "'of'; write [[rankers]] once for each"
        )
    # The wrapper draws from all that its ranker's grid has; intervals have nothing to list.
    draws = search.draws if intervals[0] else None
    within = Search(fixed[0], grid[0], intervals[0], draws, search.seed)
    if "settings" not in {**around.fixed, **around.grid}:
        return within, around
    if fixed[0] or grid[0] or intervals[0]:
        raise RankwiseError(
            f"{ranker.name}: parameters of the wrapped ranker must be given by settings or by "
            f"{WITHIN}NAME, found both"
        )
    return None, around


def _divide(values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Those of the wrapped ranker, by their own names, and the others."""
    inner = {
        name.removeprefix(WITHIN): value
        for name, value in values.items()
        if name.startswith(WITHIN)
    }
    return inner, {name: value for name, value in values.items() if not name.startswith(WITHIN)}
