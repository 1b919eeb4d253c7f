"""What a search method is: it is asked for combinations, and told how good each was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rankwise.experiments.tuning import Combination, Search
from rankwise.rankers.ranker import Ranker


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
