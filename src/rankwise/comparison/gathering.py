"""Results from files, stores, frames and the literature, put together for one comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.comparison.choosing import choose_results
from rankwise.errors import RankwiseError
from rankwise.files import did_you_mean, is_there
from rankwise.measures.names import result_name
from rankwise.results.benchmark_runs import DENSE, SOURCE, DenseTable, is_dense, read_dense
from rankwise.results.comparability import keep_alike, keep_comparable
from rankwise.results.dataset_names import match_datasets
from rankwise.results.published.published_tables import SHIPPED, read_shipped
from rankwise.results.result_reading import read_results
from rankwise.results.result_table import (
    Conflicts,
    ResultTable,
    keep_one_per_cell,
    merge_results,
    separate_versions,
)

DEFAULT_TABLE = "tax2015_results"
"""What is compared where nothing is named: the 87 methods of Tax, Bockting and Hiemstra (2015)."""

Results = str | Path | ResultTable | Any
"""A file of results, a store, the name of a shipped table, a `ResultTable` or a data frame.

A `DenseTable` or a folder with its files will do as well.
"""


def gather_results(
    *sources: Results,
    measures: Sequence[str] = (),
    conflicts: Conflicts = "error",
    credible: bool = False,
    collections: Sequence[str] = (),
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
) -> ResultTable:
    """One table of all results in `sources`, as a comparison needs them; `DEFAULT_TABLE` for none.

    Runs of a store that are not complete are left out: its methods are compared on the same folds,
    and on all folds of the store where it is compared with other tables, whose values are means
    over all folds. Where `measures` are named, only their values must be complete. Data sets that
    the table has in several versions become one data set for each. Values that disagree are
    resolved by the rule `conflicts` (see `merge_results`). `choose_results` says which rows are
    taken where collections, data sets or methods are named, or `credible` ones asked for.
    Results that cannot be compared with the others of their data set and measure, by another tool
    or over fewer folds, are left out (`keep_alike`). `remarks` of the table say what was.
    """
    chosen = sources or (DEFAULT_TABLE,)
    tables = [load_results(one, measures, alone=len(chosen) == 1) for one in chosen]
    # A store compared alone keeps its names, by which its values per query are found.
    if len(tables) > 1 or not any(tables[0].seeds):
        tables = [
            match_datasets(table, [*tables[:number], *tables[number + 1 :]])
            for number, table in enumerate(tables)
        ]
    merged = choose_results(
        merge_results(tables, conflicts, _names(chosen)),
        collections=collections,
        datasets=datasets,
        methods=methods,
        credible=credible,
    )
    merged = keep_alike(separate_versions(merged))
    if conflicts != "error":
        merged = keep_one_per_cell(merged.aggregate_folds(), conflicts)
    return tell_own_runs(merged)


def load_results(
    source: Results, measures: Sequence[str] = (), *, alone: bool = True
) -> ResultTable:
    """The results of one source, without runs of a store that are not complete.

    `alone` says that they are compared among themselves only; see `gather_results`.
    """
    table = source if isinstance(source, ResultTable) else _read(source)
    if measures:
        wanted = {result_name(measure) for measure in measures}
        rows = zip(table.measure, table.seeds, strict=True)
        kept = [seeds is None or measure in wanted for measure, seeds in rows]
        table = table.take(np.array(kept, dtype=bool))
    return keep_comparable(table, "most" if alone else "all folds")


def find_dense(source: Results) -> DenseTable | None:
    """The dense table that a source is or names, if it is one."""
    if isinstance(source, DenseTable):
        return source
    if not isinstance(source, str | Path):
        return None
    if str(source) == DENSE and not is_there(source):
        return read_dense()
    return read_dense(source) if is_dense(source) else None


def tell_own_runs(table: ResultTable) -> ResultTable:
    """The table, with a remark where own runs of one protocol stand beside other results."""
    own = int((table.source == SOURCE).sum())
    if own in (0, len(table)):
        return table
    said = (
        f"{own:,} results are own runs of one protocol ({DENSE}); the other {len(table) - own:,} "
        "were made by other protocols, or by an unknown one"
    )
    return replace(table, remarks=(*table.remarks, said))


def _read(source: Any) -> ResultTable:
    dense = find_dense(source)
    if dense is not None:
        return dense.comparable()
    is_shipped = isinstance(source, str) and source in {table.name for table in SHIPPED}
    if is_shipped and not is_there(source):
        return read_shipped(source)
    if isinstance(source, str) and not is_there(source):
        shipped = [table.name for table in SHIPPED]
        raise RankwiseError(
            f"there is no table {source!r}{did_you_mean(source, shipped)}; it must be a file, "
            f"the store of an experiment, or one of those shipped: {', '.join(shipped)}"
        )
    return read_results(source)


def _names(sources: Sequence[Results]) -> list[str]:
    """What to call each source in messages."""
    return [
        str(source) if isinstance(source, str | Path) else f"table {number}"
        for number, source in enumerate(sources, start=1)
    ]
