"""The files of a dense table beside its means: runs, data sets, values of queries.

Rows are sorted and numbers printed in one way, so that the same store gives the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.files import readable, write_text, written_whole
from rankwise.literature.dense_table import DenseData, DenseQueries, DenseRun
from rankwise.results.canonical_json import dump_canonical
from rankwise.results.store_records import Subject

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
    write_text(path, _format((*RUN_FACTS, *measures), (_list_run(run, measures) for run in runs)))


def write_data(data: Sequence[DenseData], path: Path) -> None:
    """Write what the data sets are like."""
    rows = ([_print(getattr(one, name)) for name in DATA_FACTS] for one in data)
    write_text(path, _format(DATA_FACTS, rows))


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
        **{name: _print(getattr(run, name)) for name in RUN_FACTS},
        "seconds": f"{run.seconds:.2f}",
        "peak_megabytes": f"{run.peak_megabytes:.1f}",
        "parameters": dump_canonical(dict(run.parameters)),
        "failure": " ".join(run.failure.split()),
    }
    return [*cells.values(), *(_print(run.values.get(name)) for name in measures)]


def _print(cell: object) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


def _format(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
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
