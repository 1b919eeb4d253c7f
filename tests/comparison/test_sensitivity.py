from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.sensitivity import (
    WithoutOne,
    leave_out_each_dataset,
    leave_out_each_measure,
    leave_out_each_study,
)
from rankwise.comparison.winning_numbers import compute_winning_numbers
from rankwise.errors import RankwiseError
from rankwise.results import read_shipped_rows
from rankwise.results.result_table import ResultTable

from .tables import Fact, sparse_facts, table_of

PAPER_METHODS = ("ListNet", "SmoothRank", "FenchelRank", "FSMRank", "LRUF", "LARF")


def test_all_thirty_pairs_of_table_4(tax_comparison: Comparison) -> None:
    found = {(one.method, one.left_out): one for one in leave_out_each_measure(tax_comparison)}
    printed = read_shipped_rows("tax2015_table_4")
    assert len(printed) == 30
    for row in printed:
        whole = tax_comparison.by_method[row["method"]]
        one = whole if row["left_out"] == "All" else found[row["method"], row["left_out"]]
        assert one.iwn == int(row["iwn"]), row
        assert one.nwn == pytest.approx(float(row["nwn"]), abs=0.5e-4 + 1e-12), row


def test_119_of_the_120_points_of_figure_6(tax_comparison: Comparison, shared: Path) -> None:
    name = "tax2015_figure_6_leave_one_dataset_out.csv"
    printed = _rows(shared / "literature/compiled" / name)
    assert len(printed) == 120
    wrong = [
        (row["method"], row["left_out_dataset"])
        for row in printed
        if not _agrees(_figure_6_point(tax_comparison, row), row)
    ]
    # LRUF was never tried on MSLR-WEB10K, so leaving that out cannot move it from 450 / 460.
    assert wrong == [("LRUF", "MSLR-WEB10k")]


def test_a_data_set_without_results_of_a_method_does_not_move_it(
    tax_comparison: Comparison,
) -> None:
    for one in leave_out_each_dataset(tax_comparison, PAPER_METHODS):
        whole = tax_comparison.by_method[one.method]
        assert one.affected != ((one.wn, one.iwn) == (whole.wn, whole.iwn))


@pytest.mark.parametrize(
    ("leave_out", "column"),
    [(leave_out_each_measure, "measure"), (leave_out_each_dataset, "dataset")],
)
@given(facts=sparse_facts())
def test_taking_sums_away_is_comparing_anew(
    facts: list[Fact], leave_out: Callable[[Comparison], list[WithoutOne]], column: str
) -> None:
    table = table_of(facts)
    if not compute_winning_numbers(table):
        return
    for one in leave_out(compare_table(table)):
        _assert_as_compared_anew(one, table.without(**{column: one.left_out}))


def test_leaving_a_study_out_is_comparing_without_its_rows(tax_comparison: Comparison) -> None:
    table = tax_comparison.table
    found = leave_out_each_study(tax_comparison)
    studies = {one.left_out for one in found}
    assert {"Lai et al. (2013a)", "official LETOR 3.0 baseline"} <= studies
    for study in ("Lai et al. (2013a)", "Niu et al. (2012)", "official LETOR 3.0 baseline"):
        left = table.select(lambda row, s=study: s not in (row.get("source") or "").split(" | "))
        for one in found:
            if one.left_out == study:
                _assert_as_compared_anew(one, left)


def test_rivals_of_a_study_change_with_it() -> None:
    rows = [("A", 0.3, "one"), ("B", 0.2, "two"), ("C", 0.1, "three | two")]
    table = ResultTable.from_rows(
        {"collection": "", "dataset": "d", "method": m, "measure": "MAP", "value": v, "source": s}
        for m, v, s in rows
    )
    found = {(o.left_out, o.method): o for o in leave_out_each_study(compare_table(table))}
    assert (found["three", "A"].wn, found["three", "A"].iwn) == (1, 1)
    assert found["three", "A"].affected
    assert found["two", "A"].nwn is None


def test_without_sources_no_study_can_be_left_out() -> None:
    table = table_of([("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1)])
    with pytest.raises(RankwiseError, match="needs a source"):
        leave_out_each_study(compare_table(table))


def test_an_unknown_method_is_named() -> None:
    table = table_of([("A", "d", "MAP", 0.3), ("B", "d", "MAP", 0.1)])
    with pytest.raises(RankwiseError, match="no method 'Z'"):
        leave_out_each_dataset(compare_table(table), ["Z"])


def _assert_as_compared_anew(one: WithoutOne, left: ResultTable) -> None:
    again = {other.method: other for other in compute_winning_numbers(left)}.get(one.method)
    if again is None:
        assert (one.iwn, one.nwn) == (0, None)
    else:
        assert (one.wn, one.iwn, one.nwn) == (again.wn, again.iwn, again.nwn)


def _figure_6_point(comparison: Comparison, row: dict[str, str]) -> tuple[int, float]:
    """The point computed for a row of the figure; Yandex has no result, so it moves nothing."""
    names = {name.casefold(): name for name in comparison.cells.datasets}
    wanted = row["left_out_dataset"].casefold()
    full = names.get(wanted) or next((n for k, n in names.items() if k.endswith(wanted)), None)
    for one in leave_out_each_dataset(comparison, [row["method"]]):
        if one.left_out == full and one.nwn is not None:
            return one.iwn, one.nwn
    assert wanted == "yandex imc"
    whole = comparison.by_method[row["method"]]
    return whole.iwn, whole.nwn


def _agrees(point: tuple[int, float], row: dict[str, str]) -> bool:
    return point[0] == int(row["iwn"]) and abs(point[1] - float(row["nwn"])) < 1e-7


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
