"""XGBoost 3.2.0: ndcg, map and pre.

Scores and labels in single precision, ties as in the input; exponential gain of labels that are
whole numbers up to 31 (`ndcg@10 linear` is what it prints with ndcg_exp_gain=False). Without a
cut-off it is 32, not the whole list. ndcg and map of a query without a relevant document are 1, or
0 with a `-` at the end of the name; map and pre take only labels 0 and 1, and divide by min(R, k)
and min(k, n). Chen and Guestrin, KDD 2016.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every, single_precision

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

HIGHEST_LABEL = 31
DEFAULT_CUTOFF = 32
_NAME = re.compile(r"(ndcg|map|pre)(?:@([0-9]+))?(-)?( linear)?", re.I)
_FAMILIES = {"ndcg": "NDCG", "map": "AP", "pre": "P"}


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    family = _FAMILIES[found[1].lower()]
    fields = dict(TOOL.conventions[family])
    if found[3]:
        fields["empty"] = 0.0
    if found[4] and family == "NDCG":
        fields["gain"] = "linear"
    return Measure(family, int(found[2] or DEFAULT_CUTOFF), **fields)


def _measure_refusal(measure: Measure, judged: JudgedScores) -> str | None:
    labels = np.nan_to_num(judged.labels)
    if measure.family in ("AP", "P") and np.any((labels != 0) & (labels != 1)):
        return f"{'map' if measure.family == 'AP' else 'pre'} takes only labels 0 and 1"
    if measure.gain == "exponential" and np.any(
        (labels < 0) | (labels % 1 > 0) | (labels > HIGHEST_LABEL)
    ):
        return f"with the exponential gain labels must be whole numbers from 0 to {HIGHEST_LABEL}"
    if np.any(labels < 0):
        return "its figures for negative labels are not reproduced here"
    return None


TOOL = Tool(
    name="xgboost",
    title="XGBoost 3.2.0",
    conventions=every(
        {"comparison": "single"},
        {
            "NDCG": {"empty": 1.0},
            "AP": {"empty": 1.0, "denominator": "cutoff"},
            "P": {"denominator": "retrieved"},
        },
    ),
    printed=lambda judged: ["ndcg", "ndcg@1", "ndcg@5", "ndcg@10", "ndcg@10-", "map", "map@1",
                            "map@5", "map@10-", "pre", "pre@1", "pre@10"],
    own_name=_own_name,
    figure=lambda measure, value: f"{value:.17f}",
    labels=single_precision,
    measure_refusal=_measure_refusal,
)  # fmt: skip
