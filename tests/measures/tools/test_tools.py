"""What tools do that the golden figures do not show: names, refusals, reading."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged, tie_ranges
from rankwise.measures.measure import parse
from rankwise.measures.tool import Tool, ToolRefusal
from rankwise.measures.tools.ranklib import java_number
from rankwise.measures.tools.registry import TOOLS, all_tools, find_tool


def judged(
    *queries: list[float],
    ids: list[str] | None = None,
    documents: list[str] | None = None,
    scores: list[float] | None = None,
) -> JudgedScores:
    """Queries ranked as they are written unless there are scores."""
    labels = [label for query in queries for label in query]
    falling = [-float(row) for row in range(len(labels))]
    return JudgedScores(
        np.array(labels, dtype=float),
        np.array(falling if scores is None else scores),
        offsets_of([len(query) for query in queries]),
        ids or [str(number) for number in range(1, len(queries) + 1)],
        documents,
    )


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_a_tool_is_complete(tool: Tool) -> None:
    data = judged([1, 0, 1], [0, 1])
    evaluation = evaluate_judged(data, None, tool)
    assert list(evaluation.results) == list(tool.printed(tool.read(data)))
    for name, result in evaluation.results.items():
        assert parse(str(result.measure)) == result.measure, name
        assert tool.figure(result.measure, result.mean)
    for family, fields in tool.conventions.items():
        measure = parse(family, tool.conventions)
        assert all(getattr(measure, name) == value for name, value in fields.items())


def test_common_names_follow_the_tool() -> None:
    assert str(find_tool("letor4").measure("NDCG@5")) == (
        "NDCG(discount=letor,table=2,short=zero,comparison=perl)@5"
    )
    assert find_tool("xgboost").measure("ndcg@5-").empty == 0
    assert find_tool("xgboost").measure("ndcg").cutoff == 32
    assert find_tool("ranklib").measure("NDCG@0").cutoff is None
    assert find_tool("ranklib").measure("NDCG").cutoff == 10
    assert find_tool("catboost").measure("NDCG:top=-1;type=Exp").gain == "exponential"
    assert find_tool("ranx").measure("precision@5-l2").threshold == 2
    assert find_tool("yahoo").measure("ndcg") == find_tool("yahoo").measure("NDCG@10")
    assert find_tool("gdeval").measure("err").cutoff == 20
    assert find_tool("trec_eval").measure("l2:ndcg_cut_5").threshold is None


@pytest.mark.parametrize(
    ("tool", "data", "reason"),
    [
        ("letor3", judged([1, -1]), "whole numbers of 0 or more, found -1 in row 2"),
        ("mslr", judged([0.5, 1]), "found 0.5 in row 1"),
        ("yahoo", judged([1], ids=["q1"]), "query ids must be whole numbers, found 'q1'"),
        ("yahoo", judged([1, -2]), "must not be negative, found -2 in row 2"),
        ("yahoo", judged([1], scores=[1e160]), "overflows"),
        ("ranklib", judged([-1]), "must not be negative"),
        ("ranklib", judged([31]), "overflows"),
        ("gdeval", judged([5]), "must not be above 4"),
        ("gdeval", judged([1], ids=["a-b"]), "must end in digits"),
        ("trec_eval", judged([1, 0], documents=["d", "d"]), "occurs twice in a query: 'd'"),
        ("pytrec_eval", judged([0.5]), "whole numbers"),
        ("sklearn", judged([-1, 0]), "must not be negative"),
        ("sklearn", judged([1, 0], scores=[math.inf, 0]), "must be finite"),
        ("catboost", judged([1, -1]), "negative labels are not reproduced here"),
        ("lightgbm", judged([31]), "from 0 to 30"),
        ("lightgbm", judged([0.5]), "whole numbers"),
        ("gdeval", judged([0.5, 1]), "whole numbers"),
    ],
)
def test_what_a_tool_cannot_take_is_refused(tool: str, data: JudgedScores, reason: str) -> None:
    with pytest.raises(ToolRefusal, match=tool) as caught:
        evaluate_judged(data, None, tool)
    assert reason in str(caught.value)


def test_a_measure_alone_can_be_refused() -> None:
    evaluation = evaluate_judged(judged([2, 0]), ["ndcg@5", "map@5", "pre@5"], "xgboost")
    assert list(evaluation.results) == ["ndcg@5"]
    assert evaluation.refused["map@5"] == "xgboost: map takes only labels 0 and 1"
    with pytest.raises(ToolRefusal, match="pre takes only labels 0 and 1"):
        evaluate_judged(judged([2, 0]), ["pre@5"], "xgboost")


def test_labels_that_only_some_measures_of_a_tool_take() -> None:
    fractions = judged([0.5, 1], documents=["a", "b"])
    with pytest.raises(ToolRefusal, match="must be whole numbers from 0 to 31"):
        evaluate_judged(fractions, ["ndcg@10"], "xgboost")
    # It holds labels in single precision.
    assert evaluate_judged(fractions, ["ndcg@1 linear"], "xgboost")["ndcg@1 linear"].mean == 0.5
    with pytest.raises(ToolRefusal, match="labels must be whole numbers"):
        evaluate_judged(fractions, ["AP"], "ir_measures")
    assert evaluate_judged(fractions, ["RR@10"], "ir_measures")["RR@10"].mean == 1 / 2
    negative = judged([-1, 1])
    for tool, name in (("xgboost", "ndcg@10 linear"), ("sklearn", "dcg@10")):
        with pytest.raises(ToolRefusal, match="negative labels are not reproduced here"):
            evaluate_judged(negative, [name], tool)


def test_ranx_cuts_labels_to_whole_numbers() -> None:
    assert evaluate_judged(judged([1.7, 0.9]), ["dcg@2"], "ranx")["dcg@2"].mean == 1.0


def test_labels_and_borders_are_single_in_catboost() -> None:
    data = judged([0.3, 1, 0])
    assert (
        evaluate_judged(data, ["PrecisionAt:border=0.3"], "catboost").means().popitem()[1] == 1 / 3
    )
    assert evaluate_judged(data, ["DCG:top=1"], "catboost")["DCG:top=1"].mean == float(
        np.float32(0.3)
    )


def test_names_of_sklearn_in_any_letters() -> None:
    tool = find_tool("sklearn")
    assert tool.measure("ndcg@10 gain=EXP") == tool.measure("NDCG@10 gain=exp")
    assert tool.measure("NDCG@5 gain=Linear") == tool.measure("ndcg@5 gain=linear")
    assert tool.measure("ndcg ignore_ties=true") == tool.measure("ndcg ignore_ties=True")
    assert tool.measure("ndcg ignore_ties=true").ties == "undefined"


def test_a_family_that_a_tool_lacks_is_refused() -> None:
    with pytest.raises(ToolRefusal, match="yahoo does not compute P; it has RMSE, ERR, NDCG"):
        evaluate_judged(judged([1]), ["P@5"], "yahoo")
    with pytest.raises(ToolRefusal, match="RR without a cut-off is always 0"):
        evaluate_judged(judged([1]), ["RR"], "ranklib")
    with pytest.raises(ToolRefusal, match="ERR needs a cut-off"):
        evaluate_judged(judged([1]), ["ERR"], "ir_measures")


def test_unknown_tools_and_measures_get_a_suggestion() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'letor4'"):
        find_tool("letor-4")
    with pytest.raises(RankwiseError, match=r"did you mean 'NDCG@5'\? \(asked of letor4\)"):
        evaluate_judged(judged([1]), ["NDGC@5"], "letor4")
    with pytest.raises(RankwiseError, match="CatBoost's options are"):
        evaluate_judged(judged([1]), ["NDCG:kind=Exp"], "catboost")


def test_queries_that_come_back() -> None:
    """Query 7 comes back: one list for most, two for Yahoo and RankLib, who name it 7#2."""
    data = judged([1, 0], [1], [0, 1], ids=["7", "8", "7"])
    merged = evaluate_judged(data, ["P@4"], "letor4")["P@4"]
    assert merged.per_query == {"7": 2 / 4, "8": 1 / 4}
    separate = evaluate_judged(data, ["NDCG@10"], "yahoo")["NDCG@10"]
    assert separate.per_query == pytest.approx({"7": 1, "8": 1, "7#2": 1 / math.log2(3)})


