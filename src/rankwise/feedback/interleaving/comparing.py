"""Interleaving as a simulation: would users have told which of two rankers is better?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.feedback.click_models.registry import count_grades, make_user
from rankwise.feedback.interleaving.method import InterleavingMethod
from rankwise.feedback.judging import judge
from rankwise.feedback.logging_rankers import LoggingRanker, logging_scores
from rankwise.feedback.session_setting import SessionSetting
from rankwise.feedback.simulation import DEFAULT_SHOWN, DEFAULT_USER
from rankwise.native.distributions import normal_quantile, normal_tail
from rankwise.registry import Registry

INTERLEAVINGS: Registry[type[InterleavingMethod]] = Registry(
    "interleaving",
    {
        "team-draft": "rankwise.feedback.interleaving.team_draft:TeamDraft",
        "probabilistic": "rankwise.feedback.interleaving.probabilistic:Probabilistic",
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
