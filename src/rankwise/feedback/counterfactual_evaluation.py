"""What a ranker would be worth, estimated from the log of another one: ips, snips and dr.

A log becomes evidence about a ranker (weights, clicks and exposures by impression), which an
estimator turns into a value with its standard error and interval. Inverse propensity scoring
divides clicks by how likely they could be made; self-normalized, its weights must sum to what they
should; doubly robust, a model of the clicks is corrected by weighted clicks where it is wrong. An
estimate warns where a few sessions decide it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.score_files import read_scores
from rankwise.errors import RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import read_log
from rankwise.feedback.logging_rankers import rank_of_rows
from rankwise.feedback.propensities import SMALL_SHARE, Propensities, weigh
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.native.distributions import normal_quantile
from rankwise.registry import Registry
from rankwise.tables.notebook import Rows, Tabular

ESTIMATORS: Registry[Callable[[LogEvidence, str], ValueEstimate]] = Registry(
    "estimator",
    {
        "ips": "rankwise.feedback.counterfactual_evaluation:estimate_by_ips",
        "snips": "rankwise.feedback.counterfactual_evaluation:estimate_by_snips",
        "dr": "rankwise.feedback.counterfactual_evaluation:estimate_doubly_robust",
    },
)


@dataclass(frozen=True)
class LogEvaluation(Tabular):
    """What a log says about a ranker, by several estimators."""

    estimates: tuple[ValueEstimate, ...]
    sessions: int

    def _table(self) -> Rows:
        columns = ("estimator", "goal", "value", "standard error", "low", "high")
        return columns, [
            (one.estimator, one.goal, one.value, one.standard_error, one.low, one.high)
            for one in self.estimates
        ]


def evaluate_from_log(
    log: ClickLog | str | Path,
    ranker: Model | Floats | str | Path,
    propensities: Propensities | str | Path,
    *,
    goal: str = "DCG@10",
    estimators: Iterable[str] = tuple(ESTIMATORS),
    exposures: str | Floats = "position",
    data: Dataset | str | Path | None = None,
) -> LogEvaluation:
    """What a ranker would be worth to the users of a log that another ranker made.

    Args:
        log: a log, or its file.
        ranker: a model, its file, scores of the documents of `data`, or their file.
        propensities: by position, or their file.
        goal, exposures: as `gather_evidence` takes them.
        estimators: names of `ESTIMATORS`.
        data: the documents of a log that is read from a file without features.
    """
    found = log if isinstance(log, ClickLog) else read_log(log, data)
    found.check_contrast()
    known = (
        propensities if isinstance(propensities, Propensities) else Propensities.load(propensities)
    )
    evidence = gather_evidence(
        found, _score_documents(ranker, found.dataset), known, goal, exposures
    )
    estimates = [find_estimator(name)(evidence, goal) for name in estimators]
    return LogEvaluation(tuple(estimates), found.n_sessions)


def _score_documents(ranker: Model | Floats | str | Path, dataset: Dataset) -> Floats:
    if isinstance(ranker, Model):
        return ranker.score(dataset)
    if isinstance(ranker, np.ndarray):
        return np.asarray(ranker, dtype=np.float64)
    if Path(ranker).suffix == ".json":
        return load_model(ranker).score(dataset)
    return np.asarray(read_scores(ranker).values, dtype=np.float64)


def find_estimator(name: str) -> Callable[[LogEvidence, str], ValueEstimate]:
    """The estimator of a registered name; a misspelt one suggests the nearest."""
    return ESTIMATORS[name]


Floats = NDArray[np.float64]
_GOAL = re.compile(r"(DCG|P|clicks)@([1-9][0-9]*)")
_ALL_SHOWN = 1.0 - 1e-9


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
    worths = _worth_of_ranks(goal, rank_of_rows(log.dataset, scores), propensities)
    examined = propensities.at(log.positions)
    exposed = _exposures(log, examined, exposures)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(exposed > 0.0, worths[log.rows] / exposed, 0.0)
    shown = np.zeros(log.dataset.n_documents, np.bool_)
    shown[log.rows] = True
    return LogEvidence(log, worths, weights, examined, _shown_share(log, worths, shown))


def expected_worth(
    dataset: Dataset, scores: Floats, attraction: Floats, propensities: Propensities, goal: str
) -> Floats:
    """Σ_d t(rank) γ_d of every query where γ is known: what estimates aim at, for simulations."""
    worths = _worth_of_ranks(goal, rank_of_rows(dataset, scores), propensities)
    return np.add.reduceat(worths * attraction, dataset.query_offsets[:-1])


def _worth_of_ranks(goal: str, ranks: NDArray[np.int64], propensities: Propensities) -> Floats:
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


def _shown_share(log: ClickLog, worths: Floats, shown: NDArray[np.bool_]) -> float:
    sessions = log.sessions_by_query()[log.dataset.query_of_rows]
    total = float((worths * sessions).sum())
    found = float((worths * sessions * shown).sum()) / total if total else 0.0
    return 1.0 if found > _ALL_SHOWN else found


def estimate_by_ips(evidence: LogEvidence, goal: str) -> ValueEstimate:
    """1/n Σ_sessions Σ_impressions click · t(rank) / ρ.

    Unbiased where propensities are right and every document that counts could be clicked; its
    variance grows with 1/ρ. Documents that were never shown count as irrelevant.

    Joachims, Swaminathan, Schnabel (2017). Unbiased learning-to-rank with biased feedback. WSDM.
    Oosterhuis, de Rijke (2020). Policy-aware unbiased learning to rank for top-k rankings. SIGIR.
    """
    found = evidence.weighted_clicks
    return make_estimate("ips", goal, evidence, found, float(found.mean()))


def estimate_by_snips(evidence: LogEvidence, goal: str) -> ValueEstimate:
    """T̄ · Σ click · t/ρ / Σ θ · t/ρ, T̄ being the mean of Σ_d t(rank) over the sessions.

    The expectation of Σ θ t/ρ over a session is its Σ_d t(rank), which is known: dividing by what
    the log has of it takes out the noise of who was exposed. Biased by terms of order 1/n; with
    ρ = θ and whole lists the same as ips. Documents that were never shown count as the others do.
    The error is that of a ratio, by the delta method.

    Swaminathan, Joachims (2015). The self-normalized estimator for counterfactual learning. NIPS.
    """
    clicks = evidence.weighted_clicks
    norms = evidence.by_session(evidence.weights * evidence.examined)
    total, norm = float(evidence.totals.mean()), float(norms.mean())
    if norm <= 0.0:
        return make_estimate("snips", goal, evidence, clicks, 0.0)
    ratio = float(clicks.mean()) / norm
    contributions = (clicks - ratio * norms) * (total / norm)
    return make_estimate("snips", goal, evidence, contributions, total * ratio)


_PRIOR_EXPOSURE = 1.0


def estimate_doubly_robust(evidence: LogEvidence, goal: str) -> ValueEstimate:
    """1/n Σ_sessions [Σ_d t(rank) γ̂_d + Σ_impressions t/ρ · (click − θ γ̂_d)].

    Right where either the propensities or γ̂ are; of less variance than ips where γ̂ is near. γ̂_d is
    the document's clicks over its examined displays, drawn to the mean of all by one display's
    worth. It comes from the other half of the sessions (even for odd ones), so that no click judges
    a guess that it made. With ρ = θ and whole lists the guesses cancel: it is ips then.

    Oosterhuis (2023). Doubly-robust estimation for correcting position-bias in click feedback for
    unbiased learning to rank. ACM TOIS 41.
    """
    log = evidence.log
    halves = np.arange(log.n_sessions) % 2
    side = halves[log.session_of_impressions]
    contributions = np.empty(log.n_sessions)
    for half in (0, 1):
        guess = _guess_attraction(evidence, side != half)
        direct = np.add.reduceat(evidence.worths * guess, log.dataset.query_offsets[:-1])
        errors = evidence.weights * (log.clicks - evidence.examined * guess[log.rows])
        mine = halves == half
        found = direct[log.session_queries] + evidence.by_session(errors)
        contributions[mine] = found[mine]
    return make_estimate("dr", goal, evidence, contributions, float(contributions.mean()))


def _guess_attraction(evidence: LogEvidence, chosen: NDArray[np.bool_]) -> Floats:
    """γ̂ by document, from the chosen impressions."""
    log = evidence.log
    clicks = log.sum_by_document(np.where(chosen, log.clicks, 0.0))
    exposed = log.sum_by_document(np.where(chosen, evidence.examined, 0.0))
    mean = float(clicks.sum()) / max(float(exposed.sum()), 1e-12)
    return (clicks + _PRIOR_EXPOSURE * mean) / (exposed + _PRIOR_EXPOSURE)


_FEW_CLICKS = 100.0
_LARGE_WEIGHT = 0.02


@dataclass(frozen=True)
class ValueEstimate:
    """What a ranker is worth, by one estimator.

    Attributes:
        estimator: its registered name.
        goal: what was estimated.
        value: the estimate.
        standard_error: of the mean over sessions.
        low, high: the 95 % interval.
        effective_clicks: (Σ w)² / Σ w² over the clicks: as many clicks of equal weight would tell
            as much (Kish 1965).
        clicks: how many there are.
        largest_share: of Σ w, what the heaviest click has.
        coverage: of what the ranker's lists are worth, the share on documents that the log shows.
        warnings: why not to trust it.
    """

    estimator: str
    goal: str
    value: float
    standard_error: float
    low: float
    high: float
    effective_clicks: float
    clicks: int
    largest_share: float
    coverage: float
    warnings: tuple[str, ...] = ()


def make_estimate(
    estimator: str, goal: str, evidence: LogEvidence, contributions: Floats, value: float
) -> ValueEstimate:
    """The estimate whose error is that of the mean of `contributions`, one a session."""
    count = len(contributions)
    error = float(contributions.std(ddof=1) / np.sqrt(count)) if count > 1 else float("inf")
    reach = normal_quantile(0.975) * error
    weights = evidence.weights[evidence.log.clicks > 0]
    weights = weights[weights > 0.0]
    effective, largest = weigh(weights)
    return ValueEstimate(
        estimator, goal, value, error, value - reach, value + reach, effective,
        len(weights), largest, evidence.coverage,
        _warn_of_weights(effective, len(weights), largest, evidence.coverage),
    )  # fmt: skip


def _warn_of_weights(
    effective: float, clicks: int, largest: float, coverage: float
) -> tuple[str, ...]:
    found = []
    if effective < _FEW_CLICKS:
        found.append(
            f"{clicks:,} clicks are worth {effective:.0f} of equal weight: too few for the "
            "interval to be trusted"
        )
    elif effective < SMALL_SHARE * clicks:
        found.append(
            f"weights explode: {clicks:,} clicks are worth {effective:,.0f} of equal weight, as "
            "those on rarely examined positions decide"
        )
    if largest > _LARGE_WEIGHT:
        found.append(f"one click has {largest:.1%} of all weight")
    if coverage < 1.0:
        found.append(
            f"{1.0 - coverage:.1%} of what the ranker's lists are worth lies on documents that the "
            "log never showed: the estimate takes them as irrelevant, or as the others"
        )
    return tuple(found)
