"""Every online learner in one list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.feedback.online.learner import OnlineLearner
from rankwise.rankers.parameters import parameters_of, parse_value, refuse_unknown
from rankwise.registry import Registry

ONLINE_LEARNERS: Registry[type[OnlineLearner]] = Registry(
    "online learner",
    {
        "pdgd": "rankwise.feedback.online.pdgd:PDGD",
        "dueling-bandit": "rankwise.feedback.online.dueling_bandit:DuelingBandit",
        "lruf": "rankwise.feedback.online.lruf:LRUF",
        "larf": "rankwise.feedback.online.larf:LARF",
    },
)


def find_online_learner(name: str) -> type[OnlineLearner]:
    """The class of a registered name; a misspelt one suggests the nearest."""
    return ONLINE_LEARNERS[name]


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
