"""A measure along single coordinates, exactly: the best of all intervals between crossings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.plan import make_plan
from rankwise.measures.tools.registry import find_tool
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.rankers.losses.discounted_gains import DiscountedGains, seen_labels
from rankwise.rankers.round_measures import DEFINITION

Floats = NDArray[np.float64]

_find_crossings = function(
    "rankwise_find_crossings", DOUBLES, DOUBLES, DOUBLES, INT64S, INT64, DOUBLE,
    INT64, DOUBLES_OUT, INT64S_OUT, INT64S_OUT, INT64S_OUT, INT64S_OUT, returns=INT64,
)  # fmt: skip
_follow_crossings = function(
    "rankwise_follow_crossings", INT64S, INT64, DOUBLES, INT64S, INT64S, DOUBLES, DOUBLES, INT64,
    INT64S_OUT, INT64S_OUT, DOUBLE, DOUBLES_OUT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LineMeasure:
    """MAP or NDCG of s + t x as a sum over documents, followed along t.

    Attributes:
        gains: what a document adds, times the discount of its rank, or times the precision there.
        discounts: by rank from 0; none for average precision.
        query_offsets: as in the data set.
    """

    gains: Floats
    discounts: Floats
    query_offsets: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset, measure: str, tool: str) -> LineMeasure:
        """MAP or NDCG, with or without a cut-off, as the tool has it; others are refused."""
        wanted = find_tool(tool).measure(measure)
        if wanted.family == "NDCG":
            parts = DiscountedGains.of(dataset, wanted)
            return cls(parts.gains, parts.discounts, dataset.query_offsets)
        if wanted.family == "AP" and wanted.cutoff is None:
            return cls(_shares(dataset, wanted), np.zeros(0), dataset.query_offsets)
        raise RankwiseError(
            f"directrank must be given MAP or NDCG, with or without a cut-off of NDCG, as its "
            f"measure, found {measure}: along a line it follows sums over documents"
        )

    def best_step(self, scores: Floats, column: Floats, reach: float) -> tuple[float, float]:
        """The t in [−reach, reach] at which s + t x is best, and by how much it is better.

        The middle of an interval in which no two documents change places.
        """
        queries = len(self.query_offsets) - 1
        ranks, better = np.empty((2, len(scores)), dtype=np.int64)

        def find(count: int) -> tuple[int, Floats, NDArray[np.int64], NDArray[np.int64]]:
            times, (above, below) = np.empty(count), np.empty((2, count), dtype=np.int64)
            found = _find_crossings(
                scores, column, self.gains, self.query_offsets, queries, reach,
                count, times, above, below, ranks, better,
            )  # fmt: skip
            return found, times, above, below

        # Counted first: a list that grows, or room for all pairs, would be larger than the data.
        count, times, above, below = find(find(0)[0])
        order = np.argsort(times, kind="stable")
        best = np.empty(2)
        _follow_crossings(
            order, count, times, above, below, self.gains, self.discounts, len(self.discounts),
            ranks, better, reach, best,
        )  # fmt: skip
        return float(best[0]), float(best[1]) / queries


def followed_tool(measure: str, tool: str) -> str:
    """The tool, or the definition where the tool cuts a MAP off for which no cut-off was asked.

    XGBoost's MAP looks at 32 documents, and what is cut off is no sum that a line can follow.
    """
    wanted = find_tool(tool).measure(measure)
    cut = wanted.family == "AP" and wanted.cutoff is not None
    asked = find_tool(DEFINITION).measure(measure).cutoff if cut else None
    return DEFINITION if cut and asked is None else tool


def _shares(dataset: Dataset, measure: Measure) -> Floats:
    """1 / R of the query for relevant documents, 0 for others."""
    record = make_plan([measure], 1).records[0]
    labels = seen_labels(dataset, measure)
    threshold = record["threshold"]
    relevant = labels > threshold if record["strict"] else labels >= threshold
    counts = np.add.reduceat(relevant, dataset.query_offsets[:-1], dtype=np.int64)
    shares: Floats = relevant / np.repeat(np.maximum(counts, 1), dataset.query_lengths)
    return shares
