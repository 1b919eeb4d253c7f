"""Ids of one thing in two files, where one writes leading zeros and the other does not.

CACM's judgements call document `.I 46` `0046`, Cranfield's query file calls query 1 `001`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


def find_places(asked: Collection[str], there: Iterable[str]) -> dict[str, int]:
    """The place of each asked id among those that are there; unknown ids are left out.

    An id is found by its own spelling. One that is not there is found without leading zeros, if
    only one that is there reads so: `051` is `51`, unless `0051` is there too.
    """
    exact: dict[str, int] = {}
    alike: dict[str, list[int]] = {strip_zeros(name): [] for name in asked}
    wanted = set(asked)
    for place, name in enumerate(there):
        if name in wanted:
            exact[name] = place
        if (number := strip_zeros(name)) in alike:
            alike[number].append(place)
    nearly = {name: alike[strip_zeros(name)] for name in asked}
    return {name: places[0] for name, places in nearly.items() if len(places) == 1} | exact


def strip_zeros(identifier: str) -> str:
    """A number without leading zeros; any other id is itself."""
    return identifier.lstrip("0") or "0" if identifier.isdecimal() else identifier
