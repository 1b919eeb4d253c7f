from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import rankwise as rw
from rankwise.comparison.cells import IDEAL_RULES, IdealRule
from rankwise.comparison.winning_numbers import (
    compute_winning_numbers,
)
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import Fact, pairwise, sparse_facts, table_of

MEASURES = {"ndcg3": "NDCG@3", "ndcg5": "NDCG@5", "ndcg10": "NDCG@10", "map": "MAP"}
# notes/errata.md: what Table B.6 prints, and should have printed, as (NWN, data sets).
MISPRINTS = {
    ("FocusedBoost", "NDCG@3"): (0.3750, 2),
    ("FocusedSVM", "NDCG@3"): (0.2500, 2),
    ("FSM-SVM", "NDCG@3"): (0.2371, 4),
    ("RankELM (pairwise)", "NDCG@3"): (0.6250, 1),
}


def test_the_page_says_what_follows_where_the_paper_misprints() -> None:
    """The table of misprints in docs/comparison.md."""
    page = (Path(__file__).parents[2] / "docs/comparison.md").read_text("utf-8")
    comparison = rw.compare()
    for (method, measure), (nwn, datasets) in MISPRINTS.items():
        found = next(one for one in comparison.per_measure[measure] if one.method == method)
        assert (round(found.nwn, 4), found.datasets) == (nwn, datasets)
    assert "| .3750, .2500, .6250 |" in page and "| .2371 on 4 |" in page
    across = comparison.by_method["MHR"]
    assert (across.wn, across.iwn) == (17, 41) and "| 17/41 = .4146 |" in page
    without = rw.comparison.leave_out_each_dataset(comparison, ["LRUF"])
    (one,) = (one for one in without if one.left_out.endswith("MSLR-WEB10K"))
    assert (one.wn, one.iwn, one.affected) == (450, 460, False) and "| 450/460 = .9783:" in page
    joined = {"AdaRank-NDCG", "RankBoost", "AdaRank-MAP", "LambdaNeuralRank"}
    assert joined <= set(comparison.front()) and "CoList" in comparison.front("NDCG@5")


def test_a_tie_is_no_win_and_the_two_ideals_differ_where_the_best_is_shared() -> None:
    table = table_of([("A", "d", "MAP", 0.4), ("B", "d", "MAP", 0.4), ("C", "d", "MAP", 0.1)])
    observed = {one.method: one for one in compute_winning_numbers(table, "MAP", "observed")}
    definition = {one.method: one for one in compute_winning_numbers(table, "MAP", "definition")}
    assert (observed["A"].wn, observed["A"].iwn, observed["A"].nwn) == (1, 1, 1 / 1)
    assert (definition["A"].wn, definition["A"].iwn, definition["A"].nwn) == (1, 2, 1 / 2)


def test_across_measures_counts_cells_and_distinct_data_sets() -> None:
    facts = [(m, "d", e, v) for e in ("MAP", "P@5") for m, v in [("A", 0.2), ("B", 0.1)]]
    best = compute_winning_numbers(table_of(facts))[0]
    assert (best.method, best.datasets, best.distinct_datasets) == ("A", 2, 1)


@pytest.mark.parametrize("ideal", IDEAL_RULES)
@given(facts=sparse_facts())
def test_winning_numbers_are_those_of_every_pair(facts: list[Fact], ideal: IdealRule) -> None:
    expected = pairwise(facts)
    for one in compute_winning_numbers(table_of(facts), None, ideal):
        counts = expected.pop(one.method)
        bound = counts["top" if ideal == "observed" else "rivals"]
        assert (one.wn, one.iwn, one.datasets) == (counts["wins"], bound, counts["cells"])
        assert one.nwn == counts["wins"] / bound
        assert 0 <= one.nwn <= 1
    assert all(counts["top"] == 0 for counts in expected.values())


@given(facts=sparse_facts())
def test_a_strictly_increasing_transform_of_a_column_changes_nothing(facts: list[Fact]) -> None:
    bent = [(m, d, e, v**3 - 7 if d == "d1" else v) for m, d, e, v in facts]
    assert compute_winning_numbers(table_of(bent)) == compute_winning_numbers(table_of(facts))


@given(facts=sparse_facts())
def test_a_column_with_a_single_result_changes_nothing(facts: list[Fact]) -> None:
    more = [*facts, ("A", "elsewhere", "MAP", 0.9)]
    assert compute_winning_numbers(table_of(more)) == compute_winning_numbers(table_of(facts))


