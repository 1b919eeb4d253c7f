"""CatBoost 1.2.10: utils.eval_metric.

Ties are pessimistic: the lowest label comes first. NDCG has a linear gain (`type=Exp`: exponential)
and is 1 for a query without a relevant document, as RecallAt is; `denominator=Position` discounts
by 1/i. PrecisionAt divides by min(top, n), MAP by min(R, top). ERR takes the label itself as the
chance to stop, so labels above 1 leave [0, 1]. Relevant: label above `border`, 0.5 by default.
Labels and the border are in single precision.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every, single_precision

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

PRINTED = ("NDCG", "NDCG:top=1", "NDCG:top=5", "NDCG:top=10", "NDCG:type=Exp",
           "NDCG:top=10;type=Exp", "NDCG:top=10;type=Exp;denominator=Position", "DCG:top=10",
           "PrecisionAt:top=1", "PrecisionAt:top=10", "RecallAt:top=5", "MAP", "MAP:top=5", "MRR",
           "MRR:top=5", "ERR", "ERR:top=5")  # fmt: skip
_FAMILIES = {
    "NDCG": "NDCG",
    "DCG": "DCG",
    "PrecisionAt": "P",
    "RecallAt": "Recall",
    "MAP": "AP",
    "MRR": "RR",
    "ERR": "ERR",
}
_NAME = re.compile(rf"({'|'.join(_FAMILIES)})(?::(.+))?")
_GAINS = {"Base": "linear", "Exp": "exponential"}
_DISCOUNTS = {"LogPosition": "log2", "Position": "position"}


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    measure = Measure(_FAMILIES[found[1]], **TOOL.conventions[_FAMILIES[found[1]]])
    for option in (found[2] or "").split(";"):
        if option:
            measure = _with_option(name, measure, option)
    return measure


def _with_option(name: str, measure: Measure, option: str) -> Measure:
    key, _, value = option.partition("=")
    if key == "top" and value.lstrip("-").isdigit():
        return measure.with_fields(cutoff=None if int(value) < 1 else int(value))
    if key == "type" and value in _GAINS:
        return measure.with_fields(gain=_GAINS[value])
    if key == "denominator" and value in _DISCOUNTS:
        return measure.with_fields(discount=_DISCOUNTS[value])
    if key == "border" and value.replace(".", "", 1).isdigit():
        return measure.with_fields(threshold=float(np.float32(value)), strict=True)
    raise RankwiseError(
        f"{name!r}: CatBoost's options are top=K, type=Base|Exp, denominator=LogPosition|Position "
        f"and border=X, found {option!r}"
    )


def _refusal(judged: JudgedScores) -> str | None:
    if np.any(judged.labels < 0):
        return "its figures for negative labels are not reproduced here"
    return None


TOOL = Tool(
    name="catboost",
    title="CatBoost 1.2.10",
    conventions=every(
        {"ties": "worst", "threshold": 0.5, "strict": True},
        {
            "NDCG": {"gain": "linear", "empty": 1.0, "threshold": None, "strict": False},
            "DCG": {"gain": "linear", "threshold": None, "strict": False},
            "P": {"denominator": "retrieved"},
            "Recall": {"empty": 1.0},
            "AP": {"denominator": "cutoff"},
            "RR": {},
            # With labels above 1 ERR does not rise with the label, which CatBoost goes by.
            "ERR": {"gain": "linear", "highest": 1, "ties": "label-ascending"},
        },
    ),
    printed=lambda judged: PRINTED,
    own_name=_own_name,
    refusal=_refusal,
    labels=single_precision,
)
