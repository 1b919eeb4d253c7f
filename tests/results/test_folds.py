"""Means over folds, and where they would not be comparable."""

from __future__ import annotations

import pytest

from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable


def row(method: str, fold: str | None, value: float, **cells: object) -> dict[str, object]:
    basis = {"collection": "LETOR 4.0", "dataset": "MQ2008", "measure": "MAP"}
    return {**basis, "method": method, "fold": fold, "value": value, **cells}


def test_the_mean_over_folds_takes_the_place_of_the_first() -> None:
    table = ResultTable.from_rows(
        [row("A", "1", 0.2), row("B", None, 0.7), row("A", "2", 0.4), row("A", "3", 0.9)]
    )
    means = table.aggregate_folds()
    assert means.method.tolist() == ["A", "B"]
    assert means.value.tolist() == pytest.approx([(0.2 + 0.4 + 0.9) / 3, 0.7])
    assert means.fold.tolist() == [None, None]


def test_measures_tools_and_sources_are_averaged_apart() -> None:
    rows = [
        row("A", fold, value, **{column: name})
        for column in ("measure", "tool", "source", "version")
        for name, values in (("x", (0.1, 0.3)), ("y", (0.5, 0.9)))
        for fold, value in zip("12", values, strict=True)
    ]
    means = ResultTable.from_rows(rows).aggregate_folds()
    assert means.value.tolist() == pytest.approx([0.2, 0.7] * 4)


def test_a_note_stays_only_where_all_folds_share_it() -> None:
    same = [row("A", "1", 0.2, note="n"), row("A", "2", 0.4, note="n")]
    other = [row("B", "1", 0.2, note="n"), row("B", "2", 0.4, note="m")]
    assert ResultTable.from_rows(same + other).aggregate_folds().note.tolist() == ["n", None]


def test_different_folds_of_two_methods_are_refused_unless_partial_is_allowed() -> None:
    table = ResultTable.from_rows([row("A", "1", 0.2), row("A", "2", 0.4), row("B", "1", 0.3)])
    with pytest.raises(RankwiseError, match=r"B on LETOR 4\.0 MQ2008 has folds 1, A has 1, 2"):
        table.aggregate_folds()
    assert table.aggregate_folds(partial=True).value.tolist() == pytest.approx([0.3, 0.3])


def test_a_fold_twice_is_refused() -> None:
    table = ResultTable.from_rows([row("A", "1", 0.2), row("A", "1", 0.25)])
    with pytest.raises(RankwiseError, match=r"found 0.2 and 0.25 for fold 1"):
        table.aggregate_folds()


def test_a_mean_beside_its_folds_is_refused() -> None:
    table = ResultTable.from_rows([row("A", "1", 0.2), row("A", None, 0.25)])
    with pytest.raises(RankwiseError, match="either folds or their mean"):
        table.aggregate_folds()


def test_a_table_without_folds_stays_as_it_is() -> None:
    table = ResultTable.from_rows([row("A", None, 0.2), row("A", None, 0.3)])
    assert table.aggregate_folds() == table
