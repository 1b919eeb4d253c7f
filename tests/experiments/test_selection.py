"""What decides between combinations, and what only looks as if it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.folds import read_fold
from rankwise.experiments.parameter_search import (
    Search,
    SearchRange,
    Selection,
    list_combinations,
    tune,
)
from rankwise.experiments.running.task_run import run_task
from rankwise.measures.evaluation import evaluate
from tests.experiments.running import planned
from tests.experiments.trial_rankers import OneFeature

# Of labels 3, 2, 2, 0 feature 0 has the 3 on top, then the 0; feature 1 has the two 2.
GRADED = Dataset.from_arrays([[4, 1], [2, 4], [1, 3], [3, 2]], [3, 2, 2, 0], qid=[1] * 4)
BOTH = ({"feature": 0}, {"feature": 1})


@pytest.mark.parametrize(("tool", "best"), [("definition", 0), ("trec_eval", 1)])
def test_the_tool_that_selects_decides(tool: str, best: int) -> None:
    """Gains of 2^label - 1 prefer one document of label 3, those of label two of label 2."""
    chosen = tune(OneFeature, BOTH, GRADED, GRADED, Selection("NDCG@2", tool))
    assert chosen.model.parameters["feature"] == best
    assert [one.value for one in chosen.tried] == [
        evaluate(GRADED, GRADED.features[:, number], ["NDCG@2"], tool)["NDCG@2"].mean
        for number in (0, 1)
    ]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("measure", ["MAP", "RMSE"])
def test_of_equal_combinations_the_first_is_chosen(first: int, measure: str) -> None:
    alike = Dataset.from_arrays([[2, 2], [1, 1], [0, 0]], [2, 1, 0], qid=[1] * 3)
    tried = [BOTH[first], BOTH[1 - first]]
    chosen = tune(OneFeature, tried, alike, alike, Selection(measure, "definition"))
    assert chosen.tried[0].value == chosen.tried[1].value
    assert chosen.model.parameters["feature"] == first


def test_a_method_gets_the_seed_of_its_task(folds: Path) -> None:
    plan = planned(folds, {"name": "tests.experiments.trial_rankers:OneFeature",
                           "set": {"feature": 0}}, folds=[1], seeds=[1, 2])  # fmt: skip
    first, second, again = (
        run_task(task, lambda task: read_fold(task.files)).facts["chance"]
        for task in (*plan.tasks, plan.tasks[0])
    )
    assert first == again != second


@pytest.mark.parametrize("intervals", [{}, {"pause": SearchRange(0.0, 1.0)}])
def test_another_seed_draws_other_combinations(intervals: dict[str, SearchRange]) -> None:
    drawn = [
        list_combinations(OneFeature, Search({}, {"feature": range(50)}, intervals, 3, seed))
        for seed in (0, 0, 1, 2)
    ]
    assert drawn[0] == drawn[1]
    assert drawn[1] != drawn[2] != drawn[3] != drawn[1]
