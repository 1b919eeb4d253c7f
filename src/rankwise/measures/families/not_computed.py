"""Measures that publications report and that nothing here computes: they only enter tables.

    PFound = sum over ranks i of the chance that the user comes to rank i and is satisfied there
    AUC    = the share of pairs of a relevant and another document that are in the right order
    ARP    = the mean rank of the relevant documents, so that lower is better

Publications seldom say all that a figure needs (the chances of PFound, whether AUC is pooled over
the queries or averaged, how ARP weighs grades), so that one computed here could not be compared
with what they print.

Gulin, Karpovich, Raskovalov and Segalovich, ROMIP 2009 (PFound); Fawcett, Pattern Recognition
Letters 27(8), 2006 (AUC); Pasumarthi et al., KDD 2019 (ARP).
"""

from __future__ import annotations

from rankwise.measures.families.family import UNBOUNDED, Family

FAMILIES = (
    Family(
        "PFound",
        "chance that a user finds what is wanted",
        citation="Gulin, Karpovich, Raskovalov and Segalovich, ROMIP 2009",
    ),
    Family(
        "AUC",
        "area under the ROC curve",
        cutoff="none",
        citation="Fawcett, Pattern Recognition Letters 27(8), 2006",
    ),
    Family(
        "ARP",
        "average relevance position",
        cutoff="none",
        range=UNBOUNDED,
        lower_is_better=True,
        citation="Pasumarthi et al., TF-Ranking, KDD 2019",
    ),
)
