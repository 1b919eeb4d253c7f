"""Every ranker in one list; commands, documents, tuning and the conformance tests derive from it.

A home is imported when its ranker is asked for, so that listing names costs nothing. A ranker is
made by its name with hyper-parameters by name; what it does not have is refused.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.rankers.parameters import (
    WITHIN_SETTINGS,
    parameters_of,
    parse_value,
    refuse_unknown,
    write_settings,
)
from rankwise.rankers.ranker import Ranker
from rankwise.registry import Registry, import_own, is_own

if TYPE_CHECKING:
    from rankwise.rankers.distributed import SpreadingRanker


RANKERS: Registry[type[Ranker]] = Registry(
    "ranker",
    {
        "linear-regression": "rankwise.rankers.linear.regression:LinearRegression",
        "ridge-regression": "rankwise.rankers.linear.regression:RidgeRegression",
        "best-feature": "rankwise.rankers.linear.best_feature:BestFeature",
        "random-forest": "rankwise.rankers.trees.forests:RandomForest",
        "mart": "rankwise.rankers.trees.lambdamart:Mart",
        "ranksvm": "rankwise.rankers.linear.ranksvm:RankSVM",
        "ranksvm-primal": "rankwise.rankers.linear.ranksvm:RankSVMPrimal",
        "ranksvm-struct": "rankwise.rankers.linear.ranksvm:RankSVMStruct",
        "rankboost": "rankwise.rankers.boosting.rankboost:RankBoost",
        "frank": "rankwise.rankers.boosting.rankboost:FRank",
        "ranknet": "rankwise.rankers.gradient.ranknet:RankNet",
        "listnet": "rankwise.rankers.gradient.listnet:ListNet",
        "listmle": "rankwise.rankers.gradient.listnet:ListMLE",
        "adarank-map": "rankwise.rankers.boosting.adarank:AdaRankMAP",
        "adarank-ndcg": "rankwise.rankers.boosting.adarank:AdaRankNDCG",
        "svm-map": "rankwise.rankers.linear.svm_map:SVMMAP",
        "smoothrank": "rankwise.rankers.gradient.smoothrank:SmoothRank",
        "coordinate-ascent": "rankwise.rankers.search.coordinate_ascent:CoordinateAscent",
        "lambdarank": "rankwise.rankers.gradient.ranknet:LambdaRank",
        "lambdamart": "rankwise.rankers.trees.lambdamart:LambdaMART",
        "dearank-i-map": "rankwise.rankers.dea.dearank:DEARankIMAP",
        "dearank-i-ndcg": "rankwise.rankers.dea.dearank:DEARankINDCG",
        "dearank-o-map": "rankwise.rankers.dea.dearank:DEARankOMAP",
        "dearank-o-ndcg": "rankwise.rankers.dea.dearank:DEARankONDCG",
        "rankrls": "rankwise.rankers.linear.regression:RankRLS",
        "grankrls": "rankwise.rankers.linear.grankrls:GRankRLS",
        "rankelm-pointwise": "rankwise.rankers.linear.rankelm:RankELMPointwise",
        "rankelm-pairwise": "rankwise.rankers.linear.rankelm:RankELMPairwise",
        "listreg": "rankwise.rankers.linear.regression:ListReg",
        "rcp": "rankwise.rankers.linear.rcp:RCP",
        "admm": "rankwise.rankers.linear.admm:ADMM",
        "reg-shf-sdcg": "rankwise.rankers.trees.reg_shf_sdcg:RegSHFSDCG",
        "groupmle": "rankwise.rankers.gradient.groupmle:GroupMLE",
        "approxndcg": "rankwise.rankers.gradient.approxndcg:ApproxNDCG",
        "approxap": "rankwise.rankers.gradient.approxndcg:ApproxAP",
        "softrank": "rankwise.rankers.gradient.softrank:SoftRank",
        "boltzrank-single": "rankwise.rankers.gradient.boltzrank:BoltzRankSingle",
        "kl-crf": "rankwise.rankers.gradient.boltzrank:KLCRF",
        "energyndcg": "rankwise.rankers.gradient.energyndcg:EnergyNDCG",
        "owpc": "rankwise.rankers.linear.owpc:OWPC",
        "permurank": "rankwise.rankers.linear.permurank:PermuRank",
        "rankcosine": "rankwise.rankers.boosting.rankcosine:RankCosine",
        "consistent-rankcosine": ("rankwise.rankers.boosting.rankcosine:ConsistentRankCosine"),
        "mhr": "rankwise.rankers.linear.mhr:MHR",
        "fenchelrank": "rankwise.rankers.linear.fenchelrank:FenchelRank",
        "fsmrank": "rankwise.rankers.linear.sparse:FSMRank",
        "sparserank": "rankwise.rankers.linear.sparse:SparseRank",
        "mcp": "rankwise.rankers.linear.sparse:MCP",
        "fsm-svm": "rankwise.rankers.linear.sparse:FSMSVM",
        "gas-e": "rankwise.rankers.linear.sparse:GASE",
        "tgrank": "rankwise.rankers.linear.truncated_gradient:TGRank",
        "rsrank": "rankwise.rankers.linear.truncated_gradient:RSRank",
        "bt": "rankwise.rankers.trees.ties:BT",
        "tm": "rankwise.rankers.trees.ties:TM",
        "intervalrank": "rankwise.rankers.trees.intervalrank:IntervalRank",
        "bl-mart": "rankwise.rankers.trees.forests:BLMart",
        "bagboo": "rankwise.rankers.trees.forests:BagBoo",
        "sortnet": "rankwise.rankers.gradient.sortnet:SortNet",
        "boltzrank-pair": "rankwise.rankers.gradient.boltzrank:BoltzRankPair",
        "self-attention": "rankwise.rankers.gradient.self_attention:SelfAttention",
        "neuralndcg": "rankwise.rankers.gradient.neuralndcg:NeuralNDCG",
        "mcrank": "rankwise.rankers.trees.mcrank:McRank",
        "rankde": "rankwise.rankers.search.weight_search:RankDE",
        "swarmrank": "rankwise.rankers.search.weight_search:SwarmRank",
        "gprank": "rankwise.rankers.search.gprank:GPRank",
        "iprank": "rankwise.rankers.search.iprank:IPRank",
        "ccrank": "rankwise.rankers.search.iprank:CCRank",
        "rankmgp": "rankwise.rankers.search.gprank:RankMGP",
        "directrank": "rankwise.rankers.search.directrank:DirectRank",
        "focusednet": "rankwise.rankers.boosting.focused:FocusedNet",
        "focusedboost": "rankwise.rankers.boosting.focused:FocusedBoost",
        "focusedsvm": "rankwise.rankers.boosting.focused:FocusedSVM",
        "qd-knn": "rankwise.rankers.query_dependent.neighbours:QDKNN",
        "rankboost-kernel-pca": "rankwise.rankers.boosting.transductive:RankBoostKernelPCA",
        "rankboost-svd": "rankwise.rankers.boosting.transductive:RankBoostSVD",
        "lac-mr-or": "rankwise.rankers.query_dependent.lac:LACMROR",
        "re-qr": "rankwise.rankers.query_dependent.lac:REQR",
        "per-class": "rankwise.rankers.query_dependent.per_class:PerClass",
        "nearest-queries": "rankwise.rankers.query_dependent.neighbours:NearestQueriesWrapper",
        "c-crf": "rankwise.rankers.query_dependent.relational:CCRF",
        "relational-ranksvm": "rankwise.rankers.query_dependent.relational:RelationalRankSVM",
        "propagation": "rankwise.rankers.query_dependent.relational:Propagation",
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
        return _own_ranker(ranker, None)
    if is_own(ranker):
        return _own_ranker(import_own(ranker, "ranker"), ranker)
    return RANKERS[ranker.lower()]


def _own_ranker(found: Any, reference: str | None) -> type[Ranker]:
    """Named as nothing registered is, so that no table takes one for the other."""
    home = "rankwise.rankers.external"
    ranker: type[Ranker] = importlib.import_module(home).as_ranker(found, reference)
    if ranker.name in RANKERS and RANKERS[ranker.name] is not ranker:
        raise RankwiseError(
            f"{reference or found} must have a name of its own, found {ranker.name!r}, which is a "
            "registered ranker's; leave its name out, or choose another"
        )
    return ranker


def make_ranker(ranker: object, /, **parameters: Any) -> Ranker:
    """The ranker of a name, `module:Name` or class, with the hyper-parameters that are given.

    A `Ranker` that is made already comes back, with those parameters changed. Those of a wrapped
    ranker are `settings={name: value}`, or `**{"of.name": value}`.
    """
    if isinstance(ranker, Ranker):
        parameters = {**ranker.parameters(), **parameters}
        ranker = type(ranker)
    found = find_ranker(ranker)
    parameters = gather_settings(found, parameters)
    refuse_unknown(found, parameters)
    return found(**parameters)


def parse_settings(ranker: type[Ranker], settings: Iterable[str]) -> dict[str, Any]:
    """Hyper-parameters written `name=value`, each once, as values."""
    declared = {one.name: one for one in parameters_of(ranker)}
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise RankwiseError(f"a setting must be written name=value, found {setting!r}")
        if key in values:
            raise RankwiseError(f"a setting must be given once, found {key} twice")
        if key.startswith(WITHIN_SETTINGS) and "settings" in declared:
            values[key] = text
            continue
        refuse_unknown(ranker, {key: text})
        values[key] = parse_value(declared[key], text, ranker.name)
    return gather_settings(ranker, values)


def gather_settings(ranker: type[Ranker], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters in which those of a wrapped ranker, `of.NAME`, stand in `settings`."""
    known = {one.name for one in parameters_of(ranker)}
    inner = {name: value for name, value in parameters.items() if name.startswith(WITHIN_SETTINGS)}
    if not inner or not {"of", "settings"} <= known:
        return dict(parameters)
    if parameters.get("settings"):
        raise RankwiseError(
            f"{ranker.name}: parameters of the wrapped ranker must be given by settings or by "
            f"{WITHIN_SETTINGS}NAME, found both"
        )
    outer = {name: value for name, value in parameters.items() if name not in inner}
    named = {name.removeprefix(WITHIN_SETTINGS): value for name, value in inner.items()}
    return {**outer, "settings": write_settings(named)}


def spreading(ranker: type[Ranker]) -> type[SpreadingRanker]:
    """The same ranker where it can be trained over a cluster, else a sentence that names those."""
    from rankwise.rankers.distributed import SpreadingRanker

    if issubclass(ranker, SpreadingRanker):
        return ranker
    able = [name for name in ranker_names() if issubclass(find_ranker(name), SpreadingRanker)]
    raise RankwiseError(
        f"{ranker.name} cannot be trained over a cluster, only {', '.join(able)} can; train it on "
        "one machine"
    )
