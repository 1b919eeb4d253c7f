"""Every ranker in one list; commands, documents, tuning and the conformance tests derive from it.

A home is imported when its ranker is asked for, so that listing names costs nothing.
"""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.own_code import import_own, is_own
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
    "rankrls": "pairwise.rankrls:RankRLS",
    "grankrls": "pairwise.grankrls:GRankRLS",
    "rankelm-pointwise": "pointwise.rankelm_pointwise:RankELMPointwise",
    "rankelm-pairwise": "pairwise.rankelm_pairwise:RankELMPairwise",
    "listreg": "listwise.listreg:ListReg",
    "rcp": "pairwise.rcp:RCP",
    "admm": "pairwise.admm:ADMM",
    "reg-shf-sdcg": "listwise.reg_shf_sdcg:RegSHFSDCG",
    "groupmle": "listwise.groupmle:GroupMLE",
    "approxndcg": "listwise.approxndcg:ApproxNDCG",
    "approxap": "listwise.approxap:ApproxAP",
    "softrank": "listwise.softrank:SoftRank",
    "boltzrank-single": "listwise.boltzrank_single:BoltzRankSingle",
    "kl-crf": "listwise.kl_crf:KLCRF",
    "energyndcg": "listwise.energyndcg:EnergyNDCG",
    "owpc": "pairwise.owpc:OWPC",
    "permurank": "listwise.permurank:PermuRank",
    "rankcosine": "listwise.rankcosine:RankCosine",
    "consistent-rankcosine": "listwise.consistent_rankcosine:ConsistentRankCosine",
    "mhr": "pairwise.mhr:MHR",
    "fenchelrank": "pairwise.fenchelrank:FenchelRank",
    "fsmrank": "pairwise.fsmrank:FSMRank",
    "sparserank": "pairwise.sparserank:SparseRank",
    "mcp": "pairwise.mcp:MCP",
    "fsm-svm": "pairwise.fsm_svm:FSMSVM",
    "gas-e": "pairwise.gas_e:GASE",
    "tgrank": "pairwise.tgrank:TGRank",
    "rsrank": "pairwise.rsrank:RSRank",
    "bt": "pairwise.bt:BT",
    "tm": "pairwise.tm:TM",
    "intervalrank": "listwise.intervalrank:IntervalRank",
    "bl-mart": "listwise.bl_mart:BLMart",
    "bagboo": "pointwise.bagboo:BagBoo",
    "sortnet": "pairwise.sortnet:SortNet",
    "boltzrank-pair": "listwise.boltzrank_pair:BoltzRankPair",
    "self-attention": "listwise.self_attention:SelfAttention",
    "neuralndcg": "listwise.neuralndcg:NeuralNDCG",
    "mcrank": "pointwise.mcrank:McRank",
    "rankde": "listwise.rankde:RankDE",
    "swarmrank": "listwise.swarmrank:SwarmRank",
    "gprank": "listwise.gprank:GPRank",
    "iprank": "listwise.iprank:IPRank",
    "ccrank": "listwise.ccrank:CCRank",
    "rankmgp": "listwise.rankmgp:RankMGP",
    "directrank": "listwise.directrank:DirectRank",
    "focusednet": "listwise.focusednet:FocusedNet",
    "focusedboost": "listwise.focusedboost:FocusedBoost",
    "focusedsvm": "listwise.focusedsvm:FocusedSVM",
    "qd-knn": "pairwise.qd_knn:QDKNN",
    "rankboost-kernel-pca": "pairwise.rankboost_kernel_pca:RankBoostKernelPCA",
    "rankboost-svd": "pairwise.rankboost_svd:RankBoostSVD",
    "lac-mr-or": "pointwise.lac_mr_or:LACMROR",
    "re-qr": "pointwise.re_qr:REQR",
    "per-class": "wrappers.per_class:PerClass",
    "nearest-queries": "wrappers.nearest_queries:NearestQueriesWrapper",
    "c-crf": "listwise.c_crf:CCRF",
    "relational-ranksvm": "pairwise.relational_ranksvm:RelationalRankSVM",
    "propagation": "wrappers.propagation:Propagation",
}


def ranker_names() -> tuple[str, ...]:
    """All registered names, in the order of the list."""
    return tuple(RANKERS)


def find_ranker(ranker: object) -> type[Ranker]:
    """The class of a ranker: of a registered name, or of somebody's own.

    Own rankers are `module:Name`, which is imported and so run, or a class or object that is at
    hand. Such a thing is a subclass of `Ranker`, or has `fit`, and `predict` or `score`; see
    docs/rankers/own-ranker.md. A misspelt name suggests the nearest.
    """
    if not isinstance(ranker, str):
        return _own(ranker, None)
    if is_own(ranker):
        return _own(import_own(ranker, "ranker"), ranker)
    return _registered(ranker)


def _registered(name: str) -> type[Ranker]:
    home = RANKERS.get(name.lower())
    if home is None:
        near = get_close_matches(name.lower(), RANKERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(RANKERS)}"
        raise RankwiseError(f"there is no ranker {name!r}; {hint}, or your own as module:Name")
    module, attribute = home.split(":")
    found: type[Ranker] = getattr(importlib.import_module(f"rankwise.rankers.{module}"), attribute)
    return found


def _own(found: Any, reference: str | None) -> type[Ranker]:
    """Named as nothing registered is, so that no table takes one for the other."""
    home = "rankwise.rankers.own"
    ranker: type[Ranker] = importlib.import_module(home).as_ranker(found, reference)
    if ranker.name in RANKERS and _registered(ranker.name) is not ranker:
        raise RankwiseError(
            f"{reference or found} must have a name of its own, found {ranker.name!r}, which is a "
            "registered ranker's; leave its name out, or choose another"
        )
    return ranker
