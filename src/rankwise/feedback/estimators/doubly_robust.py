"""Doubly robust: a model of the clicks, and weighted clicks for what it gets wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.feedback.estimators.estimate import ValueEstimate, make_estimate
from rankwise.feedback.estimators.log_evidence import LogEvidence

Floats = NDArray[np.float64]
_PRIOR_EXPOSURE = 1.0


def estimate(evidence: LogEvidence, goal: str) -> ValueEstimate:
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
