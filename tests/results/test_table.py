"""The long table: rows in, columns out, and what is left when something is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable, full_name


def row(method: str = "A", dataset: str = "TD2004", **cells: object) -> dict[str, object]:
    basis = {"collection": "LETOR 3.0", "measure": "MAP", "value": 0.25}
    return {**basis, "method": method, "dataset": dataset, **cells}


SMALL = ResultTable.from_rows(
    [
        row("A", "TD2003", source="one"),
        row("B", "TD2003", source="two", value=0.5),
        row("A", "OHSUMED", measure="NDCG@3"),
        row("C", "OHSUMED", collection="LETOR 2.0"),
    ]
)


def test_rows_come_back_with_the_columns_that_say_something() -> None:
    assert SMALL.columns == ("collection", "dataset", "method", "measure", "value", "source")
    assert SMALL.rows()[0] == row("A", "TD2003", source="one")
    assert SMALL.rows()[2]["source"] is None
    assert ResultTable.from_rows(SMALL.rows()) == SMALL


def test_names_are_in_order_of_first_appearance() -> None:
    assert SMALL.methods() == ["A", "B", "C"]
    assert SMALL.datasets() == ["LETOR 3.0 TD2003", "LETOR 3.0 OHSUMED", "LETOR 2.0 OHSUMED"]
    assert SMALL.measures() == ["MAP", "NDCG@3"]


def test_codes_point_into_the_lists_of_names() -> None:
    codes = SMALL.codes()
    assert [SMALL.methods()[code] for code in codes.method] == SMALL.method.tolist()
    assert [SMALL.datasets()[code] for code in codes.dataset] == SMALL.dataset_names.tolist()
    assert [SMALL.measures()[code] for code in codes.measure] == SMALL.measure.tolist()
    assert all(code.dtype == np.int64 for code in codes)


def test_a_data_set_is_found_by_its_full_name_and_by_its_short_name() -> None:
    assert SMALL.where(dataset="LETOR 3.0 OHSUMED").method.tolist() == ["A"]
    assert SMALL.where(dataset="OHSUMED").method.tolist() == ["A", "C"]
    assert SMALL.where(dataset=["TD2003", "LETOR 2.0 OHSUMED"]).method.tolist() == ["A", "B", "C"]


def test_a_full_name_wins_over_the_same_short_name() -> None:
    rows = [row("A", "X Y", collection=""), row("B", "X Y", collection="Z")]
    assert ResultTable.from_rows(rows).where(dataset="X Y").method.tolist() == ["A"]


def test_display_names_keep_the_collection_only_where_needed() -> None:
    assert SMALL.display_names() == {
        "LETOR 3.0 TD2003": "TD2003",
        "LETOR 3.0 OHSUMED": "LETOR 3.0 OHSUMED",
        "LETOR 2.0 OHSUMED": "LETOR 2.0 OHSUMED",
    }


def test_conditions_are_cells_collections_functions_or_a_predicate_on_rows() -> None:
    assert SMALL.where(method="A", measure="MAP").dataset.tolist() == ["TD2003"]
    assert SMALL.select(value=lambda value: value > 0.3).method.tolist() == ["B"]
    assert SMALL.select(lambda row: row["method"] == "C").collection.tolist() == ["LETOR 2.0"]
    assert SMALL.where(source=None).method.tolist() == ["A", "C"]
    assert len(SMALL.where(method=())) == 0


@given(st.sampled_from(["method", "measure", "dataset", "source", "collection"]), st.integers(0, 3))
def test_where_and_without_part_the_table(column: str, chosen: int) -> None:
    cell = getattr(SMALL, column)[chosen]
    kept, rest = SMALL.where(**{column: cell}), SMALL.without(**{column: cell})
    assert set(getattr(kept, column)) == {cell}
    assert cell not in getattr(rest, column)
    assert len(kept) + len(rest) == len(SMALL)


def test_columns_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        SMALL.value[0] = 1.0


def test_an_empty_optional_cell_says_nothing() -> None:
    table = ResultTable.from_rows([row(version="")])
    assert table.version.tolist() == [None]
    assert "version" not in table.columns


def test_full_name_of_a_data_set_without_a_collection_is_its_name() -> None:
    assert full_name("", "mine") == "mine"
    assert full_name("LETOR 3.0", "TD2004") == "LETOR 3.0 TD2004"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"value": "high"}, "row 1: the value must be a number, found 'high'"),
        ({"value": None}, "row 1: a result must have a value"),
        ({"value": float("nan")}, "row 1: the value must be a finite number, found nan"),
        ({"score": 1}, "row 1: a result has no column 'score'"),
        ({"method": None}, "row 1: a result must have a method"),
    ],
)
def test_a_wrong_row_is_named(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        ResultTable.from_rows([row(**wrong)])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(RankwiseError, match="method has 1 rows, value has 2"):
        ResultTable.from_columns(["c", "c"], ["d", "d"], ["m"], ["MAP", "MAP"], [0.1, 0.2])


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(RankwiseError, match="no column 'colour'"):
        SMALL.where(colour="red")
    with pytest.raises(RankwiseError, match="no column 'colour'"):
        ResultTable.from_columns(["c"], ["d"], ["m"], ["MAP"], [0.1], colour=["red"])


def test_an_empty_table_is_a_table() -> None:
    table = ResultTable.empty()
    assert len(table) == 0
    assert table.rows() == []
    assert table.codes().method.shape == (0,)
    assert len(table.aggregate_folds()) == 0
