"""The textbook: every family with the fields of its own documentation; Rankwise's default.

Exponential gain, discount 1/log2(i + 1), a query without a relevant document scores 0, a list
shorter than the cut-off is taken as it is, equal scores keep the order of the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.registry import COMPUTED
from rankwise.measures.tool import Tool

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores


def _printed(judged: JudgedScores) -> tuple[str, ...]:
    return ("NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "NDCG", "AP", "P@1", "P@5", "P@10",
            "ERR@10", "RR")  # fmt: skip


TOOL = Tool(
    name="definition",
    title="the textbook definitions",
    conventions={family.name: {} for family in COMPUTED},
    printed=_printed,
    queries="separate",
    documents="keep",
)
