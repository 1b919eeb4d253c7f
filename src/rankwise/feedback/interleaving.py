"""Interleaving: two rankers in one list, and whether clicks tell which of them is better.

`interleave` simulates users of such lists. Team draft: rankers choose documents in turns, as
captains choose players. Probabilistic interleaving: rankers draw documents, and all ways to the
list are weighed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.feedback.logging_rankers import (
    LoggingRanker,
    judge,
    logging_scores,
    order_rows,
    rank_of_rows,
)
from rankwise.feedback.simulation import DEFAULT_SHOWN, DEFAULT_USER, SessionSetting
from rankwise.feedback.users import ClickModel, count_grades, make_user
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.distributions import normal_quantile, normal_tail
from rankwise.registry import Registry

INTERLEAVINGS: Registry[type[InterleavingMethod]] = Registry(
    "interleaving",
    {
        "team-draft": "rankwise.feedback.interleaving:TeamDraft",
        "probabilistic": "rankwise.feedback.interleaving:Probabilistic",
    },
)


@dataclass(frozen=True)
class InterleavingResult:
    """What sessions say about two rankers, beside what labels say.

    Attributes:
        method: of interleaving.
        sessions: how many users there were.
        preference: the mean outcome, from −1, always the second, to 1, always the first.
        low, high: its 95 % interval.
        wins, losses, ties: sessions for the first, for the second, for neither.
        p_value: of no preference, two-sided.
        measure: what labels were judged by.
        first, second: the figures of both rankers by the true labels.
    """

    method: str
    sessions: int
    preference: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    p_value: float
    measure: str
    first: float
    second: float

    def as_dict(self) -> dict[str, Any]:
        """All facts by name."""
        return asdict(self)


def find_interleaving(name: str) -> InterleavingMethod:
    """The method of a registered name; a misspelt one suggests the nearest."""
    return INTERLEAVINGS[name]()


def interleave(
    data: Dataset | str | Path,
    first: LoggingRanker,
    second: LoggingRanker,
    *,
    method: str = "team-draft",
    user: str | ClickModel = DEFAULT_USER,
    noise: float | None = None,
    sessions: int = 10_000,
    shown: int = DEFAULT_SHOWN,
    measure: str = "NDCG@10",
    tool: str = "definition",
    seed: int = 0,
) -> InterleavingResult:
    """Show lists that two rankers made together to simulated users, and count whom they prefer.

    Args:
        data: judged documents, or their file.
        first, second: rankers, as `logging_scores` takes them; two named by their method are
            trained on the same few queries.
        method: one of `INTERLEAVINGS`.
        user, noise, shown, seed: as `simulate_clicks` takes them.
        sessions: how many lists are shown.
        measure, tool: what both are judged by with the true labels.
    """
    if sessions < 2:
        raise RankwiseError(f"interleaving needs at least 2 sessions, found {sessions}")
    dataset = data if isinstance(data, Dataset) else read(data)
    chosen = make_user(user, count_grades(dataset), noise)
    one, other = (logging_scores(dataset, ranker, seed=seed) for ranker in (first, second))
    setting = SessionSetting(dataset, chosen, shown)
    outcomes = find_interleaving(method).outcomes(setting, one, other, sessions, seed)
    mean = float(outcomes.mean())
    error = float(outcomes.std(ddof=1) / np.sqrt(sessions))
    reach = normal_quantile(0.975) * error
    figures = [judge(dataset, scores, [measure], tool)[measure] for scores in (one, other)]
    return InterleavingResult(
        method, sessions, mean, mean - reach, mean + reach,
        int((outcomes > 0.0).sum()), int((outcomes < 0.0).sum()), int((outcomes == 0.0).sum()),
        min(1.0, 2.0 * normal_tail(abs(mean) / error)) if error > 0.0 else float(mean == 0.0),
        measure, figures[0], figures[1],
    )  # fmt: skip


Floats = NDArray[np.float64]


class InterleavingMethod(ABC):
    """A way to make one list of two rankings, and to say from its clicks who is preferred."""

    name: ClassVar[str]
    paper: ClassVar[str]

    @abstractmethod
    def outcomes(
        self, setting: SessionSetting, one: Floats, other: Floats, sessions: int, seed: int
    ) -> Floats:
        """For every session from −1, the other ranker, to 1, the one."""

    @staticmethod
    def _refuse(code: int) -> None:
        if code < 0:
            raise MemoryError("the compiled core could not get the memory to interleave")


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


_probabilistic = function(
    "rankwise_probabilistic_interleaving",
    *(ADDRESS, INT64, INT64, DOUBLES, DOUBLES, DOUBLES_OUT),
    returns=INT64,
)


@dataclass(frozen=True)
class Probabilistic(InterleavingMethod):
    """E[sign(clicks of one − clicks of the other)] over all assignments that the list may have had.

    At every position a coin chooses the ranker, which draws a document with chances in proportion
    to 1 / rank^τ, τ = 3, among those that are left. Given the list, the document at a position is
    the first ranker's with chance P₁(d) / (P₁(d) + P₂(d)), independently of other positions.

    Hofmann, Whiteson, de Rijke (2011). A probabilistic method for inferring preferences from
    clicks. CIKM.
    """

    name = "probabilistic"
    paper = "Hofmann, Whiteson and de Rijke (2011), CIKM"

    decay: float = 3.0

    def outcomes(
        self, setting: SessionSetting, one: Floats, other: Floats, sessions: int, seed: int
    ) -> Floats:
        """From −1 to 1 a session."""
        found = np.empty(sessions)
        chances = (
            rank_of_rows(setting.dataset, scores).astype(np.float64) ** -self.decay
            for scores in (one, other)
        )
        self._refuse(_probabilistic(setting.address, seed, sessions, *chances, found))
        return found
