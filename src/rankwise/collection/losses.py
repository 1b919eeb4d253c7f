"""Judgements that a build would lose: a few are told, many stop it."""

from __future__ import annotations

from rankwise.collection.corpora import Findings, Judgements
from rankwise.errors import Advice, RankwiseError

MOST_LOST = 0.2
"""The share of judgements that a build may lose where nothing else is asked for."""


def refuse_losses(kept: int, judgements: Judgements, findings: Findings, allowed: float) -> None:
    """Refuse to go on with `kept` of the judgements where more than a share of them is lost.

    Most often the corpus, the queries and the judgements are then not those of one collection, or
    two of them are swapped.
    """
    total = sum(map(len, judgements.labels.values()))
    lost = total - kept
    if lost <= allowed * total:
        return
    why = "; ".join(line for line in findings.lines() if "left out" in line)
    raise RankwiseError(
        f"{lost:,} of {total:,} judgements ({lost / total:.0%}) would be lost, at most "
        f"{allowed:.0%} may be: {why}. Are corpus, queries and judgements of one collection, and "
        "in their places?",
        Advice("to go on without these judgements say {}", "lost_judgements", 1),
    )
