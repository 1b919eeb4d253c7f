"""Measures of the retrieved set as a whole, and counts: the order plays no part.

    SetP              = (relevant retrieved) / (retrieved)
    SetRecall         = (relevant retrieved) / R
    SetAP             = SetP SetRecall
    SetF              = 2 SetP SetRecall / (SetP + SetRecall)
    Retrieved         = n
    Relevant          = R
    RelevantRetrieved = relevant documents among the n retrieved ones
    Queries           = 1

trec_eval prints them as set_P, set_recall, set_map, set_F, num_ret, num_rel, num_rel_ret and num_q.
The counts are summed over the queries rather than averaged. On files that judge every retrieved
document and retrieve every judged one SetRecall is 1.
"""

from __future__ import annotations

from rankwise.measures.families.family import COUNTED, TREC_BOOK, UNBOUNDED, UNORDERED, Family

SET_MEASURES = (
    Family(
        "SetP",
        "precision of the whole retrieved set",
        compute="rankwise_set_precision",
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_p",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetRecall",
        "recall of the whole retrieved set",
        compute="rankwise_set_recall",
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_recall",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetAP",
        "set precision times set recall",
        compute="rankwise_set_average_precision",
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_map",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetF",
        "harmonic mean of set precision and set recall",
        compute="rankwise_set_f",
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_f",),
        citation=TREC_BOOK,
    ),
)


COUNTS = (
    Family(
        "Retrieved",
        "number of retrieved documents",
        compute="rankwise_retrieved",
        cutoff="none",
        fields=COUNTED,
        aliases=("num_ret",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "Relevant",
        "number of relevant documents",
        compute="rankwise_relevant",
        cutoff="none",
        fields=COUNTED,
        aliases=("num_rel",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "RelevantRetrieved",
        "number of relevant retrieved documents",
        compute="rankwise_relevant_retrieved",
        cutoff="none",
        fields=COUNTED,
        aliases=("num_rel_ret",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "Queries",
        "number of queries",
        compute="rankwise_queries",
        cutoff="none",
        fields=COUNTED,
        aliases=("num_q",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
)
