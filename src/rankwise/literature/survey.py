"""The results of the survey among those of a table.

Tax, Bockting and Hiemstra (2015) compared values as they stand, whatever their print: .4219 beats
.421 there. Their figures are to follow from theirs, so that pairs of their results stay so.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rankwise.literature.shipped import read_shipped
from rankwise.results.table import ResultTable

SURVEY = "tax2015_results"
_FACT = ("collection", "method", "measure", "value", "source")


def find_survey_rows(table: ResultTable) -> NDArray[np.bool_]:
    """Which rows of `table` are results of the survey."""
    known = _survey_facts()
    return np.fromiter((fact in known for fact in _facts(table)), bool, len(table))


@cache
def _survey_facts() -> frozenset[tuple[object, ...]]:
    return frozenset(_facts(read_shipped(SURVEY)))


def _facts(table: ResultTable) -> list[tuple[object, ...]]:
    return list(zip(*(getattr(table, name).tolist() for name in _FACT), strict=True))
