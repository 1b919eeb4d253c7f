"""RankLib 2.18.

Exponential gain of the label cut to a whole number, textbook discount; P@k divides by min(k, n); a
label above 0 is relevant; RR is computed in single precision. Lists are unbroken runs of a query
id, and the ideal list is remembered by query id: where an id comes back, its later list is divided
by the ideal of the first one. A name without a cut-off means @10 (MAP: none), `@0` the whole list.
`ERR@10 gmax=2` is what RankLib prints with `-gmax 2`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, ToolRefusal

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

HIGHEST_LABEL = 30
_NAME = re.compile(r"(ndcg|dcg|map|ap|p|rr|err|best)(?:@([0-9]+))?(?: gmax=([0-9]+))?", re.I)
_FAMILIES = {
    "ndcg": "NDCG",
    "dcg": "DCG",
    "map": "AP",
    "ap": "AP",
    "p": "P",
    "rr": "RR",
    "err": "ERR",
    "best": "Best",
}


def java_number(value: float) -> str:
    """A double as Java prints it: digits from 0.001 up to 10^7, else with an exponent."""
    if value == 0.0 or 1e-3 <= abs(value) < 1e7:
        return f"{value:.1f}" if value == int(value) else np.format_float_positional(value)
    digits, exponent = f"{np.format_float_scientific(value, trim='0')}".split("e")
    return f"{digits}E{int(exponent)}"


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    family = _FAMILIES[found[1].lower()]
    fields = dict(TOOL.conventions[family])
    cutoff = 10 if found[2] is None else int(found[2])
    if family == "RR" and (found[2] is None or cutoff == 0):
        raise ToolRefusal("ranklib: RR without a cut-off is always 0 in RankLib; write RR@10")
    if found[3] is not None and family == "ERR":
        fields["highest"] = int(found[3])
    return Measure(family, None if cutoff == 0 or family == "AP" else cutoff, **fields)


def _refusal(judged: JudgedScores) -> str | None:
    if np.any(judged.labels < 0):
        return "a relevance label must not be negative"
    if np.any(judged.labels > HIGHEST_LABEL):
        return f"the gain of a label above {HIGHEST_LABEL} overflows"
    return None


TOOL = Tool(
    name="ranklib",
    title="RankLib 2.18",
    conventions={
        "NDCG": {"gain": "truncated"},
        "DCG": {"gain": "truncated"},
        "AP": {"threshold": 0.0, "strict": True},
        "P": {"threshold": 0.0, "strict": True, "denominator": "retrieved"},
        "RR": {"threshold": 0.0, "strict": True, "rounding": "single"},
        "ERR": {"gain": "truncated"},
        "Best": {},
    },
    printed=lambda judged: ["NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "NDCG@0", "DCG@10", "MAP",
                            "P@1", "P@5", "P@10", "RR@10", "ERR@10", "Best@3"],
    own_name=_own_name,
    figure=lambda measure, value: java_number(value),
    queries="separate",
    refusal=_refusal,
    first_ideal=True,
)  # fmt: skip
