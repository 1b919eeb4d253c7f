"""Reciprocal rank, expected reciprocal rank and rank-biased precision: a user goes down the list.

    RR@k  = 1 / (rank of the first relevant document), 0 if that rank is above k or there is none
    ERR@k = sum over ranks i <= min(k, n) of (1 / i) R_i prod_{j < i} (1 - R_j)
    RBP   = (1 - p) sum over ranks i of [l_i is relevant] p^(i - 1)

The mean of the reciprocal rank over queries is MRR. Open ties: in the first group that holds r >= 1
relevant ones of its m documents, the first relevant one is its j-th with chance
C(m - j, r - 1) / C(m, r); the chances follow from one another by p_1 = r / m and
p_{j+1} = p_j (m - j - r + 1) / (m - j).

Expected reciprocal rank, a user who stops when satisfied: R_i is the chance that the document at
rank i satisfies: (2^l - 1) / 2^highest with the exponential gain, l / highest with the linear one
(CatBoost: the label itself, highest = 1). Labels above `highest` make a chance above 1, and the
value leaves [0, 1]; tools that do so are followed. Open ties: let p_j be the expected product of
1 - R over j documents drawn from the tie group. The group is expected to stop the user at its j-th
place with chance (p_{j-1} - p_j), and the p_j of m documents follow from those of m - 1 by
p_j <- ((m - j) p_j + j (1 - R_m) p_{j-1}) / m.

Rank-biased precision, a user who goes on to the next document with chance p: p is the measure's
`persistence`. The part of the list that was not seen (the residual) counts as not relevant. Linear:
open ties spread the share of relevant documents of their group.

Chapelle, Metzler, Zhang and Grinspan, CIKM 2009 (ERR); Moffat and Zobel, ACM TOIS 27(1), 2008
(RBP).
"""

from __future__ import annotations

from rankwise.measures.families.family import AVERAGING, GRADED, ORDER, RELEVANT, TREC_BOOK, Family

RECIPROCAL_RANK = (
    Family(
        "RR",
        "reciprocal rank of the first relevant document",
        compute="rankwise_reciprocal_rank",
        fields=RELEVANT,
        aliases=("mrr", "recip_rank", "reciprocal rank", "mean reciprocal rank"),
        mean_name="MRR",
        citation=TREC_BOOK,
    ),
)


EXPECTED_RECIPROCAL_RANK = (
    Family(
        "ERR",
        "expected reciprocal rank",
        compute="rankwise_expected_reciprocal_rank",
        fields={**GRADED, "highest": 4, **ORDER, **AVERAGING},
        citation="Chapelle, Metzler, Zhang and Grinspan, CIKM 2009",
    ),
)


RANK_BIASED_PRECISION = (
    Family(
        "RBP",
        "rank-biased precision",
        compute="rankwise_rank_biased_precision",
        fields={**RELEVANT, "persistence": 0.8},
        citation="Moffat and Zobel, ACM TOIS 27(1), 2008",
    ),
)
