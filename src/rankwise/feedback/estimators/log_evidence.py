"""What a log says about a ranker, by impression: weights, clicks, exposures."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.logging_rankers import rank_of_rows
from rankwise.feedback.propensities.propensities import Propensities

Floats = NDArray[np.float64]
_GOAL = re.compile(r"(DCG|P|clicks)@([1-9][0-9]*)")
_COVERED = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class LogEvidence:
    """The log as estimators see it.

    The goal is G = E_q Σ_d t(rank of d by the ranker) γ_d: γ_d is how attractive document d is, t
    what a rank is worth. An impression of d has the weight t(rank) / ρ, ρ being how much d was
    exposed.

    Attributes:
        log: the sessions.
        worths: t(rank), by document.
        weights: t(rank) / ρ, by impression; 0 where the ranker puts the document out of reach.
        examined: θ of the position, by impression.
        coverage: the share of Σ t that lies on documents which the log showed.
    """

    log: ClickLog
    worths: Floats
    weights: Floats
    examined: Floats
    coverage: float

    @property
    def totals(self) -> Floats:
        """Σ_d t(rank) of its query, by session."""
        starts = self.log.dataset.query_offsets[:-1]
        return np.add.reduceat(self.worths, starts)[self.log.session_queries]

    @property
    def weighted_clicks(self) -> Floats:
        """Σ click · weight, by session."""
        return self.by_session(self.weights * self.log.clicks)

    def by_session(self, values: Floats) -> Floats:
        """The sum of what its impressions have, by session."""
        # A difference of running sums would lose digits over millions of impressions.
        sessions = self.log.session_of_impressions
        return np.bincount(sessions, values, self.log.n_sessions).astype(np.float64)


def gather_evidence(
    log: ClickLog,
    scores: Floats,
    propensities: Propensities,
    goal: str = "DCG@10",
    exposures: str | Floats = "position",
) -> LogEvidence:
    """Ranks, weights and coverage.

    Args:
        log: what was shown and clicked.
        scores: of the ranker in question, one a document of the log's data set.
        propensities: θ by position.
        goal: `DCG@k`, t = 1 / log2(1 + rank); `P@k`, t = 1 / k; `clicks@k`, t = θ_rank: what users
            would click if the ranker's lists were shown.
        exposures: ρ. `position`: θ where the document was shown, right where every list has every
            document that matters (Joachims et al. 2017). `log`: the mean of θ over the sessions of
            the query, 0 where it was not shown, right for lists that chance cuts off (policy-aware,
            Oosterhuis and de Rijke 2020), taken from the log itself. An array: the same, known, by
            document.
    """
    if scores.shape != (log.dataset.n_documents,):
        raise RankwiseError(
            f"there must be one score a document ({log.dataset.n_documents}), found {scores.shape}"
        )
    worths = _worths(goal, rank_of_rows(log.dataset, scores), propensities)
    examined = propensities.at(log.positions)
    exposed = _exposures(log, examined, exposures)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(exposed > 0.0, worths[log.rows] / exposed, 0.0)
    shown = np.zeros(log.dataset.n_documents, np.bool_)
    shown[log.rows] = True
    return LogEvidence(log, worths, weights, examined, _coverage(log, worths, shown))


def expected_worth(
    dataset: Dataset, scores: Floats, attraction: Floats, propensities: Propensities, goal: str
) -> Floats:
    """Σ_d t(rank) γ_d of every query where γ is known: what estimates aim at, for simulations."""
    worths = _worths(goal, rank_of_rows(dataset, scores), propensities)
    return np.add.reduceat(worths * attraction, dataset.query_offsets[:-1])


def _worths(goal: str, ranks: NDArray[np.int64], propensities: Propensities) -> Floats:
    match = _GOAL.fullmatch(goal)
    if match is None:
        raise RankwiseError(
            f"a log can estimate DCG@k, P@k and clicks@k, such as DCG@10, found {goal!r}"
        )
    kind, reach = match[1], int(match[2])
    within = ranks <= reach
    if kind == "DCG":
        values = 1.0 / np.log2(1.0 + ranks)
    elif kind == "P":
        values = np.full(len(ranks), 1.0 / reach)
    else:
        values = propensities.at(np.minimum(ranks, reach))
    return np.where(within, values, 0.0)


def _exposures(log: ClickLog, examined: Floats, exposures: str | Floats) -> Floats:
    """ρ, by impression."""
    if isinstance(exposures, np.ndarray):
        if exposures.shape != (log.dataset.n_documents,):
            raise RankwiseError(
                f"there must be one exposure a document ({log.dataset.n_documents}), found "
                f"{exposures.shape}"
            )
        return exposures[log.rows]
    if exposures == "position":
        return examined
    if exposures != "log":
        raise RankwiseError(f"exposures are taken by position or from the log, found {exposures!r}")
    sessions = log.sessions_by_query()[log.dataset.query_of_rows]
    return (log.sum_by_document(examined) / np.maximum(sessions, 1))[log.rows]


def _coverage(log: ClickLog, worths: Floats, shown: NDArray[np.bool_]) -> float:
    sessions = log.sessions_by_query()[log.dataset.query_of_rows]
    total = float((worths * sessions).sum())
    found = float((worths * sessions * shown).sum()) / total if total else 0.0
    return 1.0 if found > _COVERED else found
