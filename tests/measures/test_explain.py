from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.explanation import AXES, explain_judged
from rankwise.measures.tool import ToolRefusal
from rankwise.measures.tools.registry import TOOLS, find_tool
from tests.measures.samples import judged_scores

GRADED = ["definition", "letor3", "letor4", "mslr", "yahoo", "ranklib", "trec_eval", "gdeval",
          "ir_measures", "ranx", "sklearn", "lightgbm", "xgboost", "catboost"]  # fmt: skip
BINARY = ["definition", "letor3", "mslr", "ranklib", "trec_eval-9", "lightgbm", "catboost"]


@settings(max_examples=60)
@given(judged_scores(), st.sampled_from(GRADED), st.sampled_from(GRADED), st.integers(1, 12))
def test_the_parts_add_up_to_the_difference(
    data: JudgedScores, first: str, second: str, cutoff: int
) -> None:
    check(data, f"NDCG@{cutoff}", first, second)


@settings(max_examples=40)
@given(judged_scores(), st.sampled_from(BINARY), st.sampled_from(BINARY))
def test_so_they_do_for_average_precision(data: JudgedScores, first: str, second: str) -> None:
    check(data, "MAP@3", first, second)


def check(data: JudgedScores, measure: str, first: str, second: str) -> None:
    means = [evaluate_judged(data, [measure], name)[measure].mean for name in (first, second)]
    if any(mean != mean for mean in means):
        with pytest.raises(ToolRefusal, match="leaves out every query"):
            explain_judged(data, measure, find_tool(first), find_tool(second))
        return
    found = explain_judged(data, measure, find_tool(first), find_tool(second))
    assert [found.first_value, found.second_value] == means
    assert abs(sum(found.parts.values()) - found.difference) <= 1e-12
    assert list(found.parts) == list(AXES)
    for mover in found.movers:
        moved = (mover.second or 0.0) - (mover.first or 0.0)
        assert abs(sum(mover.parts.values()) - moved) <= 1e-12


def test_a_single_cause_is_the_whole_difference() -> None:
    """One query has no relevant document: Yahoo gives it 1, RankLib 0, and nothing else differs."""
    data = JudgedScores(np.array([1.0, 0, 0, 0]), -np.arange(4.0), offsets_of([2, 2]), ["1", "2"])
    found = explain_judged(data, "NDCG@10", find_tool("ranklib"), find_tool("yahoo"))
    assert found.parts["empty queries"] == found.difference == 1 / 2
    assert found.movers[0].query == "2"
    assert found.conventions["empty queries"] == ("empty=0", "empty=1")
    assert all(part == 0 for axis, part in found.parts.items() if axis != "empty queries")


def test_causes_that_act_only_together_share_the_difference() -> None:
    """A short query without a relevant document: zero by either rule alone, 1 by neither."""
    data = JudgedScores(np.zeros(2), -np.arange(2.0), offsets_of([2]), ["1"])
    found = explain_judged(data, "NDCG@10", find_tool("letor4"), find_tool("yahoo"))
    assert found.parts["empty queries"] == found.parts["short queries"] == 1 / 2


def test_reading_is_an_axis_of_its_own() -> None:
    data = JudgedScores(np.array([1.0, 0, 1]), -np.arange(3.0), offsets_of([1, 1, 1]),
                        ["1", "2", "1"])  # fmt: skip
    found = explain_judged(data, "NDCG@10", find_tool("lightgbm"), find_tool("yahoo"))
    assert found.conventions["reading"][0].startswith("queries merge")
    assert abs(sum(found.parts.values()) - found.difference) <= 1e-12


def test_names_that_mean_different_cut_offs_are_told() -> None:
    """RankLib's MAP has no cut-off, whatever its name says."""
    data = JudgedScores(np.array([1.0, 0, 1]), -np.arange(3.0), offsets_of([3]), ["1"])
    found = explain_judged(data, "MAP@1", find_tool("definition"), find_tool("ranklib"))
    assert found.parts["cut-off"] == found.difference == (1 + 2 / 3) / 2 - 1 / 2


def test_a_refusal_is_passed_on() -> None:
    data = JudgedScores(np.array([2.0, 0]), np.arange(2.0), offsets_of([2]), ["1"])
    with pytest.raises(ToolRefusal, match="map takes only labels 0 and 1"):
        explain_judged(data, "map@5", find_tool("lightgbm"), find_tool("xgboost"))


def test_every_tool_can_be_explained_against_itself() -> None:
    data = JudgedScores(np.array([1.0, 0, 1]), -np.arange(3.0), offsets_of([3]), ["1"])
    for name in TOOLS:
        tool = find_tool(name)
        found = explain_judged(data, "NDCG@2", tool, tool)
        assert found.difference == 0 and found.movers == () and found.conventions == {}


NOTHING_RELEVANT = JudgedScores(np.zeros(2), np.arange(2.0), offsets_of([2]), ["1"])


@pytest.mark.parametrize("first", GRADED)
@pytest.mark.parametrize("second", GRADED)
def test_both_directions_are_answered_alike(first: str, second: str) -> None:
    """A query without a relevant document: tools differ in what they say where they have none."""
    check(NOTHING_RELEVANT, "NDCG@5", first, second)
    sides = (find_tool(first), find_tool(second))
    try:
        there = explain_judged(NOTHING_RELEVANT, "NDCG@5", *sides)
    except ToolRefusal as refusal:
        with pytest.raises(ToolRefusal, match=str(refusal)):
            explain_judged(NOTHING_RELEVANT, "NDCG@5", *sides[::-1])
        return
    back = explain_judged(NOTHING_RELEVANT, "NDCG@5", *sides[::-1])
    assert there.difference == -back.difference
    for axis, part in there.parts.items():
        assert part == pytest.approx(-back.parts[axis], abs=1e-12)
