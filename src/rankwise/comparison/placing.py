"""The place of new methods among others, from results of any kind: what `rankwise place` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from rankwise.comparison.cells import IdealRule
from rankwise.comparison.choosing import choose_results
from rankwise.comparison.gathering import DEFAULT_TABLE, Results, load_results
from rankwise.comparison.pareto import Dominance
from rankwise.comparison.place import Placements, place_in_table
from rankwise.errors import RankwiseError
from rankwise.measures.names import result_name
from rankwise.results.merging import merge_results
from rankwise.results.table import ResultTable
from rankwise.results.versions import separate_versions_of
from rankwise.tabular import shortened


def place_method(
    own: Results,
    *tables: Results,
    methods: Sequence[str] = (),
    measures: Sequence[str] = (),
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    resamples: int = 1000,
    seed: int = 0,
    credible: bool = False,
) -> Placements:
    """Add the methods in `own` to the results in `tables`, compare all, and say where they land.

    `own` and `tables` are files, stores, names of shipped tables, `ResultTable`s or data frames, as
    in `compare_results`; without tables the 87 methods of Tax, Bockting and Hiemstra (2015) are
    taken, and with `credible` only their results without a mark (see `rankwise.literature`). Of
    `own` the named `methods` are placed, or all. A method must have another name than those of the
    tables. Placed are methods in the named `measures`, or in all; how often a method is on the
    front comes from `resamples` draws of the data sets with `seed` (see `resample_datasets`).
    """
    mine = _choose(load_results(own, measures, alone=False), methods, own)
    given = tables or (DEFAULT_TABLE,)
    names = [str(one) if isinstance(one, str) else f"table {n}" for n, one in enumerate(given, 1)]
    others = merge_results([load_results(one, measures, alone=False) for one in given], names=names)
    others = choose_results(others, credible=credible)
    mine, others = separate_versions_of(mine, others)
    chosen = [result_name(measure) for measure in measures] or None
    found = place_in_table(mine, others, chosen, ideal, dominance, resamples, seed)
    said = dict.fromkeys((*mine.remarks, *others.remarks, *_describe_strangers(mine, others)))
    remarks = tuple(said)
    return replace(found, comparison=replace(found.comparison, remarks=remarks))


def _choose(own: ResultTable, methods: Sequence[str], source: Results) -> ResultTable:
    absent = [name for name in methods if name not in own.methods()]
    if absent:
        named = source if isinstance(source, str) else "the table"
        known = ", ".join(shortened(name, 40) for name in own.methods()[:10]) or "none"
        raise RankwiseError(
            f"{named} has no method called {shortened(absent[0], 40)}; the methods in it: {known}"
        )
    return own.where(method=methods) if methods else own


def _describe_strangers(own: ResultTable, table: ResultTable) -> list[str]:
    """Sentences about data sets of the user that the table may have under another name."""
    known = table.datasets()
    unknown = [name for name in own.datasets() if name not in known]
    near = {name: get_close_matches(name, known, n=1, cutoff=0.5) for name in unknown}
    return [
        f"the table has no data set {shortened(name, 40)}; is it {shortened(found[0], 40)}?"
        for name, found in near.items()
        if found
    ]
