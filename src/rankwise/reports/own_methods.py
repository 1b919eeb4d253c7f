"""The reader's own methods among published ones: what figures show in a colour of their own."""

from __future__ import annotations

from rankwise.results.result_table import ResultTable

RUN_HERE = "rankwise"


def find_own_methods(table: ResultTable) -> frozenset[str]:
    """The methods that were run here, or of which no result names a study.

    Empty where all are, or none: then there is nothing to tell apart.
    """
    run_here: set[str] = set()
    published: set[str] = set()
    for method, source in zip(table.method.tolist(), table.source.tolist(), strict=True):
        if source is not None:
            (run_here if source.startswith(RUN_HERE) else published).add(method)
    methods = set(table.methods())
    own = run_here | (methods - published)
    return frozenset(own) if own < methods else frozenset()
