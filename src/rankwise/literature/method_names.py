"""Names of methods in print, and those of the rankers here."""

from __future__ import annotations

import re
from functools import cache

from rankwise.literature.shipped import read_shipped
from rankwise.literature.survey import SURVEY

_NAMES = {
    "CA": "coordinate-ascent",
    "Best Single Feature": "best-feature",
    "RandomForest": "random-forest",
    "Q.D.KNN": "qd-knn",
}
"""Names in print that are not the registered ones in other letters."""


def name_ranker(method: str) -> str:
    """What a ranker is called here whose method is called so in print, if there is one."""
    return _NAMES.get(method) or re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")


def name_in_survey(ranker: str) -> str:
    """The name of a ranker in the comparison of Tax, Bockting and Hiemstra (2015).

    A ranker that is not compared there keeps its own name.
    """
    return _survey_names().get(ranker, ranker)


@cache
def _survey_names() -> dict[str, str]:
    return {name_ranker(method): method for method in read_shipped(SURVEY).methods()}
