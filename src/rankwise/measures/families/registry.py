"""Every family of measures, one entry each; names, documentation and tests derive from here.

The entry's place in the list is its code in the compiled pass (`rankwise.measures.kernel`).
"""

from __future__ import annotations

from typing import Any

from rankwise.measures.families.family import Family

_ORDER: dict[str, Any] = {"ties": "input", "comparison": "double"}
_CLOSE: dict[str, Any] = {"average": "mean", "rounding": "none"}
_GAINS: dict[str, Any] = {"gain": "exponential", "table": None, "empty": 0.0, "short": "cut"}
_BINARY: dict[str, Any] = {"threshold": 1.0, "table": None, "empty": 0.0}
_DISCOUNTED = {**_GAINS, "discount": "log2", "threshold": None, **_ORDER, **_CLOSE}
_RELEVANT = {**_BINARY, "short": "cut", **_ORDER, **_CLOSE}
_COUNTED = {"threshold": 1.0, "table": None, "average": "sum", "rounding": "none"}
_UNORDERED = {**_BINARY, **_CLOSE}
_PAIRED = {"table": None, "empty": "skip", **_ORDER, **_CLOSE}

_JARVELIN = "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; gains of Burges et al., ICML 2005"
_LETOR = "Qin, Liu, Xu and Li, Information Retrieval 13(4), 2010"
_TREC = "Buckley and Voorhees, TREC: Experiment and Evaluation, chapter 3, 2005"
_INFINITE = (0.0, float("inf"))

