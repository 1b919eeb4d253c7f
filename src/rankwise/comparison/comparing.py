"""Comparison of methods, from results of any kind to the ranking: what `rankwise compare` does.

Results come from files, stores, frames and the literature. They are put together for one
comparison and chosen by collection, data set and method, and by how credible they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import IdealRule
from rankwise.comparison.estimators import DEFAULT_ESTIMATOR, rank_by
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.winning_numbers import Dominance, Weights
from rankwise.errors import RankwiseError
from rankwise.files import did_you_mean, is_there
from rankwise.measures.measure import measure_list, result_name
from rankwise.results.benchmark_runs import DENSE, SOURCE, DenseTable, is_dense, read_dense
from rankwise.results.comparability import keep_alike, keep_comparable
from rankwise.results.dataset_names import match_datasets
from rankwise.results.published.flags import leave_out_marked
from rankwise.results.published.published_tables import SHIPPED, read_shipped
from rankwise.results.result_reading import read_results
from rankwise.results.result_table import (
    Conflicts,
    ResultTable,
    keep_one_per_cell,
    merge_results,
    separate_versions,
)
from rankwise.results.store.database_file import is_store
from rankwise.tables.notebook import shortened


def compare(
    *sources: Results,
    measures: str | Sequence[str] = (),
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    conflicts: Conflicts = "error",
    credible: bool = False,
    collections: Sequence[str] = (),
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    weights: Weights = "results",
    by: str = DEFAULT_ESTIMATOR,
) -> Comparison:
    """Rank the methods of `sources` by Normalized Winning Number, and find the Pareto fronts.

    A source is a file of results, the store of an experiment, the name of a shipped table, a
    `ResultTable` or a data frame; without any the 87 methods of Tax, Bockting and Hiemstra (2015)
    are compared. `gather_results` says how they become one table. The methods are compared in the
    named `measures`, or in all. `ideal` and `dominance` are explained by `WinningNumber` and
    `pareto_fronts`; the defaults follow the figures of Tax, Bockting and Hiemstra (2015).

    Where `collections`, `datasets` or `methods` are named, only their results are compared, and
    with `credible` only those that bear no mark (see `rankwise.results.published.flags`). `weights`
    says what counts equally in the number (see `rankwise.comparison.winning_numbers`).

    `by` names another estimator to rank the methods by (see `rank_by`); `estimated` of the
    comparison then has its ranking, with intervals, beside the winning numbers.

    Results of other tools or fewer folds than most have in their data set and measure are left out
    (`rankwise.results.comparability`). `remarks` of the comparison say what was.
    """
    measures = [str(one) for one in measure_list(measures) or ()]
    table = gather_results(
        *sources, measures=measures, conflicts=conflicts, credible=credible,
        collections=collections, datasets=datasets, methods=methods,
    )  # fmt: skip
    remarks = table.remarks
    chosen = [result_name(measure) for measure in measures] or None
    try:
        comparison = compare_table(table, chosen, ideal, dominance, weights)
    except RankwiseError as error:
        reasons = "".join(f"; {remark}" for remark in remarks)
        raise RankwiseError(f"{error}{reasons}") from error
    estimated = None if by == DEFAULT_ESTIMATOR else rank_by(comparison, by)
    return replace(
        comparison, remarks=(*remarks, *comparison.remarks), stores=_find_stores(sources),
        estimated=estimated,
    )  # fmt: skip


def _find_stores(sources: Sequence[Results]) -> tuple[Path, ...]:
    """The stores among the sources: only they know the values of single queries."""
    return tuple(Path(one) for one in sources if isinstance(one, str | Path) and is_store(one))


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
        merge_results(tables, conflicts, _name_sources(chosen)),
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
    table = source if isinstance(source, ResultTable) else _read_source(source)
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


def _read_source(source: Any) -> ResultTable:
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


def _name_sources(sources: Sequence[Results]) -> list[str]:
    """What to call each source in messages."""
    return [
        str(source) if isinstance(source, str | Path) else f"table {number}"
        for number, source in enumerate(sources, start=1)
    ]


def choose_results(
    table: ResultTable,
    *,
    collections: Sequence[str] = (),
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    credible: bool = False,
) -> ResultTable:
    """The results of the named collections, data sets and methods; all where none is named.

    A data set goes by its short or its full name; case does not matter. `credible` leaves out
    results that bear a mark (see `rankwise.results.published.flags`); remarks of the table say
    which.
    """
    kept = np.ones(len(table), dtype=bool)
    kept &= _find_named_rows("collection", collections, table.collection.tolist())
    kept &= _find_named_rows(
        "data set", datasets, table.dataset_names.tolist(), table.dataset.tolist()
    )
    kept &= _find_named_rows("method", methods, table.method.tolist())
    chosen = table if kept.all() else table.take(kept)
    return leave_out_marked(chosen) if credible else chosen


def _find_named_rows(
    what: str, wanted: Sequence[str], names: list[str], others: list[str] | None = None
) -> NDArray[np.bool_]:
    """Which rows have one of the wanted names, the first or the other; an unknown one is named."""
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if not wanted:
        return np.ones(len(names), dtype=bool)
    pairs = zip(names, others or names, strict=True)
    rows = [{name.casefold(), other.casefold()} for name, other in pairs]
    known = set().union(*rows)
    folded = [name.strip().casefold() for name in wanted]
    for name, sought in zip(wanted, folded, strict=True):
        if sought not in known:
            shown = {text.casefold(): text for text in dict.fromkeys([*(others or []), *names])}
            near = get_close_matches(sought[:80], shown, n=1)
            hint = (
                f"; did you mean {shown[near[0]]}?"
                if near
                else _list_known_names([*shown.values()])
            )
            raise RankwiseError(f"the table has no {what} called {shortened(name, 80)}{hint}")
    return np.array([not row.isdisjoint(folded) for row in rows], dtype=bool)


def _list_known_names(names: Sequence[str]) -> str:
    first = [shortened(name, 40) for name in names[:8]]
    return f"; it has {', '.join(first)}" if first else "; it is empty"
