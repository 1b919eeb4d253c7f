"""MSLR: eval-score-mslr.pl.

As LETOR 4.0 with gains 0, 1, 3, 7, 15 of labels 0 … 4 (none for labels above), but P and MAP take
only labels of 2 and more as relevant: label 1 is not. Documents are told apart by their line, so
document ids may repeat.
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
    name="mslr",
    title="MSLR-WEB, eval-score-mslr.pl",
    conventions=every(
        {"table": 4, "comparison": "perl"},
        {
            "P": {"threshold": 2.0},
            "AP": {"threshold": 2.0},
            "NDCG": {"discount": "letor", "short": "zero"},
            "MeanNDCG": {"discount": "letor"},
        },
    ),
    printed=lambda judged: [*PRECISIONS, *GAINS],
    figure=four_decimals,
    order="numeric",
    refusal=whole_label_refusal,
    layout=two_tables,
)
