"""A measure that has one value whatever the ranking: it is found out, with the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli.measures.evaluate_command import evaluate
from rankwise.data.checking import check_dataset
from rankwise.measures.constancy import explain_constant, find_deciding
from tests.cli.command import run

FIVE_AND_SEVEN = np.array([0, 5, 12])
GRADES = [0, 1, 2, 3, 4, 0, 0, 1, 1, 2, 3, 0]


@pytest.mark.parametrize(
    ("labels", "measure", "tool", "reason"),
    [
        (np.array(GRADES) + 1, "MAP", "definition", "is 1.0000 for every ranking: no document is "
         "irrelevant, labels begin at 1"),
        (np.array(GRADES) + 1, "MRR", "trec_eval", "no document is irrelevant"),
        (np.array(GRADES) / 10, "MAP", "definition", "is 0.0000 for every ranking: no document is "
         "relevant, labels end at 0.4"),
        ([1] * 5 + [0] * 7, "P@1", "definition", "no query has both relevant and irrelevant"),
        ([3] * 12, "NDCG@10", "definition", "no query has documents of different labels"),
        (GRADES, "P@10", "definition", "no query has more than 10 documents"),
        (GRADES, "NDCG@10", "letor4", "no query has more than 10 documents"),
    ],
)  # fmt: skip
def test_the_reason_says_what_the_data_lack(
    labels: list[float], measure: str, tool: str, reason: str
) -> None:
    found = explain_constant(np.array(labels, float), FIVE_AND_SEVEN, measure, tool)
    assert found is not None
    assert found.startswith(f"{measure} ({tool}) ")
    assert reason in found


@pytest.mark.parametrize("measure", ["MAP", "NDCG@1", "P@1", "MRR", "RMSE", "tau"])
def test_a_measure_that_some_order_changes_has_none(measure: str) -> None:
    assert explain_constant(np.array(GRADES, float), FIVE_AND_SEVEN, measure, "definition") is None


def test_the_value_that_is_told_is_that_of_any_ranking() -> None:
    """P@10 of 4 and 4 relevant documents among fewer than ten."""
    found = explain_constant(np.array(GRADES, float), FIVE_AND_SEVEN, "P@10", "definition")
    assert found is not None
    assert f"is {(4 / 10 + 4 / 10) / 2:.4f} for" in found


def test_an_own_measure_may_look_at_anything_but_the_top() -> None:
    """The label in the middle is the same under both orders by label, not in that of the file."""
    labels = np.array([0.0, 1.0, 2.0, 2.0, 1.0, 0.0, 1.0])
    name = f"{__name__}:middle"
    assert explain_constant(labels, np.array([0, 7]), name, "definition") is None


def middle(ranked: object) -> float:
    """The label in the middle of the list."""
    labels = ranked.labels  # type: ignore[attr-defined]
    return float(labels[len(labels) // 2])


def test_ndcg_decides_where_the_measure_cannot_and_nothing_where_all_are_equal() -> None:
    graded = np.array(GRADES, float)
    assert find_deciding(graded, FIVE_AND_SEVEN, "MAP", "definition") == ("MAP", None)
    name, reason = find_deciding(graded + 1, FIVE_AND_SEVEN, "MAP", "definition")
    assert name == "NDCG@10"
    assert reason is not None
    # LETOR's scripts give short queries 0 at a cut-off that they do not reach.
    assert find_deciding(graded, FIVE_AND_SEVEN, "NDCG@10", "letor4")[0] == "NDCG"
    assert find_deciding(np.ones(12), FIVE_AND_SEVEN, "MAP", "definition")[0] is None


def test_what_a_tool_refuses_is_left_to_it() -> None:
    fractions = np.array(GRADES) / 10
    assert find_deciding(fractions, FIVE_AND_SEVEN, "MAP", "letor4") == ("MAP", None)


def test_an_evaluation_says_that_no_document_is_irrelevant(tmp_path: Path) -> None:
    """Grades 1 to 5: whatever the scores, MAP and P@5 are 1; NDCG is not, and is not named."""
    labels, queries = [1, 3, 5, 2, 4, 1], [1, 1, 1, 2, 2, 2]
    scores = [0.1, 0.9, 0.3, 0.2, 0.5, 0.6]
    asked = ["MAP", "P@3", "NDCG@3"]
    found = rw.evaluate(labels, scores, asked, qid=queries)
    assert found["MAP"].mean == 1.0
    assert found.remarks == (
        "no document is irrelevant to MAP, P@3, as labels begin at 1: every ranking of them has "
        "the same value",
    )
    assert rw.evaluate([0, *labels[1:]], scores, asked, qid=queries).remarks == ()
    data, scored = tmp_path / "data.txt", tmp_path / "a.scores"
    rows = zip(labels, queries, strict=True)
    data.write_text("".join(f"{label} qid:{query} 1:1\n" for label, query in rows))
    scored.write_text("".join(f"{score}\n" for score in scores))
    result = run(evaluate, data, scored, "-m", "MAP", "-m", "NDCG@3")
    assert "no document is irrelevant to MAP, as labels begin at 1" in result.stderr
    (fault,) = check_dataset(rw.read(data), "data.txt")
    assert fault.kind == "no irrelevant document"
    assert "found none below 1" in fault.sentence
