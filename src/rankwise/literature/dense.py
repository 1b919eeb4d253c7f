"""The dense table: every method on every data set, run here under one protocol.

Published tables are sparse, and every study has its own protocol; this one has all cells, or the
reason why one is empty. It is made of the store of an experiment by
`rankwise.experiments.condense_store`, as four files in one folder:

    rankwise_dense.csv          means over folds and seeds, as in any table of results
    rankwise_dense_runs.csv     every run: fold, seed, time, memory, chosen parameters, failure
    rankwise_dense_data.csv     what the data sets are like
    rankwise_dense_queries.npz  values query by query, means over seeds
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import is_file, make_folder
from rankwise.literature.dense_files import (
    read_data,
    read_queries,
    read_runs,
    write_data,
    write_queries,
    write_runs,
)
from rankwise.literature.dense_table import DENSE, DenseTable
from rankwise.results.reading import read_results
from rankwise.results.writing import write_results


def read_dense(folder: str | Path | None = None) -> DenseTable:
    """Read the dense table that is shipped, or the one in a folder that `condense_store` made."""
    return _read_shipped_dense() if folder is None else _read(Path(folder))


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
    with resources.as_file(resources.files("rankwise.literature") / "figures") as folder:
        return _read(folder)


def _read(folder: Path) -> DenseTable:
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
