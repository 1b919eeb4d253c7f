from __future__ import annotations

import pytest
from hypothesis import given

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.winning_numbers import compute_winning_numbers, find_pareto_ranks
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import Fact, sparse_facts, table_of

# notes/errata.md and section 4 of the paper; NDCG@5 with CoList, which the text leaves out.
FRONTS = {
    "NDCG@3": {"LambdaNeuralRank", "CoList", "LARF", "LRUF", "FenchelRank", "OWPC", "SmoothRank",
               "DCMP", "ListNet"},
    "NDCG@5": {"LambdaNeuralRank", "CoList", "LARF", "LRUF", "FenchelRank", "SmoothRank", "DCMP",
               "ListNet"},
    "NDCG@10": {"LambdaNeuralRank", "LambdaMART", "LARF", "LRUF", "FSMRank", "SmoothRank",
                "ListNet", "RankSVM"},
    "MAP": {"RankDE", "LARF", "LRUF", "RE-QR", "LAC-MR-OR", "RankSVM", "RankBoost"},
    None: {"AdaRank-NDCG", "RankBoost", "AdaRank-MAP", "ListNet", "SmoothRank", "FenchelRank",
           "FSMRank", "LRUF", "LARF", "LambdaNeuralRank"},
}  # fmt: skip
RANK_2 = {"RankSVM", "RankSVM-Struct", "RankSVM-Primal", "DCMP", "IPRank"}


@pytest.mark.parametrize("measure", FRONTS)
def test_the_fronts_of_the_paper(tax_comparison: Comparison, measure: str | None) -> None:
    assert set(tax_comparison.front(measure)) == FRONTS[measure]


def test_the_rank_2_front_of_the_paper(tax_comparison: Comparison) -> None:
    assert set(tax_comparison.second_front()) == RANK_2


def test_the_wording_of_the_paper_gives_larger_fronts(tax: ResultTable) -> None:
    worded = compare_table(tax, dominance="strict")
    larger = [m for m in worded.measures if set(worded.front(m)) > FRONTS[m]]
    assert larger == list(worded.measures)


def test_rows_are_best_first_and_ties_share_a_rank(tax_comparison: Comparison) -> None:
    rows = tax_comparison.rows
    assert [row.nwn for row in rows] == sorted((row.nwn for row in rows), reverse=True)
    for row in rows:
        assert row.rank == 1 + sum(other.nwn > row.nwn for other in rows)


@given(sparse_facts())
def test_a_comparison_holds_what_its_parts_say(facts: list[Fact]) -> None:
    table = table_of(facts)
    try:
        comparison = compare_table(table)
    except RankwiseError:
        assert not compute_winning_numbers(table)
        return
    points = compute_winning_numbers(table)
    fronts = find_pareto_ranks(points, "iwn")
    assert [row.method for row in comparison.rows] == [point.method for point in points]
    assert set(comparison.front()) == {m for m, rank in fronts.items() if rank == 1}
    assert set(comparison.second_front()) == {m for m, rank in fronts.items() if rank == 2}
    assert set(comparison.unplaced) == set(table.methods()) - set(comparison.by_method)


def test_chosen_measures_are_compared_alone(tax: ResultTable) -> None:
    chosen = compare_table(tax, ["MAP", "NDCG@3"])
    kept = compare_table(tax.where(measure=["MAP", "NDCG@3"]))
    assert chosen.measures == ("MAP", "NDCG@3")
    assert chosen.rows == kept.rows


def test_a_table_without_a_single_comparison_is_refused() -> None:
    table = table_of([("A", "d", "MAP", 0.3), ("B", "e", "MAP", 0.1)])
    with pytest.raises(RankwiseError, match="needs two methods with results on the same data set"):
        compare_table(table)