def test_ranklib_divides_by_the_ideal_of_the_first_list() -> None:
    data = judged([1, 0], [2], ids=["7", "8"])
    again = judged([1, 0], [1], [2], ids=["7", "8", "7"])
    assert evaluate_judged(data, ["NDCG@10"], "ranklib")["NDCG@10"].per_query == {"7": 1, "8": 1}
    values = evaluate_judged(again, ["NDCG@10"], "ranklib")["NDCG@10"].per_query
    assert values == {"7": 1, "8": 1, "7#2": 3}


def test_yahoo_sees_no_boundary_after_query_zero() -> None:
    data = judged([1, 0], [0, 1], [0, 1], ids=["0", "5", "6"])
    assert evaluate_judged(data, ["NDCG@10"], "yahoo")["NDCG@10"].query_ids == ["0", "6"]


def test_letor_replaces_a_repeated_document() -> None:
    data = judged([2, 0, 1], documents=["a", "b", "a"])
    assert evaluate_judged(data, ["P@1", "P@2"], "letor4").means() == {"P@1": 0, "P@2": 1 / 2}
    assert evaluate_judged(data, ["P@1"], "mslr").means() == {"P@1": 1}


def test_labels_above_the_table_have_no_gain() -> None:
    data = judged([3, 1])
    assert evaluate_judged(data, ["NDCG@1", "P@1"], "letor3").means() == {"NDCG@1": 0, "P@1": 0}
    assert evaluate_judged(data, ["NDCG@1", "P@1"], "mslr").means() == {"NDCG@1": 1, "P@1": 1}


