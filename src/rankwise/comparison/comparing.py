"""Comparison of methods, from results of any kind to the ranking: what `rankwise compare` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.comparison.cells import IdealRule
from rankwise.comparison.estimated_ranking import rank_by
from rankwise.comparison.estimators.registry import DEFAULT_ESTIMATOR
from rankwise.comparison.gathering import Results, gather_results
from rankwise.comparison.pareto import Dominance
from rankwise.comparison.ranking import Comparison, compare_table
from rankwise.comparison.weights import Weights
from rankwise.errors import RankwiseError
from rankwise.measures.listing import measure_list
from rankwise.measures.names import result_name
from rankwise.results.result_table import Conflicts
from rankwise.results.store.database_file import is_store


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
    says what counts equally in the number (see `rankwise.comparison.weights`).

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
