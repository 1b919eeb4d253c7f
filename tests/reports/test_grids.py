from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.reports.ranking_figures import (
    MOST_COLUMNS,
    MOST_RIVALS,
    MOST_ROWS,
    choose_best_tested,
    make_head_to_head,
    make_heat_map,
)
from rankwise.results.result_table import ResultTable

from .conftest import made_table


def big() -> Comparison:
    """More methods and columns than a page can show; column j has 120 - j // 2 results."""
    rows = [
        {"collection": "", "dataset": f"d{j}", "method": f"m{i}", "measure": measure, "value": 0.5}
        for i, j, measure in product(range(120), range(70), ("MAP", "P@1"))
        if i < 120 - j // 2
    ]
    values = np.random.default_rng(5).random(len(rows))
    return compare_table(
        ResultTable.from_rows({**row, "value": v} for row, v in zip(rows, values, strict=True))
    )


def test_a_field_is_the_share_of_rivals_beaten(made: Comparison) -> None:
    figure = make_heat_map(made)
    table = made_table()
    for cell in figure.cells:
        method, column = figure.rows[cell.row], figure.columns[cell.column]
        rivals = table.where(dataset=column.name, measure=column.group)
        own = rivals.where(method=method).value[0]
        assert cell.shade == (rivals.value < own).sum() / (len(rivals) - 1)
        assert float(cell.text) == round(own, 3)


@pytest.mark.parametrize(
    ("measure", "values", "texts"),
    [
        ("Hits@10", (10.5, 0.25), {"10.500", ".250"}),
        ("RMSE", (20.0, 0.9996), {"20.000", "1.000"}),
        ("KendallTau", (-0.5, 0.125), {"-.500", ".125"}),
    ],
)
def test_fields_show_values_in_the_range_of_their_measure(
    measure: str, values: tuple[float, float], texts: set[str]
) -> None:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": measure, "value": v}
        for m, v in zip("ab", values, strict=True)
    ]
    figure = make_heat_map(compare_table(ResultTable.from_rows(rows), ideal="definition"))
    assert {cell.text for cell in figure.cells} == texts


def test_every_comparable_result_has_a_field_and_no_other(made: Comparison) -> None:
    figure = make_heat_map(made)
    assert len(figure.cells) == len(made_table()) - 1
    assert "lonely" not in {column.name for column in figure.columns}
    assert figure.rows == tuple(row.method for row in made.rows)


def test_measures_stand_together(made: Comparison) -> None:
    groups = [column.group for column in make_heat_map(made).columns]
    assert groups == sorted(groups, key=["NDCG@10", "MAP"].index)


def test_a_large_table_is_cut_to_its_best_tested_part_and_says_so() -> None:
    comparison = big()
    figure = make_heat_map(comparison)
    assert len(figure.rows) == MOST_ROWS
    assert len(figure.columns) == MOST_COLUMNS
    assert set(comparison.front()) <= set(figure.rows)
    assert f"the {MOST_ROWS} best tested of 120 methods" in figure.caption
    assert {column.name for column in figure.columns} == {f"d{j}" for j in range(60)}


def test_the_best_tested_are_the_fronts_then_the_highest_ideals(made: Comparison) -> None:
    fronts = {*made.front(), *made.second_front()}
    chosen = choose_best_tested(made, len(fronts) + 1)
    assert fronts < set(chosen)
    (more,) = set(chosen) - fronts
    assert made.by_method[more].iwn == max(r.iwn for r in made.rows if r.method not in fronts)


def test_shares_of_a_pair_add_up_to_one(tax: Comparison) -> None:
    figure = make_head_to_head(tax)
    assert len(figure.names) == MOST_RIVALS
    shares = {(cell.row, cell.column): cell.shade for cell in figure.cells}
    assert all(abs(shares[i, j] + shares[j, i] - 1) < 1e-12 for i, j in shares)
    assert all(i != j for i, j in shares)


def test_a_tie_is_half_a_win() -> None:
    rows = [
        {"collection": "", "dataset": d, "method": m, "measure": "MAP", "value": v}
        for d, values in {"d1": (0.5, 0.5, 0.1), "d2": (0.6, 0.4, 0.1)}.items()
        for m, v in zip("abc", values, strict=True)
    ]
    figure = make_head_to_head(compare_table(ResultTable.from_rows(rows)))
    (cell,) = (
        cell
        for cell in figure.cells
        if (figure.names[cell.row], figure.names[cell.column]) == ("a", "b")
    )
    assert cell.shade == (1 + 1 / 2) / 2
    assert cell.text == "1 won, 0 lost, 1 level"
