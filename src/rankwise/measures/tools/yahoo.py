"""Yahoo! Learning to Rank Challenge: evaluate.py (rt-rank's front end, the official function).

NDCG@10 is 1 for a query without a relevant document; ERR runs over the whole list with chances
(2^l - 1) / 16; RMSE is over all documents of the file. Labels are cut to whole numbers for the
gains. Queries are unbroken runs of a query id, and no boundary is seen after an id of 0 or less.
Chapelle and Chang, JMLR W&CP 14, 2011.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores
    from rankwise.measures.evaluation import Evaluation

LARGEST_SQUARE_ROOT = 1e154
_NAMES = {"rmse": "RMSE", "err": "ERR", "ndcg": "NDCG@10"}


def _own_name(name: str) -> Measure | None:
    return TOOL.measure(_NAMES[name]) if name in _NAMES else None


def _refusal(judged: JudgedScores) -> str | None:
    for query in judged.query_ids:
        if not query.lstrip("+-").isdigit():
            return f"query ids must be whole numbers, found {query!r}"
    if np.any(judged.labels < 0):
        row = int(np.argmax(judged.labels < 0))
        return f"labels must not be negative, found {judged.labels[row]:g} in row {row + 1}"
    if np.any(np.abs(judged.scores) > LARGEST_SQUARE_ROOT):
        return "the square of a score overflows in RMSE (a score beyond 1e154)"
    return None


def _figure(measure: Measure, value: float) -> str:
    return f"{value:f}"


def _layout(evaluation: Evaluation, per_query: bool, tag: str) -> str:
    """One line; the tool has no figures per query."""
    means = evaluation.means()
    return f"rmse: {means['RMSE']:f}, err: {means['ERR']:f}, ndcg: {means['NDCG@10']:f}\n"


TOOL = Tool(
    name="yahoo",
    title="Yahoo! Learning to Rank Challenge, evaluate.py",
    conventions={
        "RMSE": {},
        "ERR": {"gain": "truncated"},
        "NDCG": {"gain": "truncated", "empty": 1.0},
    },
    printed=lambda judged: ["RMSE", "ERR", "NDCG@10"],
    own_name=_own_name,
    figure=_figure,
    queries="positive",
    refusal=_refusal,
    layout=_layout,
)
