"""Precision, recall and what else counts the relevant documents among the first k.

    P@k        = (relevant documents among the first k) / k
    Recall@k   = (relevant documents among the first k) / R
    F1@k       = 2 P@k Recall@k / (P@k + Recall@k) = 2 hits / (divisor of P + R)
    RPrecision = (relevant documents among the first R) / R
    Success@k  = [Hits@k > 0]
    Hits@k     = sum over ranks i <= min(k, n) of [l_i is relevant]

R is the number of relevant documents of the query, retrieved or not. All but Success are linear in
what stands at a rank: a tie group of m documents with r relevant ones is expected to bring r / m at
each of its ranks.

With `denominator=retrieved` a list shorter than k is divided by its own length min(k, n), as
RankLib, XGBoost and CatBoost do. Without a cut-off k is the length of the list. R-precision, the
precision at rank R, divides a list shorter than R by R all the same.

The second form of F1, the harmonic mean of precision and recall at k, shows that at a fixed k it is
linear in the hits, so its expectation under open ties is exact. 0 where nothing relevant is found.

Success (hit rate) is whether the first k documents hold a relevant one. Open ties: where no group
before the cut-off is relevant and the group at the cut-off has m documents, r of them relevant, and
j ranks within it, the chance is 1 - C(m - r, j) / C(m, j). Hits is not a hit rate: it is the number
of relevant documents among the first k, which ranx prints as `hits@k`.

Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

from __future__ import annotations

from rankwise.measures.families.family import RELEVANT, RELEVANT_WHOLE, TREC_BOOK, UNBOUNDED, Family

PRECISION = (
    Family(
        "P",
        "precision",
        compute="rankwise_precision",
        fields={**RELEVANT, "denominator": "cutoff"},
        denominators=("cutoff", "retrieved"),
        aliases=("precision", "prec", "pre"),
        citation=TREC_BOOK,
    ),
)


RECALL = (
    Family(
        "Recall",
        "recall",
        compute="rankwise_recall",
        fields=RELEVANT,
        aliases=("r", "recall_cut"),
        citation=TREC_BOOK,
    ),
)


F1 = (
    Family(
        "F1",
        "harmonic mean of precision and recall",
        compute="rankwise_f1",
        fields={**RELEVANT, "denominator": "cutoff"},
        denominators=("cutoff", "retrieved"),
        aliases=("f", "f-measure"),
        citation="van Rijsbergen, Information Retrieval, 1979",
    ),
)


R_PRECISION = (
    Family(
        "RPrecision",
        "precision at the number of relevant documents",
        compute="rankwise_r_precision",
        cutoff="none",
        fields=RELEVANT_WHOLE,
        aliases=("rprec", "r-precision", "r precision"),
        citation=TREC_BOOK,
    ),
)


SUCCESS = (
    Family(
        "Success",
        "whether a relevant document is found",
        compute="rankwise_success",
        fields=RELEVANT,
        aliases=("hit", "hit_rate", "hitrate", "success_cut"),
        citation=TREC_BOOK,
    ),
)


HITS = (
    Family(
        "Hits",
        "number of relevant documents found",
        compute="rankwise_hits",
        fields=RELEVANT,
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
)
