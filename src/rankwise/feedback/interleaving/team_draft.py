"""Team draft: rankers choose documents in turns, as captains choose players."""

from __future__ import annotations

import numpy as np

from rankwise.feedback.interleaving.method import Floats, InterleavingMethod
from rankwise.feedback.logging_rankers import order_rows
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLES_OUT, INT64, INT64S, function

_team_draft = function(
    "rankwise_team_draft", *(ADDRESS, INT64, INT64, INT64S, INT64S, DOUBLES_OUT), returns=INT64
)


class TeamDraft(InterleavingMethod):
    """sign(clicks on documents that one chose − clicks on those that the other chose).

    In every round a coin says who chooses first; each takes its best document that is left.

    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.
    """

    name = "team-draft"
    paper = "Radlinski, Kurup and Joachims (2008), CIKM"

    def outcomes(
        self, setting: SessionSetting, one: Floats, other: Floats, sessions: int, seed: int
    ) -> Floats:
        """1, 0 or −1 a session."""
        found = np.empty(sessions)
        orders = (order_rows(setting.dataset, scores) for scores in (one, other))
        self._refuse(_team_draft(setting.address, seed, sessions, *orders, found))
        return found
