"""Average precision, interpolated precision and Bpref: what relevant documents find above them.

    AP@k        = (1 / D) sum over relevant ranks i <= min(k, n) of (relevant among the first i) / i
    IPrec(x)    = max over ranks i with at least c relevant documents of (relevant up to i) / i
    ElevenPoint = mean of IPrec over the levels 0, .1, …, 1
    Bpref       = (1 / R) sum over relevant retrieved documents of 1 - min(a, R) / min(N, R)

Average precision, whose mean over queries is MAP: D is R, the number of relevant documents of the
query, or with `denominator=cutoff` min(R, k), as LightGBM, XGBoost and CatBoost divide; without a
cut-off both are R. Open ties: in a group of m documents with r relevant ones that follows s
documents with c relevant ones, rank s + j is relevant with chance r / m, and then
(j - 1)(r - 1) / (m - 1) relevant documents of the group are expected above it, so the group is
expected to bring sum_j (r / m) (c + 1 + (j - 1)(r - 1) / (m - 1)) / (s + j)  (McSherry and Najork,
ECIR 2008).

Interpolated precision at a level x of recall, and its mean over eleven levels: c = x R as a whole
number by the `level_rule`: trec_eval 10 takes the nearest one (halves up), trec_eval 9
int(x R + 0.9), so the two versions differ. 0 where fewer than c are retrieved. Precision is
highest at relevant ranks, so IPrec is the largest t / (rank of the t-th relevant document) with
t >= max(c, 1). Open ties: the chance that this stays at or below v is counted exactly for every
value v that it can take: a walk down the list keeps the chance of each number of relevant documents
so far, and drops the walks that pass v. That is O(n R) steps for each of up to n R values; lists
without mixed ties take one walk up the list.

Bpref, how often judged non-relevant documents stand above relevant ones: a is the number of judged
non-relevant documents above the document, N that of the query; the term is 1 where a = 0. Unjudged
documents do not count at all. This is trec_eval's form (since version 8), not that of the paper,
which divides by R alone. Open ties: a relevant document in a group with b judged non-relevant ones
has 0, 1, …, b of them above it with equal chance.

Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005; of Bpref,
SIGIR 2004.
"""

from __future__ import annotations

from rankwise.measures.families.family import RELEVANT, RELEVANT_WHOLE, TREC_BOOK, Family

AVERAGE_PRECISION = (
    Family(
        "AP",
        "average precision",
        compute="rankwise_average_precision",
        fields={**RELEVANT, "denominator": "relevant"},
        denominators=("relevant", "cutoff"),
        aliases=("map", "map_cut", "average precision", "mean average precision"),
        mean_name="MAP",
        citation=TREC_BOOK,
    ),
)


INTERPOLATED_PRECISION = (
    Family(
        "IPrec",
        "interpolated precision at a level of recall",
        compute="rankwise_interpolated_precision",
        cutoff="none",
        fields={**RELEVANT_WHOLE, "level": 0.0, "level_rule": "nearest"},
        aliases=("iprec_at_recall",),
        citation=TREC_BOOK,
    ),
    Family(
        "ElevenPoint",
        "mean of the interpolated precision at recall 0, .1, …, 1",
        compute="rankwise_eleven_point",
        cutoff="none",
        fields={**RELEVANT_WHOLE, "level_rule": "nearest"},
        aliases=("11pt_avg", "eleven_point"),
        citation=TREC_BOOK,
    ),
)


BPREF = (
    Family(
        "Bpref",
        "preference of relevant over judged non-relevant documents",
        compute="rankwise_bpref",
        cutoff="none",
        fields=RELEVANT_WHOLE,
        citation="Buckley and Voorhees, SIGIR 2004",
    ),
)