FAMILIES: tuple[Family, ...] = (
    Family("NDCG", "ndcg", "normalized discounted cumulative gain", fields=_DISCOUNTED,
           aliases=("ndcg_cut",), ideal=True, citation=_JARVELIN),
    Family("DCG", "ndcg", "discounted cumulative gain", fields=_DISCOUNTED, range=_INFINITE,
           citation=_JARVELIN),
    Family("MeanNDCG", "mean_ndcg", "mean of NDCG@1, NDCG@2, … over the positions",
           fields=_DISCOUNTED, ideal=True, citation=_LETOR),
    Family("P", "precision", "precision", fields={**_RELEVANT, "denominator": "cutoff"},
           aliases=("precision", "prec", "pre"), citation=_TREC),
    Family("AP", "average_precision", "average precision",
           fields={**_RELEVANT, "denominator": "relevant"},
           aliases=("map", "map_cut", "average_precision"), citation=_TREC),
    Family("RR", "reciprocal_rank", "reciprocal rank of the first relevant document",
           fields=_RELEVANT, aliases=("mrr", "recip_rank", "reciprocal_rank"), citation=_TREC),
    Family("ERR", "expected_reciprocal_rank", "expected reciprocal rank",
           fields={**_GAINS, "highest": 4, **_ORDER, **_CLOSE},
           citation="Chapelle, Metzler, Zhang and Grinspan, CIKM 2009"),
    Family("Recall", "recall", "recall", fields=_RELEVANT, aliases=("r", "recall_cut"),
           citation=_TREC),
    Family("Success", "success", "whether a relevant document is found", fields=_RELEVANT,
           aliases=("hit_rate", "hitrate", "success_cut"), citation=_TREC),
    Family("Hits", "hits", "number of relevant documents found", fields=_RELEVANT,
           range=_INFINITE, citation=_TREC),
    Family("F1", "f1", "harmonic mean of precision and recall",
           fields={**_RELEVANT, "denominator": "cutoff"}, aliases=("f",),
           citation="van Rijsbergen, Information Retrieval, 1979"),
    Family("RPrecision", "r_precision", "precision at the number of relevant documents",
           cutoff="none", fields={**_BINARY, **_ORDER, **_CLOSE},
           aliases=("rprec", "r-precision", "r_precision"), citation=_TREC),
    Family("RBP", "rank_biased_precision", "rank-biased precision",
           fields={**_RELEVANT, "persistence": 0.8},
           citation="Moffat and Zobel, ACM TOIS 27(1), 2008"),
    Family("Bpref", "bpref", "preference of relevant over judged non-relevant documents",
           cutoff="none", fields={**_BINARY, **_ORDER, **_CLOSE},
           citation="Buckley and Voorhees, SIGIR 2004"),
    Family("PairwiseAccuracy", "pairwise_accuracy", "share of pairs in the right order",
           cutoff="none", fields=_PAIRED, aliases=("pairwise_accuracy", "pairaccuracy"),
           citation="Herbrich, Graepel and Obermayer, 2000"),
    Family("KendallTau", "kendall_tau", "Kendall's tau-b between the labels and the ranking",
           cutoff="none", fields=_PAIRED, aliases=("kendall_tau", "tau", "kendall"),
           range=(-1.0, 1.0), citation="Kendall, Biometrika 33(3), 1945"),
    Family("WTA", "winner_takes_all", "winner takes all: is a best document on top?",
           cutoff="none", fields={**_BINARY, **_ORDER, **_CLOSE},
           aliases=("winner_takes_all",), citation=_LETOR),
    Family("Best", "best", "highest label among the first documents",
           fields={"table": None, "short": "cut", **_ORDER, **_CLOSE}, range=_INFINITE,
           citation="RankLib 2.18"),
    Family("IPrec", "interpolated_precision", "interpolated precision at a level of recall",
           cutoff="none",
           fields={**_BINARY, "level": 0.0, "level_rule": "nearest", **_ORDER, **_CLOSE},
           aliases=("iprec_at_recall",), citation=_TREC),
    Family("ElevenPoint", "interpolated_precision",
           "mean of the interpolated precision at recall 0, .1, …, 1", cutoff="none",
           fields={**_BINARY, "level_rule": "nearest", **_ORDER, **_CLOSE},
           aliases=("11pt_avg", "eleven_point"), citation=_TREC),
    Family("SetP", "set_measures", "precision of the whole retrieved set", cutoff="none",
           fields=_UNORDERED, aliases=("set_p",), citation=_TREC),
    Family("SetRecall", "set_measures", "recall of the whole retrieved set", cutoff="none",
           fields=_UNORDERED, aliases=("set_recall",), citation=_TREC),
    Family("SetAP", "set_measures", "set precision times set recall", cutoff="none",
           fields=_UNORDERED, aliases=("set_map",), citation=_TREC),
    Family("SetF", "set_measures", "harmonic mean of set precision and set recall",
           cutoff="none", fields=_UNORDERED, aliases=("set_f",), citation=_TREC),
    Family("RMSE", "root_mean_square_error", "root of the mean squared error of the scores",
           cutoff="none", fields={"table": None, "average": "pooled", "rounding": "none"},
           range=_INFINITE, citation="Chapelle and Chang, JMLR W&CP 14, 2011"),
    Family("Retrieved", "counts", "number of retrieved documents", cutoff="none",
           fields=_COUNTED, aliases=("num_ret",), range=_INFINITE, citation=_TREC),
    Family("Relevant", "counts", "number of relevant documents", cutoff="none",
           fields=_COUNTED, aliases=("num_rel",), range=_INFINITE, citation=_TREC),
    Family("RelevantRetrieved", "counts", "number of relevant retrieved documents",
           cutoff="none", fields=_COUNTED, aliases=("num_rel_ret",), range=_INFINITE,
           citation=_TREC),
    Family("Queries", "counts", "number of queries", cutoff="none", fields=_COUNTED,
           aliases=("num_q",), range=_INFINITE, citation=_TREC),
)  # fmt: skip

BY_NAME: dict[str, Family] = {family.name: family for family in FAMILIES}
CODES: dict[str, int] = {family.name: code for code, family in enumerate(FAMILIES)}
BY_ALIAS: dict[str, Family] = {
    alias: family for family in FAMILIES for alias in (family.name.lower(), *family.aliases)
}
