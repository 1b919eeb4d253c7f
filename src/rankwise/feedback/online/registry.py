"""Every online learner in one list."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.feedback.online.learner import OnlineLearner
from rankwise.rankers.parameters import parameters_of, parse_value, refuse_unknown

ONLINE_LEARNERS = {
    "pdgd": "pdgd:PDGD",
    "dueling-bandit": "dueling_bandit:DuelingBandit",
    "lruf": "lruf:LRUF",
    "larf": "larf:LARF",
}


def find_online_learner(name: str) -> type[OnlineLearner]:
    """The class of a registered name; a misspelt one suggests the nearest."""
    home = ONLINE_LEARNERS.get(name)
    if home is None:
        near = get_close_matches(name, ONLINE_LEARNERS, n=1)
        known = ", ".join(ONLINE_LEARNERS)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {known}"
        raise RankwiseError(f"there is no online learner {name!r}; {hint}")
    module, attribute = home.split(":")
    found = importlib.import_module(f"rankwise.feedback.online.{module}")
    learner: type[OnlineLearner] = getattr(found, attribute)
    return learner


def make_online_learner(
    learner: str | OnlineLearner, settings: Iterable[str] = ()
) -> OnlineLearner:
    """The learner of a name, with settings written `name=value`; those it lacks are refused."""
    if isinstance(learner, OnlineLearner):
        return learner
    found = find_online_learner(learner)
    declared = {one.name: one for one in parameters_of(found)}
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise RankwiseError(f"a setting must be written name=value, found {setting!r}")
        refuse_unknown(found, [name])
        values[name] = parse_value(declared[name], text, found.name)
    return found(**values)
