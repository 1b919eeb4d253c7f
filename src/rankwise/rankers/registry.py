"""Every ranker in one list; commands, documents, tuning and the conformance tests derive from it.

A home is imported when its ranker is asked for, so that listing names costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Ranker
from rankwise.registry import Registry, import_own, is_own

RANKERS: Registry[type[Ranker]] = Registry(
    "ranker",
    {
        "linear-regression": "rankwise.rankers.pointwise.linear_regression:LinearRegression",
        "ridge-regression": "rankwise.rankers.pointwise.ridge_regression:RidgeRegression",
        "best-feature": "rankwise.rankers.pointwise.best_feature:BestFeature",
        "random-forest": "rankwise.rankers.pointwise.random_forest:RandomForest",
        "mart": "rankwise.rankers.pointwise.mart:Mart",
        "ranksvm": "rankwise.rankers.pairwise.ranksvm:RankSVM",
        "ranksvm-primal": "rankwise.rankers.pairwise.ranksvm_primal:RankSVMPrimal",
        "ranksvm-struct": "rankwise.rankers.pairwise.ranksvm_struct:RankSVMStruct",
        "rankboost": "rankwise.rankers.pairwise.rankboost:RankBoost",
        "frank": "rankwise.rankers.pairwise.frank:FRank",
        "ranknet": "rankwise.rankers.pairwise.ranknet:RankNet",
        "listnet": "rankwise.rankers.listwise.listnet:ListNet",
        "listmle": "rankwise.rankers.listwise.listmle:ListMLE",
        "adarank-map": "rankwise.rankers.listwise.adarank:AdaRankMAP",
        "adarank-ndcg": "rankwise.rankers.listwise.adarank:AdaRankNDCG",
        "svm-map": "rankwise.rankers.listwise.svm_map:SVMMAP",
        "smoothrank": "rankwise.rankers.listwise.smoothrank:SmoothRank",
        "coordinate-ascent": "rankwise.rankers.listwise.coordinate_ascent:CoordinateAscent",
        "lambdarank": "rankwise.rankers.listwise.lambdarank:LambdaRank",
        "lambdamart": "rankwise.rankers.listwise.lambdamart:LambdaMART",
        "dearank-i-map": "rankwise.rankers.listwise.dearank:DEARankIMAP",
        "dearank-i-ndcg": "rankwise.rankers.listwise.dearank:DEARankINDCG",
        "dearank-o-map": "rankwise.rankers.listwise.dearank:DEARankOMAP",
        "dearank-o-ndcg": "rankwise.rankers.listwise.dearank:DEARankONDCG",
        "rankrls": "rankwise.rankers.pairwise.rankrls:RankRLS",
        "grankrls": "rankwise.rankers.pairwise.grankrls:GRankRLS",
        "rankelm-pointwise": "rankwise.rankers.pointwise.rankelm_pointwise:RankELMPointwise",
        "rankelm-pairwise": "rankwise.rankers.pairwise.rankelm_pairwise:RankELMPairwise",
        "listreg": "rankwise.rankers.listwise.listreg:ListReg",
        "rcp": "rankwise.rankers.pairwise.rcp:RCP",
        "admm": "rankwise.rankers.pairwise.admm:ADMM",
        "reg-shf-sdcg": "rankwise.rankers.listwise.reg_shf_sdcg:RegSHFSDCG",
        "groupmle": "rankwise.rankers.listwise.groupmle:GroupMLE",
        "approxndcg": "rankwise.rankers.listwise.approxndcg:ApproxNDCG",
        "approxap": "rankwise.rankers.listwise.approxap:ApproxAP",
        "softrank": "rankwise.rankers.listwise.softrank:SoftRank",
        "boltzrank-single": "rankwise.rankers.listwise.boltzrank_single:BoltzRankSingle",
        "kl-crf": "rankwise.rankers.listwise.kl_crf:KLCRF",
        "energyndcg": "rankwise.rankers.listwise.energyndcg:EnergyNDCG",
        "owpc": "rankwise.rankers.pairwise.owpc:OWPC",
        "permurank": "rankwise.rankers.listwise.permurank:PermuRank",
        "rankcosine": "rankwise.rankers.listwise.rankcosine:RankCosine",
        "consistent-rankcosine": (
            "rankwise.rankers.listwise.consistent_rankcosine:ConsistentRankCosine"
        ),
        "mhr": "rankwise.rankers.pairwise.mhr:MHR",
        "fenchelrank": "rankwise.rankers.pairwise.fenchelrank:FenchelRank",
        "fsmrank": "rankwise.rankers.pairwise.fsmrank:FSMRank",
        "sparserank": "rankwise.rankers.pairwise.sparserank:SparseRank",
        "mcp": "rankwise.rankers.pairwise.mcp:MCP",
        "fsm-svm": "rankwise.rankers.pairwise.fsm_svm:FSMSVM",
        "gas-e": "rankwise.rankers.pairwise.gas_e:GASE",
        "tgrank": "rankwise.rankers.pairwise.tgrank:TGRank",
        "rsrank": "rankwise.rankers.pairwise.rsrank:RSRank",
        "bt": "rankwise.rankers.pairwise.bt:BT",
        "tm": "rankwise.rankers.pairwise.tm:TM",
        "intervalrank": "rankwise.rankers.listwise.intervalrank:IntervalRank",
        "bl-mart": "rankwise.rankers.listwise.bl_mart:BLMart",
        "bagboo": "rankwise.rankers.pointwise.bagboo:BagBoo",
        "sortnet": "rankwise.rankers.pairwise.sortnet:SortNet",
        "boltzrank-pair": "rankwise.rankers.listwise.boltzrank_pair:BoltzRankPair",
        "self-attention": "rankwise.rankers.listwise.self_attention:SelfAttention",
        "neuralndcg": "rankwise.rankers.listwise.neuralndcg:NeuralNDCG",
        "mcrank": "rankwise.rankers.pointwise.mcrank:McRank",
        "rankde": "rankwise.rankers.listwise.rankde:RankDE",
        "swarmrank": "rankwise.rankers.listwise.swarmrank:SwarmRank",
        "gprank": "rankwise.rankers.listwise.gprank:GPRank",
        "iprank": "rankwise.rankers.listwise.iprank:IPRank",
        "ccrank": "rankwise.rankers.listwise.ccrank:CCRank",
        "rankmgp": "rankwise.rankers.listwise.rankmgp:RankMGP",
        "directrank": "rankwise.rankers.listwise.directrank:DirectRank",
        "focusednet": "rankwise.rankers.listwise.focusednet:FocusedNet",
        "focusedboost": "rankwise.rankers.listwise.focusedboost:FocusedBoost",
        "focusedsvm": "rankwise.rankers.listwise.focusedsvm:FocusedSVM",
        "qd-knn": "rankwise.rankers.pairwise.qd_knn:QDKNN",
        "rankboost-kernel-pca": "rankwise.rankers.pairwise.rankboost_kernel_pca:RankBoostKernelPCA",
        "rankboost-svd": "rankwise.rankers.pairwise.rankboost_svd:RankBoostSVD",
        "lac-mr-or": "rankwise.rankers.pointwise.lac_mr_or:LACMROR",
        "re-qr": "rankwise.rankers.pointwise.re_qr:REQR",
        "per-class": "rankwise.rankers.wrappers.per_class:PerClass",
        "nearest-queries": "rankwise.rankers.wrappers.nearest_queries:NearestQueriesWrapper",
        "c-crf": "rankwise.rankers.listwise.c_crf:CCRF",
        "relational-ranksvm": "rankwise.rankers.pairwise.relational_ranksvm:RelationalRankSVM",
        "propagation": "rankwise.rankers.wrappers.propagation:Propagation",
    },
    otherwise="or your own as module:Name",
)


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
    return RANKERS[ranker.lower()]


def _own(found: Any, reference: str | None) -> type[Ranker]:
    """Named as nothing registered is, so that no table takes one for the other."""
    home = "rankwise.rankers.own"
    ranker: type[Ranker] = importlib.import_module(home).as_ranker(found, reference)
    if ranker.name in RANKERS and RANKERS[ranker.name] is not ranker:
        raise RankwiseError(
            f"{reference or found} must have a name of its own, found {ranker.name!r}, which is a "
            "registered ranker's; leave its name out, or choose another"
        )
    return ranker
