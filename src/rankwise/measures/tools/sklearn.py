"""scikit-learn 1.9.1: ndcg_score and dcg_score.

Gains are what is passed, so linear unless the caller transforms labels (`gain=exp` in the names
here); ties are averaged over all their orders, unless `ignore_ties=True` leaves the order to an
unstable sort: a query with tied scores then has no figure here. A query of one document is refused
by the library and has no figure. The mean of queries of unequal length is the caller's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

_NAME = re.compile(
    r"(n?dcg)(?:_score)?(?:@([0-9]+))?(?: gain=(linear|exp))?(?: ignore_ties=(true|false))?"
)
_GAINS = {None: "linear", "linear": "linear", "exp": "exponential"}


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name.lower())
    if found is None:
        return None
    return Measure(
        found[1].upper(),
        None if found[2] is None else int(found[2]),
        gain=_GAINS[found[3]],
        ties="undefined" if found[4] == "true" else "expected",
    )


def _refusal(judged: JudgedScores) -> str | None:
    if not np.all(np.isfinite(judged.scores)):
        return "scores must be finite"
    return None


def _measure_refusal(measure: Measure, judged: JudgedScores) -> str | None:
    if not np.any(judged.labels < 0):
        return None
    if measure.family == "NDCG":
        return "labels must not be negative"
    return "its figures for negative labels are not reproduced here"


def _skipped(measure: Measure, judged: JudgedScores) -> Any:
    return judged.retrieved_lengths < 2


TOOL = Tool(
    name="sklearn",
    title="scikit-learn 1.9.1, ndcg_score",
    conventions={
        "NDCG": {"gain": "linear", "ties": "expected"},
        "DCG": {"gain": "linear", "ties": "expected"},
    },
    printed=lambda judged: [
        f"ndcg{cut} gain={gain} ignore_ties=False"
        for gain in ("linear", "exp")
        for cut in ("@1", "@5", "@10", "")
    ],
    own_name=_own_name,
    refusal=_refusal,
    measure_refusal=_measure_refusal,
    skipped=_skipped,
)
