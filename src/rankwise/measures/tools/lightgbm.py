"""LightGBM 4.7.0: metric=ndcg,map.

Exponential gain through label_gain (labels 0 … 30, whole), textbook discount; ndcg@k and map@k are
1 for a query without a relevant document; map@k divides by min(R, k) and takes a label above 0.5 as
relevant. Ties keep the order of the input. Ke et al., NeurIPS 2017.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

HIGHEST_LABEL = 30
_NAME = re.compile(r"(ndcg|map)@([0-9]+)")
_FAMILIES = {"ndcg": "NDCG", "map": "AP"}


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    family = _FAMILIES[found[1]]
    return Measure(family, int(found[2]), **TOOL.conventions[family])


def _refusal(judged: JudgedScores) -> str | None:
    labels = judged.labels
    if np.any((labels < 0) | (labels % 1 > 0) | (labels > HIGHEST_LABEL)):
        return f"labels must be whole numbers from 0 to {HIGHEST_LABEL}"
    return None


TOOL = Tool(
    name="lightgbm",
    title="LightGBM 4.7.0",
    conventions={
        "NDCG": {"empty": 1.0},
        "AP": {"empty": 1.0, "threshold": 0.5, "strict": True, "denominator": "cutoff"},
    },
    printed=lambda judged: [f"{name}@{k}" for name in ("ndcg", "map") for k in range(1, 6)],
    own_name=_own_name,
    refusal=_refusal,
)
