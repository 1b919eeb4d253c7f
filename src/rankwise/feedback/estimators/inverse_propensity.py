"""Inverse propensity scoring: clicks divided by how likely they could be made."""

from __future__ import annotations

from rankwise.feedback.estimators.estimate import ValueEstimate, make_estimate
from rankwise.feedback.estimators.log_evidence import LogEvidence


def estimate(evidence: LogEvidence, goal: str) -> ValueEstimate:
    """1/n Σ_sessions Σ_impressions click · t(rank) / ρ.

    Unbiased where propensities are right and every document that counts could be clicked; its
    variance grows with 1/ρ. Documents that were never shown count as irrelevant.

    Joachims, Swaminathan, Schnabel (2017). Unbiased learning-to-rank with biased feedback. WSDM.
    Oosterhuis, de Rijke (2020). Policy-aware unbiased learning to rank for top-k rankings. SIGIR.
    """
    found = evidence.weighted_clicks
    return make_estimate("ips", goal, evidence, found, float(found.mean()))
