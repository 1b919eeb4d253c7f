"""What counts equally in a winning number: every result, or every part of the benchmarks.

Tax, Bockting and Hiemstra (2015) count every rival on every data set alike, so that a data set on
which many methods were tried weighs more than one with few. The other rules give each part of the
table (a measure, a collection, a data set) its own Normalized Winning Number and take their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, sum_by_part
from rankwise.data.catalog.entries import catalog_entries
from rankwise.errors import Advice, RankwiseError
from rankwise.results.result_table import ResultTable

Weights = Literal["results", "measures", "collections", "datasets", "queries"]

WEIGHTS: dict[Weights, str] = {
    "results": "every rival in every data set and measure counts alike, as in the paper",
    "measures": "every measure counts alike",
    "collections": "every collection counts alike",
    "datasets": "every data set counts alike",
    "queries": "every data set counts by the number of its queries",
}
"""The rules, and what each of them says."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """Parts of a table with their weights.

    `part` is the number of the part that each data set, or each measure, belongs to, by its code
    in `Cells`; `weight` is that of each part. With W_ip and I_ip the wins and the ideal of method
    i in part p, and p running over the parts with I_ip > 0,

        NWN_i = Σ_p w_p (W_ip / I_ip) / Σ_p w_p.
    """

    by: Literal["dataset", "measure"]
    part: NDArray[np.int64]
    weight: NDArray[np.float64]

    def weigh(self, cells: Cells, ideal: IdealRule) -> NDArray[np.float64]:
        """The weighted NWN of each method; NaN where no part with a weight could be won."""
        codes = cells.dataset if self.by == "dataset" else cells.measure
        sums = sum_by_part(cells, self.part[codes], ideal)
        weight = np.where(sums.iwn > 0, self.weight[sums.part], 0.0)
        shares = weight * sums.wn / np.maximum(sums.iwn, 1)
        total = np.bincount(sums.method, weight, len(cells.methods))
        won = np.bincount(sums.method, shares, len(cells.methods))
        found: NDArray[np.float64] = np.full(len(total), np.nan)
        np.divide(won, total, out=found, where=total > 0)
        return found


def make_weighing(table: ResultTable, cells: Cells, weights: Weights) -> Weighing | None:
    """The parts of a table by a rule of `WEIGHTS`; None for `results`, which has no parts."""
    if weights not in WEIGHTS:
        raise RankwiseError(f"weights must be one of {', '.join(WEIGHTS)}; found {weights!r}")
    if weights == "results":
        return None
    if weights == "measures":
        return _equal("measure", np.arange(len(cells.measures)))
    if weights == "datasets":
        return _equal("dataset", np.arange(len(cells.datasets)))
    homes = dict(zip(table.dataset_names.tolist(), table.collection.tolist(), strict=True))
    if weights == "collections":
        names = list(dict.fromkeys(homes[name] for name in cells.datasets))
        return _equal("dataset", np.array([names.index(homes[name]) for name in cells.datasets]))
    counts = [count_queries(name) or 0 for name in cells.datasets]
    if not any(counts):
        raise RankwiseError(
            "weights by queries need a data set of the catalogue; none of the table's is in it",
            Advice("see 'rankwise data list'"),
            Advice("take {}", "weights", "datasets"),
        )
    return Weighing("dataset", np.arange(len(counts)), np.array(counts, dtype=np.float64))


def count_queries(dataset: str) -> int | None:
    """How many queries the data set of that full name has; None where that is not known."""
    entries = catalog_entries()
    known = {f"{entry.collection} {entry.title}".casefold(): entry.queries for entry in entries}
    return known.get(dataset.casefold())


def describe_uncounted(cells: Cells, weights: Weights) -> list[str]:
    """A sentence about data sets that do not count because their queries are not known."""
    if weights != "queries":
        return []
    present = [cells.datasets[code] for code in np.unique(cells.dataset)]
    unknown = [name for name in present if count_queries(name) is None]
    if not unknown:
        return []
    return [f"without a weight, for their numbers of queries are not known: {', '.join(unknown)}"]


def _equal(by: Literal["dataset", "measure"], part: NDArray[np.int64]) -> Weighing:
    return Weighing(by, part, np.ones(int(part.max(initial=0)) + 1))
