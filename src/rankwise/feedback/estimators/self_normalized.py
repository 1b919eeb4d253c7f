"""Self-normalized inverse propensity scoring: weights that must sum to what they should."""

from __future__ import annotations

from rankwise.feedback.estimators.estimate import ValueEstimate, make_estimate
from rankwise.feedback.estimators.log_evidence import LogEvidence


def estimate(evidence: LogEvidence, goal: str) -> ValueEstimate:
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
