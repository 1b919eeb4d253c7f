"""Every learner from logs in one list; their homes are what `rankwise bench --ranker` names."""

from __future__ import annotations

from difflib import get_close_matches

from rankwise.errors import RankwiseError
from rankwise.rankers.making import make_ranker
from rankwise.rankers.ranker import Ranker

LOG_LEARNERS = {
    "ranksvm": "rankwise.feedback:PropensityRankSVM",
    "listnet": "rankwise.feedback:PropensityListNet",
    "lightgbm": "rankwise.feedback:LightGBMPositions",
}
PER_SESSION = frozenset({"lightgbm"})
"""Those that learn from sessions as they are, and correct them by themselves."""


def find_log_learner(name: str, **parameters: object) -> Ranker:
    """The ranker of a learner's name; a misspelt one suggests the nearest."""
    home = LOG_LEARNERS.get(name)
    if home is None:
        near = get_close_matches(name, LOG_LEARNERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(LOG_LEARNERS)}"
        raise RankwiseError(f"there is no learner from logs {name!r}; {hint}")
    return make_ranker(home, **parameters)
