"""trec_eval 9.0.4.

As version 10, but scores are held in single precision (so that close ones tie), and the
interpolated precision at recall level x is taken where int(x R + 0.9) relevant documents are found,
not the nearest whole number to x R.

Version 8.1, which the apple-to-apple comparison used, is not reproduced: no program of it was at
hand to run, and its output for NDCG, ties and empty queries is not known well enough to claim.
"""

from __future__ import annotations

from rankwise.measures.tool import Tool
from rankwise.measures.tools.trec_eval import (
    OFFICIAL,
    conventions,
    figure,
    layout,
    own_name,
    read_labels,
)

CONVENTIONS = conventions(comparison="single", level_rule="nine-tenths")

TOOL = Tool(
    name="trec_eval-9",
    title="trec_eval 9.0.4",
    conventions=CONVENTIONS,
    printed=lambda judged: OFFICIAL,
    own_name=lambda name: own_name(name, CONVENTIONS),
    figure=figure,
    documents="refuse",
    order="text",
    labels=read_labels,
    layout=layout,
    layout_of_measures=True,
)
