from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from rankwise.comparison.cells import group_cells
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import Fact, pairwise, sparse_facts, table_of


@given(sparse_facts())
def test_one_sort_counts_what_visiting_every_pair_counts(facts: list[Fact]) -> None:
    cells = group_cells(table_of(facts))
    expected = pairwise(facts)
    for name in ("wins", "losses", "ties", "rivals", "top"):
        sums = cells.per_method(getattr(cells, name))
        found = {m: int(s) for m, s in zip(cells.methods, sums, strict=True) if m in expected}
        assert found == {method: counts[name] for method, counts in expected.items()}


@given(sparse_facts())
def test_wins_and_losses_and_ties_are_all_comparisons(facts: list[Fact]) -> None:
    cells = group_cells(table_of(facts))
    size = np.bincount(cells.cell)[cells.cell] if len(cells) else cells.cell
    assert (cells.wins + cells.losses + cells.ties == size - 1).all()
    assert cells.wins.sum() == cells.losses.sum()


def test_rows_point_back_into_the_table() -> None:
    table = table_of([("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1), ("A", "e", "MAP", 0.2)])
    cells = group_cells(table)
    assert cells.row.tolist() == [1, 0]
    assert (table.value[cells.row] == cells.value).all()


def test_an_empty_table_has_no_cells() -> None:
    assert len(group_cells(ResultTable.empty())) == 0


def test_folds_are_averaged_before_anything_is_compared() -> None:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": "MAP", "value": v, "fold": f}
        for m, v, f in [("A", 0.1, "1"), ("A", 0.5, "2"), ("B", 0.2, "1"), ("B", 0.3, "2")]
    ]
    cells = group_cells(ResultTable.from_rows(rows))
    assert dict(zip(cells.method.tolist(), cells.wins.tolist(), strict=True)) == {0: 1, 1: 0}


def test_two_results_of_one_method_in_a_cell_are_named() -> None:
    facts = [("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1), ("A", "d", "MAP", 0.4)]
    with pytest.raises(RankwiseError, match=r"one MAP on d, but A has 0.3 \(row 1\) and 0.4"):
        group_cells(table_of(facts))


def test_an_unknown_measure_names_those_there_are() -> None:
    cells = group_cells(table_of([("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1)]))
    with pytest.raises(RankwiseError, match="no results in the measure 'NDCG@3'; it has MAP"):
        cells.of_measures(["NDCG@3"])
