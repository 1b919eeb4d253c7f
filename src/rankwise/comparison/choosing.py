"""Which results of a table are compared: by collection, data set and method, and how credible."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.results.published.flags import leave_out_marked
from rankwise.results.result_table import ResultTable
from rankwise.tabular import shortened


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
    kept &= _named("collection", collections, table.collection.tolist())
    kept &= _named("data set", datasets, table.dataset_names.tolist(), table.dataset.tolist())
    kept &= _named("method", methods, table.method.tolist())
    chosen = table if kept.all() else table.take(kept)
    return leave_out_marked(chosen) if credible else chosen


def _named(
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
            hint = f"; did you mean {shown[near[0]]}?" if near else _listed([*shown.values()])
            raise RankwiseError(f"the table has no {what} called {shortened(name, 80)}{hint}")
    return np.array([not row.isdisjoint(folded) for row in rows], dtype=bool)


def _listed(names: Sequence[str]) -> str:
    first = [shortened(name, 40) for name in names[:8]]
    return f"; it has {', '.join(first)}" if first else "; it is empty"
