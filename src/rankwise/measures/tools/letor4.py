"""LETOR 4.0: Eval-Score-4.0.pl.

As LETOR 3.0 (gains 0, 1, 3; ranks 1 and 2 not discounted, rank i by 1/log2 i), but a query with
fewer than k documents scores NDCG@k = 0, and P@k divides by k. MeanNDCG runs over all positions of
the query and is not touched by the zeros. Figures have four decimals, means come from unrounded
values.
"""

from __future__ import annotations

from rankwise.measures.tool import Tool, every
from rankwise.measures.tools.letor_labels import (
    GAINS,
    PRECISIONS,
    four_decimals,
    two_tables,
    whole_label_refusal,
)

TOOL = Tool(
    name="letor4",
    title="LETOR 4.0, Eval-Score-4.0.pl",
    conventions=every(
        {"table": 2, "comparison": "perl"},
        {
            "P": {},
            "AP": {},
            "NDCG": {"discount": "letor", "short": "zero"},
            "MeanNDCG": {"discount": "letor"},
        },
    ),
    printed=lambda judged: [*PRECISIONS, *GAINS],
    figure=four_decimals,
    documents="replace",
    order="numeric",
    refusal=whole_label_refusal,
    comment_style="letor4",
    carriage_returns=False,
    layout=two_tables,
)
