"""ranx 0.3.21.

Linear gain (`ndcg_burges`, `dcg_burges`: exponential), P@k divides by k, map@k by R. A suffix -l2
moves the threshold, and takes the gain from lower labels. Labels are cut to whole numbers. Ties
stand as numba's unstable quicksort leaves the documents of the run: as in the input for up to 15,
scrambled above. Bassani, ECIR 2022.
"""

from __future__ import annotations

import re

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every

PRINTED = ("ndcg", "ndcg@1", "ndcg@10", "ndcg_burges", "ndcg_burges@5", "ndcg_burges@10", "dcg@10",
           "dcg_burges@10", "map", "map@10", "precision@1", "precision@10", "recall@5", "mrr",
           "mrr@5", "r-precision", "f1@10", "hits@10", "hit_rate@5")  # fmt: skip
_NAMES = {
    "ndcg": "NDCG",
    "ndcg_burges": "NDCG",
    "dcg": "DCG",
    "dcg_burges": "DCG",
    "map": "AP",
    "precision": "P",
    "recall": "Recall",
    "mrr": "RR",
    "r-precision": "RPrecision",
    "f1": "F1",
    "hits": "Hits",
    "hit_rate": "Success",
}
_NAME = re.compile(rf"({'|'.join(_NAMES)})(?:@([0-9]+))?(?:-l([0-9]+))?")


def _own_name(name: str) -> Measure | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    family = _NAMES[found[1]]
    fields = dict(TOOL.conventions[family])
    if found[1].endswith("_burges"):
        fields["gain"] = "exponential"
    if found[3] is not None:
        fields["threshold"] = float(found[3])
    return Measure(family, None if found[2] is None else int(found[2]), **fields)


TOOL = Tool(
    name="ranx",
    title="ranx 0.3.21",
    conventions=every(
        {"ties": "quicksort", "gain": "linear"},
        {family: {} for family in dict.fromkeys(_NAMES.values())},
    ),
    printed=lambda judged: PRINTED,
    own_name=_own_name,
    documents="refuse",
    labels=np.trunc,
)
