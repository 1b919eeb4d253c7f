"""What the dense table holds: results, runs, what the data sets are like, values of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.results.store_records import Subject
from rankwise.results.table import ResultTable, full_name
from rankwise.tabular import Rows, Tabular

DENSE = "rankwise_dense"
SOURCE = "rankwise-dense"
"""The source of its results, by which they are told from published ones."""
QUERY_TOOL = "definition"
"""The tool of values in runs and of queries: measures as they are defined."""
QUERY_MEASURES = ("MAP", "NDCG@10")
"""The measures that have values query by query."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class DenseRun:
    """A method trained on one fold with one seed: what it cost, what was chosen, how it did.

    Attributes:
        collection, dataset, version: what it was run on.
        method: its name in the comparison of Tax et al. (2015) where it has one, else `ranker`.
        ranker: its name in the registry.
        seed, fold: which run it is.
        trainings: combinations of parameters that were tried.
        seconds: processor seconds for all of them.
        peak_megabytes: the most memory that the process had.
        parameters: the chosen ones.
        failure: empty, or its kind and reason, such as "time: more than 600 s".
        values: on test by measure, as measures are defined; none of a failure.
    """

    collection: str
    dataset: str
    version: str | None
    method: str
    ranker: str
    seed: int
    fold: int
    trainings: int
    seconds: float
    peak_megabytes: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def subject(self) -> Subject:
        """What it was run on."""
        return Subject(self.collection, self.dataset, self.version)


@dataclass(frozen=True)
class DenseData:
    """What a data set is like; None where the data were not at hand when the table was made.

    `relevant_share` is that of documents with a label above 0, `folds` how many were run.
    """

    collection: str
    dataset: str
    version: str | None
    queries: int | None
    documents: int | None
    features: int | None
    highest_label: int | None
    relevant_share: float | None
    folds: int

    @property
    def subject(self) -> Subject:
        """The data set."""
        return Subject(self.collection, self.dataset, self.version)

    @property
    def name(self) -> str:
        """The full name of the data set, as in tables of results."""
        return full_name(self.collection, self.dataset)


@dataclass(frozen=True, eq=False)
class DenseQueries:
    """The values of methods on the test queries of one data set, means over seeds.

    `values` has by measure an array (methods, queries), NaN where a query has no value; a query
    is known by its fold and id. Only methods with all folds and seeds are here.
    """

    subject: Subject
    methods: tuple[str, ...]
    folds: NDArray[np.int64]
    queries: tuple[str, ...]
    values: Mapping[str, Values]
    tool: str = QUERY_TOOL


@dataclass(frozen=True, eq=False)
class DenseTable(Tabular):
    """All results of one protocol: means, single runs, what the data are like, values of queries.

    Attributes:
        results: one row per data set, version, method, measure and tool: the mean over all folds
            and seeds. A method that lacks one of these has none; see `incomplete`.
        runs: one entry per data set, method, seed and fold, failures too.
        data: one entry per data set.
        queries: values query by query of the data sets that have them.
    """

    results: ResultTable
    runs: tuple[DenseRun, ...]
    data: tuple[DenseData, ...]
    queries: tuple[DenseQueries, ...] = ()

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[DenseRun]:
        return iter(self.runs)

    def __repr__(self) -> str:
        failed = sum(bool(run.failure) for run in self.runs)
        return (
            f"DenseTable({len(self.methods())} methods, {len(self.data)} data sets, "
            f"{len(self.runs)} runs, {failed} of them failed)"
        )

    def methods(self) -> list[str]:
        """All methods in order of first appearance, those that failed everywhere too."""
        return list(dict.fromkeys(run.method for run in self.runs))

    def subjects(self) -> list[Subject]:
        """The data sets."""
        return [one.subject for one in self.data]

    def of(self, subject: Subject, method: str | None = None) -> list[DenseRun]:
        """The runs on a data set, of one method or of all."""
        return [
            run
            for run in self.runs
            if run.subject == subject and (method is None or run.method == method)
        ]

    def find_queries(self, subject: Subject) -> DenseQueries | None:
        """The values query by query on a data set, if the table has them."""
        return next((one for one in self.queries if one.subject == subject), None)

    def comparable(self) -> ResultTable:
        """One row per data set, method and measure, as a comparison needs them.

        By the data set's own tool, whose figures stand beside published ones, and by the
        definition where that tool does not compute the measure.
        """
        table = self.results
        names = ("dataset_names", "version", "method", "measure")
        cells = list(zip(*(getattr(table, name).tolist() for name in names), strict=True))
        own = {cell for cell, tool in zip(cells, table.tool, strict=True) if tool != QUERY_TOOL}
        kept = [
            tool != QUERY_TOOL or cell not in own
            for cell, tool in zip(cells, table.tool, strict=True)
        ]
        return table.take(np.array(kept, dtype=bool))

    def incomplete(self) -> dict[tuple[Subject, str], str]:
        """Data sets and methods without a mean, with what is lacking, in words."""
        lacking: dict[tuple[Subject, str], list[DenseRun]] = {}
        for run in self.runs:
            if run.failure:
                lacking.setdefault((run.subject, run.method), []).append(run)
        return {cell: _describe_lacking(runs) for cell, runs in lacking.items()}

    def _table(self) -> Rows:
        facts = ("collection", "dataset", "version", "method", "ranker", "seed", "fold",
                 "trainings", "seconds", "peak_megabytes", "failure")  # fmt: skip
        measures = list(dict.fromkeys(name for run in self.runs for name in run.values))
        return (*facts, *measures), (
            (*(getattr(run, name) for name in facts), *map(run.values.get, measures))
            for run in self.runs
        )


def _describe_lacking(runs: list[DenseRun]) -> str:
    by_reason: dict[str, list[str]] = {}
    for run in runs:
        by_reason.setdefault(run.failure, []).append(f"{run.fold}/{run.seed}")
    return "; ".join(
        f"fold/seed {', '.join(places)}: {reason}" for reason, places in by_reason.items()
    )
