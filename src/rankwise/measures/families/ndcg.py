"""Normalized discounted cumulative gain, DCG, which it normalizes, and its mean over positions.

    DCG@k      = sum over ranks i <= min(k, n) of g(l_i) d(i)
    NDCG@k     = DCG@k / ideal DCG@k
    MeanNDCG   = (NDCG@1 + … + NDCG@n) / n
    MeanNDCG@k = (NDCG@1 + … + NDCG@m) / m,  m = min(k, n)

l_i is the label at rank i, g the gain (2^l - 1 in the textbook), d the discount (1 / log2(i + 1)).
The ideal DCG@k is that of all judged documents of the query in descending order of gain, cut at
the same k: not of the first k retrieved documents sorted again. Where it is 0, NDCG is the
measure's `empty` value, and so is DCG if nothing was gained.

MeanNDCG is what the LETOR 4.0 and MSLR scripts print. n is the number of retrieved documents of the
query, so the mean runs over all its positions and is not touched by what a tool does with queries
shorter than a cut-off. This is not the mean of NDCG over queries.

With open ties the expectation of DCG spreads each tie group's mean gain over its ranks, because
DCG is linear in what stands at a rank (McSherry and Najork, ECIR 2008), and so is MeanNDCG.

Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the exponential gain is that of Burges et al.,
ICML 2005. MeanNDCG is defined by Eval-Score-4.0.pl of LETOR 4.0; Qin et al., Information Retrieval
13(4), 2010.
"""

from __future__ import annotations

from rankwise.measures.families.family import DISCOUNTED, LETOR, UNBOUNDED, Family

_CITATION = "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; gains of Burges et al., ICML 2005"

NDCG = (
    Family(
        "NDCG",
        "normalized discounted cumulative gain",
        compute="rankwise_ndcg",
        fields=DISCOUNTED,
        aliases=("ndcg_cut",),
        citation=_CITATION,
    ),
    Family(
        "DCG",
        "discounted cumulative gain",
        compute="rankwise_dcg",
        fields=DISCOUNTED,
        range=UNBOUNDED,
        citation=_CITATION,
    ),
)


MEAN_NDCG = (
    Family(
        "MeanNDCG",
        "mean of NDCG@1, NDCG@2, … over the positions",
        compute="rankwise_mean_ndcg",
        fields=DISCOUNTED,
        aliases=("mean ndcg", "mndcg", "ndcg mean"),
        citation=LETOR,
    ),
)
