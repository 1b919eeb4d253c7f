"""LETOR 3.0: Eval-Score-3.0.pl.

Gains 0, 1, 3 of labels 0, 1, 2; any other label has no gain and is not relevant. Ranks 1 and 2 are
not discounted, rank i >= 3 by 1/log2 i. A query with fewer than k documents has no P@k and NDCG@k
of its own, but the means divide by the number of all queries, so it counts as 0 there. Qin, Liu,
Xu and Li, Information Retrieval 13(4), 2010, describe the collection.
"""

from __future__ import annotations

from rankwise.measures.evaluation_text import rows_of
from rankwise.measures.judged import JudgedScores
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every
from rankwise.measures.tools.letor_labels import whole_label_refusal

DEEPEST = 16


def _printed(judged: JudgedScores) -> list[str]:
    depth = min(DEEPEST, int(max(judged.lengths, default=0)))
    ranks = range(1, depth + 1)
    return [*(f"P@{k}" for k in ranks), "MAP", *(f"NDCG@{k}" for k in ranks)]


def _figure(measure: Measure, value: float) -> str:
    return f"{value:.15g}"


TOOL = Tool(
    name="letor3",
    title="LETOR 3.0, Eval-Score-3.0.pl",
    conventions=every(
        {"table": 2, "comparison": "perl"},
        {
            "P": {"short": "absent"},
            "AP": {},
            "NDCG": {"discount": "letor", "short": "absent"},
        },
    ),
    printed=_printed,
    figure=_figure,
    documents="replace",
    order="numeric",
    refusal=whole_label_refusal,
)
