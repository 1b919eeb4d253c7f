"""Pairwise accuracy and Kendall's tau-b: document pairs that stand in the right order.

    PairwiseAccuracy = C / (C + D)
    KendallTau       = (C - D) / sqrt(T n (n - 1) / 2)

over all pairs of retrieved documents with different labels: C pairs have the higher label on top,
D the lower, T = C + D, and n is the number of retrieved documents. Unjudged documents count as
label 0. A query without such a pair has no pairwise accuracy of its own: `empty`, which is `skip`
in the textbook. Open ties: each tied pair is right with chance 1/2. Counting takes n log n steps.

Of Kendall's tau-b between the labels and the ranking, the ranking itself has no ties: tied scores
are ordered by the tie rule, or each tied pair counts one half either way in the expectation.
scipy's tau-b of labels and scores, which corrects for tied scores as well, agrees where no scores
are tied.

Kendall, Biometrika 33(3), 1945.
"""

from __future__ import annotations

from rankwise.measures.families.family import PAIRED, Family

PAIRWISE_ACCURACY = (
    Family(
        "PairwiseAccuracy",
        "share of pairs in the right order",
        compute="rankwise_pairwise_accuracy",
        cutoff="none",
        fields=PAIRED,
        aliases=("pairwise accuracy", "pairaccuracy", "opa", "ordered pair accuracy"),
        citation="Herbrich, Graepel and Obermayer, 2000",
    ),
)


KENDALL_TAU = (
    Family(
        "KendallTau",
        "Kendall's tau-b between the labels and the ranking",
        compute="rankwise_kendall_tau",
        cutoff="none",
        fields=PAIRED,
        aliases=("kendall tau", "kendall's tau", "kendall", "tau"),
        range=(-1.0, 1.0),
        citation="Kendall, Biometrika 33(3), 1945",
    ),
)
