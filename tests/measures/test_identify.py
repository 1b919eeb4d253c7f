from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.explanation import identify_judged
from rankwise.measures.measure import parse
from rankwise.measures.values import average, measure_values


def data() -> JudgedScores:
    rng = np.random.default_rng(3)
    lengths = rng.integers(3, 14, 40)
    labels = rng.choice([0.0, 0, 0, 1, 2], int(lengths.sum()))
    scores = rng.integers(0, 6, len(labels)).astype(float)
    return JudgedScores(labels, scores, offsets_of(lengths), [str(q) for q in range(40)])


def test_a_tool_is_found_by_its_figure() -> None:
    judged = data()
    for tool in ("letor4", "yahoo", "sklearn", "catboost"):
        value = evaluate_judged(judged, ["NDCG@5"], tool)["NDCG@5"].mean
        found = identify_judged(judged, "NDCG@5", f"{value:.6f}")
        assert tool in {match.tool for match in found}
        assert all(f"{match.value:.6f}" == f"{value:.6f}" for match in found)


def test_conventions_that_are_no_tools_are_found_simplest_first() -> None:
    judged, odd = data(), parse("NDCG(gain=linear,discount=position,empty=skip)@5")
    value = average(measure_values(judged, [odd])[0], odd, judged)
    found = identify_judged(judged, "NDCG@5", f"{value:.6f}")
    assert found[0].measure == odd and found[0].tool is None


def test_percentages_and_few_decimals() -> None:
    judged = data()
    names = {str(match.measure) for match in identify_judged(judged, "MAP", "38.5%")}
    assert names == {str(match.measure) for match in identify_judged(judged, "MAP", "0.385")}


def test_what_nothing_gives_is_an_empty_list() -> None:
    assert identify_judged(data(), "NDCG@5", "0.123456789") == []


def test_a_figure_must_be_a_number() -> None:
    with pytest.raises(RankwiseError, match=r"a printed figure such as 0\.4136"):
        identify_judged(data(), "NDCG@5", "high")