@given(facts=sparse_facts())
def test_another_measure_changes_nothing_in_this_one(facts: list[Fact]) -> None:
    only = [fact for fact in facts if fact[2] == "MAP"]
    if only:
        assert compute_winning_numbers(table_of(facts), "MAP") == compute_winning_numbers(
            table_of(only), "MAP"
        )


def test_less_is_better_where_a_measure_is_an_error() -> None:
    rows = [("A", 0.2), ("B", 0.5), ("C", 0.9)]
    table = ResultTable.from_rows(
        {"collection": "L", "dataset": "D", "method": m, "measure": "RMSE", "value": v}
        for m, v in rows
    )
    assert [(one.method, one.wn) for one in compute_winning_numbers(table)] == [
        ("A", 2),
        ("B", 1),
        ("C", 0),
    ]


def test_an_unknown_rule_is_a_sentence() -> None:
    table = table_of([("A", "d", "MAP", 0.4), ("B", "d", "MAP", 0.1)])
    with pytest.raises(RankwiseError, match="ideal rule must be one of observed, definition"):
        compute_winning_numbers(table, None, "largest")  # type: ignore[arg-type]


def test_wn_and_iwn_of_all_87_rows_of_table_b6(tax: ResultTable, shared: Path) -> None:
    printed = {row["method"]: row for row in _table_b6(shared)}
    found = {one.method: one for one in compute_winning_numbers(tax)}
    assert len(printed) == 87
    assert {name: (one.wn, one.iwn) for name, one in found.items()} == {
        name: (int(row["cross_wn"]), int(row["cross_iwn"])) for name, row in printed.items()
    }
    wrong = {n for n, one in found.items() if not _prints(one.nwn, printed[n]["cross_nwn"])}
    assert wrong == {"MHR"}
    assert found["MHR"].nwn == 17 / 41


@pytest.mark.parametrize("column", MEASURES)
def test_every_measure_of_table_b6_but_for_its_misprints(
    tax: ResultTable, shared: Path, column: str
) -> None:
    found = {one.method: one for one in compute_winning_numbers(tax, MEASURES[column])}
    printed = {row["method"]: row for row in _table_b6(shared) if row[f"{column}_nwn"]}
    assert set(found) == set(printed)
    for method, row in printed.items():
        corrected = (row[f"{column}_nwn"], row[f"{column}_ds"])
        nwn, datasets = MISPRINTS.get((method, MEASURES[column]), corrected)
        assert _prints(found[method].nwn, nwn), method
        assert found[method].datasets == int(datasets), method


def test_the_definition_gives_eleven_methods_one_more(tax: ResultTable) -> None:
    observed = {one.method: one.iwn for one in compute_winning_numbers(tax)}
    definition = {one.method: one.iwn for one in compute_winning_numbers(tax, ideal="definition")}
    gains = {method: definition[method] - iwn for method, iwn in observed.items()}
    shared_top = tax.where(dataset="Yahoo LTRC Yahoo set 1", measure="NDCG@10")
    assert {m for m, gain in gains.items() if gain} == set(shared_top.methods())
    assert sorted(gains.values(), reverse=True)[:12] == [1] * 11 + [0]


@pytest.mark.parametrize(("number", "collection"), [("6", "LETOR 3.0"), ("7", "LETOR 4.0")])
def test_dearank_prints_twice_its_winning_numbers(
    dearank: ResultTable, shared: Path, number: str, collection: str
) -> None:
    path = shared / "literature/from-papers/dearank_tables_6_and_7.csv"
    printed = {
        row["method"]: int(row["printed_winning_number"])
        for row in _rows(path)
        if row["table"] == number
    }
    measures = [*(f"NDCG@{k}" for k in range(1, 11)), "MAP"]
    found = compute_winning_numbers(dearank.where(collection=collection, measure=measures))
    assert len(printed) == {"6": 16, "7": 9}[number]
    assert {one.method: 2 * one.wn for one in found} == printed


def _prints(exact: float, printed: Any) -> bool:
    """Whether a figure printed with four decimals is `exact`, rounded either way at a half."""
    return abs(exact - float(printed)) <= 0.5e-4 + 1e-12


def _table_b6(shared: Path) -> list[dict[str, str]]:
    return _rows(shared / "literature/from-papers/tax2015_table_b6.csv")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
