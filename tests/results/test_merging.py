"""Tables put together: agreement is kept once, a conflict names both sources and values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.results import keep_one_per_cell, merge_results
from rankwise.results.result_table import ResultTable


def table(*rows: tuple[str, float, str | None], **cells: object) -> ResultTable:
    basis = {"collection": "LETOR 4.0", "dataset": "MQ2007", "measure": "NDCG@3"}
    return ResultTable.from_rows(
        [{**basis, "method": m, "value": v, "source": s, **cells} for m, v, s in rows]
    )


ONE = table(("A", 0.25, "first study"), ("B", 0.5, None))
TWO = table(("A", 0.35, "second study"), ("C", 0.75, None))


def test_a_conflict_names_both_values_and_sources() -> None:
    with pytest.raises(RankwiseError) as raised:
        merge_results([ONE, TWO])
    assert "NDCG@3 of A on LETOR 4.0 MQ2007" in str(raised.value)
    assert "0.25 (first study) and 0.35 (second study)" in str(raised.value)


def test_a_conflict_without_sources_names_the_tables_and_rows() -> None:
    with pytest.raises(RankwiseError, match=r"0.1 \(a.csv, row 1\) and 0.2 \(b.csv, row 2\)"):
        merge_results(
            [table(("A", 0.1, None)), table(("B", 0.3, None), ("A", 0.2, None))],
            names=["a.csv", "b.csv"],
        )


def test_further_conflicts_are_counted() -> None:
    with pytest.raises(RankwiseError, match="and 1 more such conflicts"):
        merge_results(
            [table(("A", 0.1, None), ("B", 0.1, None)), table(("A", 0.2, None), ("B", 0.2, None))]
        )


@pytest.mark.parametrize(
    ("rule", "value", "source"),
    [
        ("first", 0.25, "first study"),
        ("last", 0.35, "second study"),
        ("mean", (0.25 + 0.35) / 2, "first study | second study"),
    ],
)
def test_the_rules(rule: str, value: float, source: str) -> None:
    merged = merge_results([ONE, TWO], rule)  # type: ignore[arg-type]
    assert merged.methods() == ["A", "B", "C"]
    assert merged.value[0] == pytest.approx(value)
    assert merged.source[0] == source
    assert merged.source[1] is None


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(RankwiseError, match="one of error, first, last, mean, found 'median'"):
        merge_results([ONE], "median")  # type: ignore[arg-type]


def test_rows_that_agree_are_kept_once() -> None:
    assert merge_results([ONE, table(("A", 0.25, "elsewhere"))]) == ONE


@pytest.mark.parametrize("column", ["fold", "tool", "version", "collection"])
def test_other_folds_tools_versions_and_collections_are_no_conflict(column: str) -> None:
    tables = [table(("A", 0.1, None), **{column: "x"}), table(("A", 0.2, None), **{column: "y"})]
    assert merge_results(tables).value.tolist() == [0.1, 0.2]


def test_one_per_cell_sees_through_tools_and_sources() -> None:
    both = merge_results([table(("A", 0.1, None), tool="x"), table(("A", 0.2, None), tool="y")])
    with pytest.raises(RankwiseError, match=r"0.1 \(row 1\) and 0.2 \(row 2\)"):
        keep_one_per_cell(both)
    assert keep_one_per_cell(both, "last").value.tolist() == [0.2]
    assert keep_one_per_cell(ONE) is ONE


def test_merging_nothing_gives_nothing() -> None:
    assert len(merge_results([])) == 0


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from([0.1, 0.2]), st.none()), max_size=8)
)
def test_merging_again_changes_nothing(rows: list[tuple[str, float, str | None]]) -> None:
    for rule in ("first", "last", "mean"):
        once = merge_results([table(*rows)], rule)  # type: ignore[arg-type]
        assert merge_results([once]) == once
        assert once.methods() == list(dict.fromkeys(method for method, _, _ in rows))
