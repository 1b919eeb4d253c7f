"""The users of simulations of online learning: chances of clicks and stops by grade.

Hofmann, Whiteson, de Rijke (2013). Balancing exploration and exploitation in listwise and pairwise
online learning to rank for information retrieval. Information Retrieval 16, for two and three
grades; Oosterhuis, de Rijke (2018). Differentiable unbiased online learning to rank. CIKM, for
five; almost random: Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave gradient descent for
fast online learning to rank. WSDM.
"""

from __future__ import annotations

from typing import NamedTuple

from rankwise.errors import RankwiseError


class UserType(NamedTuple):
    """By grade: the chance of a click on an examined document, and of stopping after one."""

    click: tuple[float, ...]
    stop: tuple[float, ...]


_TYPES = {
    "perfect": (
        UserType((0.0, 1.0), (0.0, 0.0)),
        UserType((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
        UserType((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    ),
    "navigational": (
        UserType((0.05, 0.95), (0.2, 0.9)),
        UserType((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        UserType((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    ),
    "informational": (
        UserType((0.4, 0.9), (0.1, 0.5)),
        UserType((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        UserType((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    ),
    "almost-random": (
        UserType((0.4, 0.6), (0.5, 0.5)),
        UserType((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
        UserType((0.4, 0.45, 0.5, 0.55, 0.6), (0.5, 0.5, 0.5, 0.5, 0.5)),
    ),
}
USER_TYPES = tuple(_TYPES)


def find_user_types(grades: int) -> dict[str, UserType]:
    """All types for labels 0 to `grades` − 1; they are published for 2, 3 and 5 grades."""
    places = {2: 0, 3: 1, 5: 2}
    if grades not in places:
        raise RankwiseError(
            f"the users {', '.join(USER_TYPES)} are published for 2, 3 and 5 grades of labels, "
            f"found {grades}; give the chances by grade in Python, or use position-based"
        )
    return {name: types[places[grades]] for name, types in _TYPES.items()}
