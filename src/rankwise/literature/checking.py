"""All checks of a table of published results in one list."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.literature.official import official_values
from rankwise.literature.reasons import (
    PAPER_MEASURES,
    baseline_higher,
    named_in_words,
    no_baseline,
    no_exact_figures,
    official_differs,
    other_measure,
    other_protocol,
)
from rankwise.literature.slips import far_off, rows_identical, value_twice
from rankwise.literature.suspicion import Suspicion
from rankwise.results.table import ResultTable


def check(table: ResultTable, measures: Sequence[str] = PAPER_MEASURES) -> list[Suspicion]:
    """What speaks against the results in `table`, and what looks like a slip.

    First the seven reasons of Tax et al. (2015, section 2.1) for leaving a study out, as far as a
    table can show them; `measures` are those that are compared (reason 5). Then the suspicious.
    A finding is a reason to look, not a verdict.
    """
    official = official_values(table)
    return [
        *other_protocol(table, official),
        *named_in_words(table),
        *no_exact_figures(table),
        *other_measure(table, measures),
        *baseline_higher(table, official),
        *no_baseline(table, official),
        *official_differs(table, official),
        *value_twice(table),
        *rows_identical(table),
        *far_off(table, official),
    ]