def test_negative_labels_are_unjudged_for_trec_eval() -> None:
    data = judged([-1, 1, 0])
    means = evaluate_judged(data, ["bpref", "num_rel", "map"], "trec_eval").means()
    assert means == {"bpref": 1, "num_rel": 1, "map": 1 / 2}


def test_output_order() -> None:
    data = judged([1], [1], [1], ids=["10", "9", "2"])
    orders = {
        name: evaluate_judged(data, None, name) for name in ("letor4", "trec_eval", "ranklib")
    }
    shown = {name: list(next(iter(e.results.values())).query_ids) for name, e in orders.items()}
    assert shown["letor4"] == ["2", "9", "10"]
    assert shown["trec_eval"] == ["10", "2", "9"]
    assert shown["ranklib"] == ["10", "9", "2"]


def test_tie_ranges_hold_every_order() -> None:
    data = judged([0, 1, 2], scores=[1.0, 1.0, 1.0])
    ranges = tie_ranges(data, ["NDCG@1"], "definition")
    assert ranges["NDCG@1"] == (0, 1)
    assert evaluate_judged(data, ["NDCG@1"], ties="expected").means()["NDCG@1"] == pytest.approx(
        4 / 9
    )


def test_an_empty_mean_is_not_a_silent_zero() -> None:
    data = judged([0, 0])
    assert math.isnan(evaluate_judged(data, ["NDCG(empty=skip)@5"]).means()["NDCG(empty=skip)@5"])
    assert evaluate_judged(data, ["ndcg@10"], "gdeval").means() == {"ndcg@10": 0}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0"), (1.0, "1.0"), (0.25, "0.25"), (1 / 3, "0.3333333333333333"),
     (0.0001, "1.0E-4"), (12345678.5, "1.23456785E7"), (0.00012345, "1.2345E-4")],
)  # fmt: skip
def test_numbers_as_java_prints_them(value: float, text: str) -> None:
    assert java_number(value) == text


def test_the_registry_names_every_tool_file() -> None:
    assert [tool.name for tool in all_tools()] == list(TOOLS)
