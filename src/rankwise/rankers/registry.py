"""Every ranker in one list; commands, documents, tuning and the conformance tests derive from it.

A home is imported when its ranker is asked for, so that listing names costs nothing.
"""

from __future__ import annotations

import importlib
from difflib import get_close_matches

from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Ranker

RANKERS = {
    "linear-regression": "pointwise.linear_regression:LinearRegression",
    "ridge-regression": "pointwise.ridge_regression:RidgeRegression",
    "best-feature": "pointwise.best_feature:BestFeature",
    "random-forest": "pointwise.random_forest:RandomForest",
    "mart": "pointwise.mart:Mart",
    "ranksvm": "pairwise.ranksvm:RankSVM",
    "ranksvm-primal": "pairwise.ranksvm_primal:RankSVMPrimal",
    "ranksvm-struct": "pairwise.ranksvm_struct:RankSVMStruct",
    "rankboost": "pairwise.rankboost:RankBoost",
    "frank": "pairwise.frank:FRank",
    "ranknet": "pairwise.ranknet:RankNet",
    "listnet": "listwise.listnet:ListNet",
    "listmle": "listwise.listmle:ListMLE",
    "adarank-map": "listwise.adarank:AdaRankMAP",
    "adarank-ndcg": "listwise.adarank:AdaRankNDCG",
    "svm-map": "listwise.svm_map:SVMMAP",
    "smoothrank": "listwise.smoothrank:SmoothRank",
    "coordinate-ascent": "listwise.coordinate_ascent:CoordinateAscent",
    "lambdarank": "listwise.lambdarank:LambdaRank",
    "lambdamart": "listwise.lambdamart:LambdaMART",
    "dearank-i-map": "listwise.dearank:DEARankIMAP",
    "dearank-i-ndcg": "listwise.dearank:DEARankINDCG",
    "dearank-o-map": "listwise.dearank:DEARankOMAP",
    "dearank-o-ndcg": "listwise.dearank:DEARankONDCG",
}


def ranker_names() -> tuple[str, ...]:
    """All registered names, in the order of the list."""
    return tuple(RANKERS)


def find_ranker(name: str) -> type[Ranker]:
    """The class of the ranker `name`; a misspelt name suggests the nearest."""
    home = RANKERS.get(name.lower())
    if home is None:
        near = get_close_matches(name.lower(), RANKERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(RANKERS)}"
        raise RankwiseError(f"there is no ranker {name!r}; {hint}")
    module, attribute = home.split(":")
    found: type[Ranker] = getattr(importlib.import_module(f"rankwise.rankers.{module}"), attribute)
    return found
