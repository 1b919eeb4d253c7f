"""The names of measures in result tables: one spelling each, of whatever publications print.

A result is a mean over queries, so that AP is written MAP and RR is written MRR there.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Family
from rankwise.measures.measure import find_family, parse


@lru_cache(maxsize=4096)
def result_name(name: str) -> str:
    """The one spelling in tables: `ndcg @ 10` is `NDCG@10`, `Precision@5` is `P@5`, `ap` is `MAP`.

    Fields that depart from the textbook stay: `ndcg(gain=linear)@10` is `NDCG(gain=linear)@10`.
    Raises RankwiseError with the nearest name for an unknown one.
    """
    measure = parse(name)
    family = find_family(measure.family)
    return (family.mean_name or family.name) + str(measure).removeprefix(family.name)


def family_of(name: str) -> Family:
    """The family of a measure given by any of its spellings: its range, direction and title."""
    return find_family(_family_name(name))


def lower_is_better(name: str) -> bool:
    """Whether the smaller of two values is the better one; False for what is not known."""
    try:
        return family_of(name).lower_is_better
    except RankwiseError:
        return False


@lru_cache(maxsize=4096)
def _family_name(name: str) -> str:
    return parse(name).family


def sort_measures(names: Iterable[str]) -> list[str]:
    """Measures in the order that readers expect: NDCG@1, 3, 5, 10, other cut-offs, then MAP.

    NDCG comes first, then the families with cut-offs, then those without, families in the order
    given; names that are not known come last.
    """
    order: dict[str, int] = {}
    keys: dict[str, tuple[bool, bool, bool, int, int, str]] = {}
    for name in dict.fromkeys(names):
        try:
            measure = parse(name)
        except RankwiseError:
            keys[name] = (True, True, True, len(keys), 0, "")
            continue
        place = order.setdefault(measure.family, len(order))
        bare = measure.cutoff is None
        cutoff = measure.cutoff or 0
        keys[name] = (False, measure.family != "NDCG", bare, place, cutoff, name)
    return sorted(keys, key=keys.__getitem__)
