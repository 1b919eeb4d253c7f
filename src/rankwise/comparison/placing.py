"""The place of new methods among others, from results of any kind: what `rankwise place` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.comparison.cells import IdealRule
from rankwise.comparison.choosing import choose_results
from rankwise.comparison.gathering import DEFAULT_TABLE, Results, load_results, tell_own_runs
from rankwise.comparison.judging import find_queries, judge_methods
from rankwise.comparison.pareto import Dominance
from rankwise.comparison.placement import Placements, place_in_table
from rankwise.comparison.verdicts import Verdicts
from rankwise.errors import RankwiseError
from rankwise.measures.listing import measure_list
from rankwise.measures.names import result_name
from rankwise.results.benchmark_runs import DenseQueries
from rankwise.results.comparability import keep_alike
from rankwise.results.dataset_names import describe_strangers, match_datasets
from rankwise.results.result_table import ResultTable, merge_results, separate_versions_of
from rankwise.tabular import shortened


def place(
    own: Results,
    *tables: Results,
    methods: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    resamples: int = 1000,
    seed: int = 0,
    credible: bool = False,
    queries: Sequence[DenseQueries] = (),
    level: float = 0.05,
) -> Placements:
    """Add the methods in `own` to the results in `tables`, compare all, and say where they land.

    `own` and `tables` are files, stores, names of shipped tables, `ResultTable`s or data frames, as
    in `compare`; without tables the 87 methods of Tax, Bockting and Hiemstra (2015) are
    taken, and with `credible` only their results without a mark (see `rankwise.results`). Of
    `own` the named `methods` are placed, or all. A method must have another name than those of the
    tables. Placed are methods in the named `measures`, or in all; how often a method is on the
    front comes from `resamples` draws of the data sets with `seed` (see `resample_datasets`).

    Data sets may be called by any name that is clear (`mq2008`). What cannot be compared with the
    results of the tables, by another tool, over fewer folds or of another version, is left out;
    `remarks` say what was. A method of which nothing is left has no place.

    Among methods of one protocol, a dense table (`rankwise_dense`, a folder of `condense_store`) or
    a store, `verdicts` say which of them the method is better than, worse than or not separable
    from: by paired tests over queries where `own` is a store or `queries` are given (see
    `tabulate_queries`), else over data sets (`rankwise.comparison.verdicts`). All findings about a
    method are right together with probability 1 - `level`.
    """
    measures = [str(one) for one in measure_list(measures) or ()]
    methods = [methods] if isinstance(methods, str) else methods
    mine = _choose(load_results(own, measures, alone=False), methods, own)
    given = tables or (DEFAULT_TABLE,)
    names = [str(one) if isinstance(one, str) else f"table {n}" for n, one in enumerate(given, 1)]
    others = merge_results([load_results(one, measures, alone=False) for one in given], names=names)
    others = tell_own_runs(choose_results(others, credible=credible))
    mine, others = separate_versions_of(match_datasets(mine, [others]), others)
    names, strangers = mine.methods(), describe_strangers(mine, others)
    others = keep_alike(others)
    mine = keep_alike(mine, others)
    chosen = [result_name(measure) for measure in measures] or None
    found = place_in_table(mine, others, chosen, ideal, dominance, resamples, seed, names)
    said = found.comparison.remarks
    verdicts: tuple[Verdicts, ...] = ()
    told = (*mine.remarks, *others.remarks, *strangers, *said)
    if rivals := find_queries(*given):
        known = queries or find_queries(own)
        table = found.comparison.table
        verdicts, unjudged = judge_methods(names, known, rivals, table, measures, level)
        told = (*told, *unjudged)
    whole = replace(found.comparison, remarks=tuple(dict.fromkeys(told)))
    return replace(found, comparison=whole, verdicts=verdicts)


def _choose(own: ResultTable, methods: Sequence[str], source: Results) -> ResultTable:
    absent = [name for name in methods if name not in own.methods()]
    if absent:
        named = source if isinstance(source, str) else "the table"
        known = ", ".join(shortened(name, 40) for name in own.methods()[:10]) or "none"
        raise RankwiseError(
            f"{named} has no method called {shortened(absent[0], 40)}; the methods in it: {known}"
        )
    return own.where(method=methods) if methods else own
