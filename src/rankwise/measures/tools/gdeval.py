"""gdeval.pl 1.3 of the TREC web tracks.

Exponential gain, textbook discount, ERR with 16; ties by document id, descending. Topics without a
label above 0 are neither printed nor averaged. A topic is what follows the last `-` of the query
id, which must be digits; labels above 4 and fractions are refused. A document id that occurs twice
is not noticed: both copies are ranked, with their lowest label above 0, and the ideal list has both
labels. A name without a cut-off means @20.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

HIGHEST_LABEL = 4
_NAME = re.compile(r"(ndcg|err)(?:@([0-9]+))?", re.I)


def topic(query: str) -> str:
    """What gdeval calls a query."""
    return query.rsplit("-", 1)[-1]


def refusal(judged: JudgedScores) -> str | None:
    """Why gdeval stops."""
    for query in judged.query_ids:
        if not topic(query).isdigit():
            return f"a query id must end in digits after its last '-', found {query!r}"
    if np.any(judged.labels % 1 > 0):
        return "labels must be whole numbers"
    if np.any(judged.labels > HIGHEST_LABEL):
        return f"labels must not be above {HIGHEST_LABEL}, found {np.nanmax(judged.labels):g}"
    return None


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    return Measure(found[1].upper(), int(found[2] or 20), **TOOL.conventions[found[1].upper()])


TOOL = Tool(
    name="gdeval",
    title="gdeval.pl 1.3",
    conventions=every(
        {"ties": "document-descending", "comparison": "perl", "empty": "skip"},
        {"NDCG": {"threshold": 0.0}, "ERR": {}},
    ),
    printed=lambda judged: ["ndcg@20", "err@20"],
    own_name=_own_name,
    figure=lambda measure, value: f"{value:.5f}",
    documents="lowest-label",
    order="numeric",
    rename=topic,
    refusal=refusal,
    nothing=0.0,
)
