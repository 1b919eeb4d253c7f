"""All checks of a table of published results."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.literature.official import find_official_values
from rankwise.literature.reasons import (
    PAPER_MEASURES,
    find_differing_officials,
    find_higher_baselines,
    find_inexact_values,
    find_missing_baselines,
    find_named_reasons,
    find_other_measures,
    find_other_protocols,
)
from rankwise.literature.slips import find_identical_rows, find_outliers, find_repeated_values
from rankwise.literature.suspicion import Suspicion
from rankwise.results.table import ResultTable


def find_suspicions(
    table: ResultTable, measures: Sequence[str] = PAPER_MEASURES
) -> list[Suspicion]:
    """Find what makes results in `table` doubtful: reasons to leave a study out, and likely errors.

    First come the seven reasons of Tax et al. (2015, section 2.1) for leaving a study out, as far
    as a table can show them; `measures` are those to be compared (reason 5). Then come values that
    look like errors in copying. Each suspicion is a reason to check the source, not a proof.
    """
    official = find_official_values(table)
    return [
        *find_other_protocols(table, official),
        *find_named_reasons(table),
        *find_inexact_values(table),
        *find_other_measures(table, measures),
        *find_higher_baselines(table, official),
        *find_missing_baselines(table, official),
        *find_differing_officials(table, official),
        *find_repeated_values(table),
        *find_identical_rows(table),
        *find_outliers(table, official),
    ]
