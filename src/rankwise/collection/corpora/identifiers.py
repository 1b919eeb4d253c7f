"""Ids of one thing in two files, where one writes leading zeros and the other does not.

CACM's judgements call document `.I 46` `0046`, Cranfield's query file calls query 1 `001`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable


def places_of(asked: Collection[str], there: Iterable[str]) -> dict[str, int]:
    """The place of each asked id among those that are there; unknown ids are left out.

    An id is found by its own spelling. One that is not there is found without leading zeros, if
    only one id on either side reads so: `051` is `51`, unless there is also `0051`.
    """
    asked_alike = Counter(map(without_zeros, asked))
    exact: dict[str, int] = {}
    there_alike: defaultdict[str, list[int]] = defaultdict(list)
    wanted = set(asked)
    for place, name in enumerate(there):
        if name in wanted:
            exact[name] = place
        if (number := without_zeros(name)) in asked_alike:
            there_alike[number].append(place)
    nearly = {
        name: there_alike[number][0]
        for name in asked
        if asked_alike[number := without_zeros(name)] == 1 == len(there_alike[number])
    }
    return nearly | exact


def without_zeros(identifier: str) -> str:
    """A number without leading zeros; any other id is itself."""
    return identifier.lstrip("0") or "0" if identifier.isdecimal() else identifier
