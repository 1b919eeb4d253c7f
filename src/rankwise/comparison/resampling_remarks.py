"""Where intervals of NWN and chances of the front rest on too little, in words.

The limits come from benchmarks/interval_coverage.py, whose table is in docs/comparison.md: where no
warning stands, intervals that claim 95 % cover the true number in at least 90 % of cases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.comparison.ranking import Comparison
from rankwise.comparison.spread import LEAST_DATASETS, LEAST_FREEDOM, Spread

FEWEST = {"spread": LEAST_DATASETS, "percentile": 20}
"""For each interval of NWN, on how many data sets a method must have results."""

ONE_DATASET = "one data set"
FEW_DATASETS = "few data sets"
FEW_RESULTS = "few results"
NO_SCATTER = "no scatter"


def warn_of_method(datasets: int, interval: str, spread: Spread | None) -> str | None:
    """Why the interval of a method with results on so many data sets should not be trusted."""
    if datasets < 2:
        return ONE_DATASET
    if interval == "spread" and (spread is None or not spread.pooled):
        return NO_SCATTER
    if interval == "spread" and spread is not None and spread.freedom < LEAST_FREEDOM:
        return FEW_RESULTS
    return FEW_DATASETS if datasets < FEWEST[interval] else None


def describe_resampling(
    comparison: Comparison, warnings: Sequence[str | None], interval: str, confidence: float
) -> tuple[str, ...]:
    """Sentences about the data sets drawn, and one for each warning with the number of methods."""
    named = np.unique(comparison.cells.dataset)
    drawn = len(np.unique(comparison.unversioned[named]))
    said = []
    if drawn < len(named):
        said.append(
            f"the {len(named)} data sets are versions of {drawn}: versions of one data set are "
            "drawn together, for they are not independent"
        )
    if drawn == 1:
        return (
            *said,
            "there is one data set, and nothing to draw anew: there are no intervals of NWN and no "
            "shares of draws on the front",
        )
    said.append(FRONT_SHARE)
    for warning, sentence in _SENTENCES.items():
        count = sum(one == warning for one in warnings)
        if count:
            methods = "1 method" if count == 1 else f"{count} methods"
            least = FEWEST[interval]
            said.append(
                sentence.format(methods=methods, percent=f"{100 * confidence:g} %", least=least)
            )
    return tuple(said)


FRONT_SHARE = (
    "the share of draws on the front is no probability of being on the front of other data sets: "
    "see docs/comparison.md"
)
PLACED = (
    "intervals hold for methods that are read because of their places: the first and the last have "
    "wider ones than a method chosen beforehand"
)

_SENTENCES = {
    ONE_DATASET: "{methods} with results on one data set: no interval, which is ignorance and not "
    "certainty",
    NO_SCATTER: "every method wins the same share on all of its data sets, which does not tell how "
    "shares would vary: no intervals",
    FEW_DATASETS: "{methods} with results on fewer than {least} data sets: the {percent} intervals "
    "may cover less than 90 %",
    FEW_RESULTS: "there are too few methods and data sets to tell how numbers vary: the {percent} "
    "intervals of {methods} may cover less than 90 %",
}
