"""pytrec_eval-terrier 0.5.11: trec_eval 9 called from Python.

Scores in single precision, ties by document id, descending; all digits. Averaging is left to the
caller; the mean here is over the queries that both sides have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.tool import Tool
from rankwise.measures.tools.trec_eval import conventions, own_name, read_labels

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

CONVENTIONS = conventions(comparison="single", level_rule="nine-tenths")
PRINTED = ("map", "Rprec", "bpref", "recip_rank", "P_1", "P_10", "recall_10", "ndcg", "ndcg_cut_1",
           "ndcg_cut_10", "map_cut_10", "success_5")  # fmt: skip


def refuse_fractions(judged: JudgedScores) -> str | None:
    """Labels are integers to it, and to what calls it."""
    if np.any(judged.labels % 1 > 0):
        return "labels must be whole numbers"
    return None


TOOL = Tool(
    name="pytrec_eval",
    title="pytrec_eval-terrier 0.5.11",
    conventions=CONVENTIONS,
    printed=lambda judged: PRINTED,
    own_name=lambda name: own_name(name, CONVENTIONS),
    documents="refuse",
    labels=read_labels,
    refusal=refuse_fractions,
)
