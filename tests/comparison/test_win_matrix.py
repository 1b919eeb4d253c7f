from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from rankwise.comparison.cells import group_cells
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.strengths import count_pairs, count_wins
from rankwise.errors import RankwiseError

from .tables import Fact, sparse_facts, table_of


@given(sparse_facts())
def test_counts_are_those_of_every_pair_of_results(facts: list[Fact]) -> None:
    cells = group_cells(table_of(facts))
    wins, ties = count_pairs(cells)
    for i, one in enumerate(cells.methods):
        for j, other in enumerate(cells.methods):
            pairs = [
                (a[3], b[3])
                for a in facts
                for b in facts
                if (a[0], b[0]) == (one, other) and a[1:3] == b[1:3] and i != j
            ]
            assert wins[i, j] == sum(x > y for x, y in pairs)
            assert ties[i, j] == sum(x == y for x, y in pairs)


@given(sparse_facts())
def test_rows_add_up_to_winning_numbers(facts: list[Fact]) -> None:
    cells = group_cells(table_of(facts))
    wins, ties = count_pairs(cells)
    assert wins.sum(axis=1).tolist() == cells.per_method(cells.wins).tolist()
    assert (wins + wins.T + ties).sum(axis=1).tolist() == cells.per_method(cells.rivals).tolist()


def test_the_matrix_of_named_methods_keeps_their_order(tax_comparison: Comparison) -> None:
    found = count_wins(tax_comparison, ["ListNet", "LRUF"])
    back = count_wins(tax_comparison, ["LRUF", "ListNet"])
    assert found.methods == ("ListNet", "LRUF")
    assert (found.wins == back.wins[::-1, ::-1]).all()
    assert found.comparisons[0, 1] == 16
    assert found.wins[1, 0] > found.wins[0, 1]


def test_by_default_all_placed_methods_best_first(tax_comparison: Comparison) -> None:
    found = count_wins(tax_comparison)
    assert found.methods == tuple(row.method for row in tax_comparison.rows)
    assert (np.diag(found.comparisons) == 0).all()


def test_an_unknown_method_is_named() -> None:
    comparison = compare_table(table_of([("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1)]))
    with pytest.raises(RankwiseError, match="no method 'Z'"):
        count_wins(comparison, ["Z"])
