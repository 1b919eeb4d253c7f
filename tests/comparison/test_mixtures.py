"""Figures that were not measured alike are not compared, and that is said."""

from __future__ import annotations

from typing import Any

import pytest

from rankwise.comparison import compare, place
from rankwise.errors import RankwiseError
from rankwise.results.comparability import keep_alike
from rankwise.results.result_table import ResultTable


def row(method: str, **others: Any) -> dict[str, Any]:
    fixed = {"collection": "LETOR 4.0", "dataset": "MQ2008", "measure": "NDCG@10", "value": 0.23}
    return {**fixed, "method": method, **others}


PUBLISHED = row("published")
FIVE = [row("mine", fold=str(fold), tool="letor4") for fold in range(1, 6)]


def kept(*rows: dict[str, Any]) -> tuple[list[str], tuple[str, ...]]:
    """The methods that can be compared, and what is said of the others."""
    found = keep_alike(ResultTable.from_rows(rows))
    return found.methods(), found.remarks


@pytest.mark.parametrize("tool", [None, "letor3", "letor4"])
def test_figures_of_the_collections_scripts_stand_beside_published_ones(tool: str | None) -> None:
    assert kept(PUBLISHED, row("mine", tool=tool)) == (["published", "mine"], ())


@pytest.mark.parametrize("tool", ["definition", "yahoo", "trec_eval", "lightgbm", "anything"])
def test_figures_of_another_tool_are_left_out_and_said(tool: str) -> None:
    methods, (sentence,) = kept(PUBLISHED, row("mine", tool=tool))
    assert methods == ["published"]
    assert f"left out: NDCG@10 of mine on LETOR 4.0 MQ2008: by {tool}" in sentence
    assert (
        "the others by the collection's script (letor3, letor4); 'rankwise evaluate --tool"
        in sentence
    )


@pytest.mark.parametrize("tool", ["definition", "ranklib", "mslr"])
def test_tools_that_give_the_same_figures_on_these_labels_are_compared(tool: str) -> None:
    # Labels are 0, 1 and 2: LETOR's table ends there. MSLR's script takes 2 for relevant.
    methods, said = kept({**PUBLISHED, "measure": "MAP"}, row("mine", tool=tool, measure="MAP"))
    assert methods == (["published"] if tool == "mslr" else ["published", "mine"])
    assert len(said) == (tool == "mslr")


def test_the_convention_of_most_methods_stays() -> None:
    mine = [row(f"mine {number}", tool="definition") for number in range(2)]
    methods, (sentence,) = kept(PUBLISHED, *mine)
    assert methods == ["mine 0", "mine 1"]
    assert "by the collection's script, the others by definition" in sentence


def test_published_figures_of_two_methods_stay_whatever_stands_beside_them() -> None:
    mine = [row(f"mine {number}", tool="definition") for number in range(5)]
    methods, _ = kept(PUBLISHED, row("second"), *mine)
    assert methods == ["published", "second"]


def test_a_tool_alone_is_no_mixture() -> None:
    assert kept(*({**one, "tool": "definition"} for one in FIVE)) == (["mine"], ())


@pytest.mark.parametrize(("folds", "words"), [(1, "of fold 1 alone"), (2, "of folds 1, 2 alone")])
def test_fewer_folds_are_left_out_beside_means(folds: int, words: str) -> None:
    methods, (sentence,) = kept(PUBLISHED, *FIVE[:folds])
    assert methods == ["published"]
    assert f"{words}, the others are means over folds" in sentence


def test_all_folds_are_a_mean_and_the_same_folds_are_comparable() -> None:
    assert kept(PUBLISHED, *FIVE) == (["published", "mine"], ())
    assert kept(FIVE[0], {**FIVE[0], "method": "other"}) == (["mine", "other"], ())


def test_a_single_split_has_all_its_folds() -> None:
    yahoo = {"collection": "Yahoo LTRC", "dataset": "Yahoo set 1"}
    rows = [{**PUBLISHED, **yahoo}, row("mine", fold="1", tool="yahoo", **yahoo)]
    assert kept(*rows) == (["published", "mine"], ())


def test_of_unknown_collections_a_tool_that_is_not_named_is_said() -> None:
    rows = [{**one, "collection": "Mine"} for one in (PUBLISHED, row("mine", tool="letor4"))]
    methods, (sentence,) = kept(*rows)
    assert methods == ["published", "mine"]
    assert "on Mine MQ2008 figures by letor4 stand beside figures that name no tool" in sentence


def test_a_measure_that_names_its_convention_needs_no_tool() -> None:
    named = "NDCG(empty=skip)@10"
    rows = [{**PUBLISHED, "measure": named}, row("mine", tool="definition", measure=named)]
    assert kept(*rows) == (["published", "mine"], ())


def test_placing_among_others_leaves_out_what_they_do_not_rest_on() -> None:
    mine = [row("mine", tool="definition", value=0.5)]
    mine += [row("mine", tool="letor4", value=0.5, measure="MAP")]
    found = place(ResultTable.from_rows(mine), resamples=5)
    placement = found["mine"]
    assert placement.place is not None and placement.place.datasets == 1
    assert any(
        "NDCG@10 of mine" in remark and "by definition" in remark for remark in found.remarks
    )
    alone = place(ResultTable.from_rows(mine[:1]), resamples=5)
    assert alone["mine"].place is None and alone.remarks


def test_versions_are_not_mixed_and_that_is_said() -> None:
    mine = ResultTable.from_rows([row("mine", version="MIN", measure="MAP", tool="letor4")])
    found = place(mine, resamples=5)
    assert found["mine"].place is None
    (sentence,) = (remark for remark in found.remarks if "version" in remark)
    assert "LETOR 4.0 MQ2008, MIN" in sentence and "QueryLevelNorm" in sentence
    same = ResultTable.from_rows(
        [row("mine", version="QueryLevelNorm", measure="MAP", tool="letor4")]
    )
    assert place(same, resamples=5)["mine"].place is not None


@pytest.mark.parametrize(
    ("value", "wins", "losses", "ties"),
    [(0.42199, 0, 0, 1), (0.4225, 0, 0, 1), (0.42251, 1, 0, 0), (0.4214, 0, 1, 0)],
)
def test_values_are_compared_at_the_coarser_print(
    value: float, wins: int, losses: int, ties: int
) -> None:
    rows = [row("printed", value=0.422), row("mine", value=value, measure="NDCG@10")]
    comparison = compare(ResultTable.from_rows(rows))
    cells = comparison.cells
    mine = cells.method == cells.methods.index("mine")
    counted = [int(of[mine][0]) for of in (cells.wins, cells.losses, cells.ties)]
    assert counted == [wins, losses, ties]


def test_a_print_of_three_decimals_is_not_beaten_by_more() -> None:
    mine = ResultTable.from_rows([row("mine", value=0.2304, tool="letor4")])
    others = ResultTable.from_rows([row("printed", value=0.230, source="a"), row("b", value=0.111)])
    (found,) = place(mine, others, resamples=5)
    assert found.place is not None
    assert (found.place.wn, [near.ties for near in found.neighbours]) == (1, [1, 0])


def test_nothing_comparable_is_a_sentence() -> None:
    with pytest.raises(RankwiseError, match=r"needs two methods.*; left out: NDCG@10 of mine"):
        compare(ResultTable.from_rows([PUBLISHED, row("mine", tool="definition")]))
