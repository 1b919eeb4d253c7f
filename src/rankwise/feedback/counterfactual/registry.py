"""Every learner from logs in one list; their homes are what `rankwise bench --ranker` names."""

from __future__ import annotations

from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import make_ranker
from rankwise.registry import Registry

LOG_LEARNERS: Registry[type[Ranker]] = Registry(
    "learner from logs",
    {
        "ranksvm": "rankwise.feedback:PropensityRankSVM",
        "listnet": "rankwise.feedback:PropensityListNet",
        "lightgbm": "rankwise.feedback:LightGBMPositions",
    },
)
PER_SESSION = frozenset({"lightgbm"})
"""Those that learn from sessions as they are, and correct them by themselves."""


def find_log_learner(name: str, **parameters: object) -> Ranker:
    """The ranker of a learner's name; a misspelt one suggests the nearest."""
    return make_ranker(LOG_LEARNERS[name], **parameters)
