"""What the tie rules `worst` and `best` order documents by: what each is worth to the measure.

Every measure here but one rises, or stays, when of two neighbours the one that is worth more comes
first, whatever else the list holds: the ends of what orders of tied documents can give are then
the documents in ascending and in descending order of their worth. That is

* the gain, where gains are listed label by label and need not rise with it (`gain=0/5/1`);
* being relevant, where the threshold makes label 0 relevant and unjudged documents not;
* the label elsewhere, an unjudged document having 0 (WTA: less than any label).

ERR is the exception. Of neighbours with chances a and b at ranks i and i + 1, below documents with
chances R_j, exchanging them changes it by (a - b) (1/i - 1/(i + 1)) Π (1 - R_j): the higher chance
should come first where all R_j are at most 1, and the lower one behind an odd number of documents
with R_j > 1. No order by worth is then the end, and the rules are refused. For measures of your own
the rules go by the label, and are the ends where your measure rises with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.measures.computing import gains_of
from rankwise.measures.families.terms import relevant
from rankwise.measures.gains import RULES
from rankwise.measures.measure import Measure, find_family
from rankwise.measures.ranking import tied_rows

Floats = NDArray[np.float64]

EXTREMES = ("worst", "best")


def find_worth(measure: Measure) -> Measure | None:
    """What `tie_worth` depends on, the same for measures of one order; None where it is the label.

    A measure without its cut-off and all that does not bear on worth.
    """
    if measure.ties not in EXTREMES:
        return None
    fields = find_family(measure.family).fields
    if "gain" in fields:
        if measure.gain in RULES:
            return None
        return Measure("DCG", gain=measure.gain, threshold=measure.threshold, strict=measure.strict)
    if "threshold" in fields and relevant(0.0, measure):
        family = "WTA" if measure.family == "WTA" else "P"
        return Measure(family, threshold=measure.threshold, strict=measure.strict)
    return None


def tie_worth(worth: Measure | None, labels: Floats) -> Floats:
    """What each document is worth, by `find_worth` of the measure; the label where that is None."""
    if worth is None:
        return labels
    if worth.family == "DCG":
        return gains_of(labels, worth)
    if worth.family == "WTA":
        return np.where(np.isnan(labels), -np.inf, labels)
    threshold = -np.inf if worth.threshold is None else worth.threshold
    reached = labels > threshold if worth.strict else labels >= threshold
    return reached.astype(np.float64)


def refuse_extremes(measure: Measure, judged: JudgedScores, *, tied: bool = False) -> str | None:
    """Why `worst` and `best` cannot be found on these documents, or None.

    Nothing is refused where no scores are tied; with `tied` they are taken to be.
    """
    if measure.ties not in EXTREMES or measure.family not in ("ERR", "MeanNDCG"):
        return None
    reason = _refuse_gains(measure, judged.labels)
    if reason is None or tied:
        return reason
    ties = tied_rows(judged.scores, judged.query_offsets, judged.retrieved)
    return reason if len(ties) else None


def _refuse_gains(measure: Measure, labels: Floats) -> str | None:
    gains = gains_of(labels, measure)
    if measure.family == "MeanNDCG":
        # A negative gain may make the ideal of a longer list negative, and turn the order about.
        below = float(np.min(gains, initial=0.0)) < 0.0
        return f"MeanNDCG with ties={measure.ties} needs gains of 0 or more" if below else None
    scale = (
        float(measure.highest or 1) if measure.gain == "linear" else 2.0 ** (measure.highest or 1)
    )
    wrong = np.flatnonzero((gains < 0.0) | (gains > scale))
    if not len(wrong):
        return None
    return (
        f"ERR with ties={measure.ties} needs chances to stop between 0 and 1, but label "
        f"{labels[wrong[0]]:g} has {gains[wrong[0]] / scale:g} with highest={measure.highest}: no "
        "order of tied documents is then known to be the extreme; give a higher one, as in "
        "ERR(highest=4), or take ties=label-ascending or label-descending"
    )
