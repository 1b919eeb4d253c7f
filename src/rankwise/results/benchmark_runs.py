"""The dense table: every method on every data set, run here under one protocol.

Published tables are sparse, and every study has its own protocol; this one has all cells, or the
reason why one is empty. It is made of the store of an experiment by
`rankwise.results.condense_store`, as four files in one folder:

    rankwise_dense.csv          means over folds and seeds, as in any table of results
    rankwise_dense_runs.csv     every run: fold, seed, time, memory, chosen parameters, failure
    rankwise_dense_data.csv     what the data sets are like
    rankwise_dense_queries.npz  values query by query, means over seeds

Rows are sorted and numbers printed in one way, so that the same store gives the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.files import is_file, make_folder, readable, write_text, written_whole
from rankwise.results.result_files import write_results
from rankwise.results.result_reading import read_results
from rankwise.results.result_table import ResultTable, full_name
from rankwise.results.store.schema import dump_canonical
from rankwise.results.task_records import Subject
from rankwise.tables.notebook import Rows, Tabular

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


def read_dense(folder: str | Path | None = None) -> DenseTable:
    """Read the dense table that is shipped, or the one in a folder that `condense_store` made."""
    return _read_shipped_dense() if folder is None else _read_folder(Path(folder))


def write_dense(table: DenseTable, folder: str | Path) -> None:
    """Write the files of a dense table; that of queries only where it has values of queries."""
    place = make_folder(folder)
    write_results(table.results, place / f"{DENSE}.csv")
    write_runs(table.runs, place / f"{DENSE}_runs.csv")
    write_data(table.data, place / f"{DENSE}_data.csv")
    write_queries(table.queries, place / f"{DENSE}_queries.npz")


def is_dense(path: str | Path) -> bool:
    """Whether a path is a folder with a dense table."""
    return is_file(Path(path) / f"{DENSE}.csv")


@cache
def _read_shipped_dense() -> DenseTable:
    with resources.as_file(resources.files("rankwise.results.published") / "figures") as folder:
        return _read_folder(folder)


def _read_folder(folder: Path) -> DenseTable:
    if not is_dense(folder):
        raise RankwiseError(
            f"a dense table is a folder with the file {DENSE}.csv, found none in {folder}; "
            "'rankwise results dense STORE -o FOLDER' makes one"
        )
    return DenseTable(
        results=read_results(folder / f"{DENSE}.csv"),
        runs=read_runs(folder / f"{DENSE}_runs.csv"),
        data=read_data(folder / f"{DENSE}_data.csv"),
        queries=read_queries(folder / f"{DENSE}_queries.npz"),
    )


SUBJECT = ("collection", "dataset", "version")
RUN_FACTS = (*SUBJECT, "method", "ranker", "seed", "fold", "trainings", "seconds",
             "peak_megabytes", "parameters", "failure")  # fmt: skip
DATA_FACTS = (*SUBJECT, "queries", "documents", "features", "highest_label", "relevant_share",
              "folds")  # fmt: skip

Row = dict[str, str]
Fact = TypeVar("Fact")


def write_runs(runs: Sequence[DenseRun], path: Path) -> None:
    """Write all runs; seconds to a hundredth, values so that they are read back exactly."""
    measures = list(dict.fromkeys(name for run in runs for name in run.values))
    write_text(
        path, _format_rows((*RUN_FACTS, *measures), (_list_run(run, measures) for run in runs))
    )


def write_data(data: Sequence[DenseData], path: Path) -> None:
    """Write what the data sets are like."""
    rows = ([_print_cell(getattr(one, name)) for name in DATA_FACTS] for one in data)
    write_text(path, _format_rows(DATA_FACTS, rows))


def write_queries(queries: Sequence[DenseQueries], path: Path) -> None:
    """Write the values of queries; where there are none, an older file of them goes."""
    if not queries:
        path.unlink(missing_ok=True)
        return
    subjects = [[*one.subject[:2], one.subject.version or ""] for one in queries]
    arrays: dict[str, Any] = {"datasets": np.array(subjects, dtype=np.str_)}
    for number, one in enumerate(queries):
        arrays[f"{number}.tool"] = np.array(one.tool)
        arrays[f"{number}.methods"] = np.array(one.methods, dtype=np.str_)
        arrays[f"{number}.folds"] = one.folds.astype(np.int16)
        arrays[f"{number}.queries"] = np.array(one.queries, dtype=np.str_)
        for measure, values in one.values.items():
            # Half the size, and finer than any difference that a test could tell.
            arrays[f"{number}.value {measure}"] = values.astype(np.float32)
    with written_whole(path) as stream:
        np.savez_compressed(stream, **arrays)


def read_runs(path: Path) -> tuple[DenseRun, ...]:
    """Every run of a file `rankwise_dense_runs.csv`."""
    return tuple(_read_rows(path, RUN_FACTS, _make_run))


def read_data(path: Path) -> tuple[DenseData, ...]:
    """Every data set of a file `rankwise_dense_data.csv`."""
    return tuple(_read_rows(path, DATA_FACTS, _make_data))


def read_queries(path: Path) -> tuple[DenseQueries, ...]:
    """The values of queries of a file `rankwise_dense_queries.npz`; none where it is not there."""
    if not path.is_file():
        return ()
    with readable(path) as stream:
        try:
            with np.load(stream, allow_pickle=False) as arrays:
                subjects = [
                    Subject(str(collection), str(dataset), str(version) or None)
                    for collection, dataset, version in arrays["datasets"]
                ]
                return tuple(
                    _make_queries(number, subject, arrays)
                    for number, subject in enumerate(subjects)
                )
        except (KeyError, ValueError, IndexError, TypeError, zipfile.BadZipFile) as error:
            raise RankwiseError(
                f"{path}: the values of queries must be a file that Rankwise wrote: {error}"
            ) from error


def _list_run(run: DenseRun, measures: Sequence[str]) -> list[str]:
    cells = {
        **{name: _print_cell(getattr(run, name)) for name in RUN_FACTS},
        "seconds": f"{run.seconds:.2f}",
        "peak_megabytes": f"{run.peak_megabytes:.1f}",
        "parameters": dump_canonical(dict(run.parameters)),
        "failure": " ".join(run.failure.split()),
    }
    return [*cells.values(), *(_print_cell(run.values.get(name)) for name in measures)]


def _print_cell(cell: object) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


def _format_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _make_queries(number: int, subject: Subject, arrays: Any) -> DenseQueries:
    own = f"{number}.value "
    return DenseQueries(
        subject=subject,
        methods=tuple(map(str, arrays[f"{number}.methods"])),
        folds=arrays[f"{number}.folds"].astype(np.int64),
        queries=tuple(map(str, arrays[f"{number}.queries"])),
        values={
            name.removeprefix(own): arrays[name].astype(np.float64)
            for name in arrays.files
            if name.startswith(own)
        },
        tool=str(arrays[f"{number}.tool"]),
    )


def _read_rows(path: Path, columns: Sequence[str], make: Callable[[Row], Fact]) -> list[Fact]:
    with readable(path) as stream:
        text = stream.read().decode("utf-8", "replace")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise RankwiseError(
            f"{path}: the file must have the columns {', '.join(columns)}; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        )
    found = []
    for number, row in enumerate(reader, start=2):
        try:
            found.append(make(row))
        except (ValueError, TypeError) as error:
            raise RankwiseError(f"{path}, line {number}: {error}") from None
    return found


def _make_run(row: Row) -> DenseRun:
    return DenseRun(
        collection=row["collection"],
        dataset=row["dataset"],
        version=row["version"] or None,
        method=row["method"],
        ranker=row["ranker"],
        seed=int(row["seed"]),
        fold=int(row["fold"]),
        trainings=int(row["trainings"]),
        seconds=float(row["seconds"]),
        peak_megabytes=float(row["peak_megabytes"]),
        parameters=json.loads(row["parameters"]),
        failure=row["failure"],
        values={name: float(cell) for name, cell in row.items() if cell and name not in RUN_FACTS},
    )


def _make_data(row: Row) -> DenseData:
    def count(name: str) -> int | None:
        return int(row[name]) if row[name] else None

    return DenseData(
        collection=row["collection"],
        dataset=row["dataset"],
        version=row["version"] or None,
        queries=count("queries"),
        documents=count("documents"),
        features=count("features"),
        highest_label=count("highest_label"),
        relevant_share=float(row["relevant_share"]) if row["relevant_share"] else None,
        folds=int(row["folds"]),
    )
