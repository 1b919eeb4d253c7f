"""Values of several prints in one cell: counting without visiting pairs gives what pairs give."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.comparison.cells import group_cells
from rankwise.comparison.strengths import count_pairs
from rankwise.results.comparability import Prints, count_lower_and_higher, find_higher
from rankwise.results.published.published_tables import find_survey_rows, read_shipped
from rankwise.results.result_table import ResultTable, stack_results

Printed = tuple[NDArray[np.float64], Prints]


@st.composite
def printed(draw: st.DrawFn) -> Printed:
    """Rising values, each rounded to its print; some are of the survey."""
    drawn = draw(
        st.lists(st.tuples(st.floats(0, 1), st.integers(2, 5), st.booleans()), max_size=12)
    )
    rounded = sorted((round(value, digits), digits, survey) for value, digits, survey in drawn)
    value = np.array([one[0] for one in rounded])
    unit = np.array([10.0 ** -one[1] for one in rounded])
    return value, Prints(unit, np.array([one[2] for one in rounded], dtype=bool))


@given(printed())
def test_counting_is_visiting_every_pair(made: Printed) -> None:
    value, prints = made
    lower, higher = count_lower_and_higher(value, prints)
    won = find_higher(value, prints)
    assert lower.tolist() == won.sum(axis=1).tolist()
    assert higher.tolist() == won.sum(axis=0).tolist()
    assert not (won & won.T).any()


def test_two_results_of_the_survey_are_compared_as_they_stand() -> None:
    value, unit = np.array([0.42, 0.4219]), np.array([1e-2, 1e-4])
    apart = find_higher(value, Prints(unit, np.array([True, False])))
    together = find_higher(value, Prints(unit, np.array([True, True])))
    assert not apart.any() and together[1, 0]


def test_the_survey_is_known_by_its_rows_wherever_they_stand() -> None:
    survey = read_shipped("tax2015_results")
    mine = ResultTable.from_rows([{**survey.rows()[0], "method": "mine"}])
    found = find_survey_rows(stack_results([survey, mine]))
    assert found.tolist() == [*[True] * len(survey), False]


def test_wins_of_cells_are_those_of_the_matrix_where_prints_differ() -> None:
    survey = read_shipped("tax2015_results")
    rng = np.random.default_rng(3)
    rows = [
        {
            **row,
            "method": "mine",
            "value": min(row["value"] + rng.normal(0, 1e-3), 1.0),
            "source": None,
        }
        for row in {(row["dataset"], row["measure"]): row for row in survey.rows()}.values()
    ]
    cells = group_cells(stack_results([survey, ResultTable.from_rows(rows)]))
    wins, ties = count_pairs(cells)
    assert wins.sum(axis=1).tolist() == cells.per_method(cells.wins).tolist()
    assert wins.sum(axis=0).tolist() == cells.per_method(cells.losses).tolist()
    assert ties.sum(axis=1).tolist() == cells.per_method(cells.ties).tolist()
