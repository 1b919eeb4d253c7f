"""The measure that is asked for reaches the ranker's own choice, under every tool."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from rankwise.checks.made import planted
from rankwise.cli.rankers.training_commands import train
from rankwise.data.dataset import Dataset
from rankwise.data.reading import write
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.experiments import parameter_search
from rankwise.experiments.parameter_search import Selection, tune
from rankwise.experiments.planning import measured_parameters, selected_by, selecting_parameter
from rankwise.measures.evaluation import evaluate
from rankwise.measures.tools.registry import TOOLS
from rankwise.models import load_model
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.cli.command import run
from tests.experiments.running import planned
from tests.experiments.trial_rankers import OneFeature
from tests.rankers.torch_marks import with_marks

LOOKING = [name for name in ranker_names() if find_ranker(name).uses_measure]
# These look at the measure without choosing a round by it on validation data.
CHOOSES_NO_ROUND = {
    **dict.fromkeys(["listnet", "listmle", "groupmle", "kl-crf", "energyndcg"],
                    "without hidden layers the minimum is reached"),
    **dict.fromkeys(["fsmrank", "fsm-svm", "gas-e"], "it is the importance of a feature"),
    "best-feature": "it chooses the feature, on training data",
    "bl-mart": "each tree's bag chooses on the queries that it left out",
}  # fmt: skip
# The least that lets a choice be made; names that a ranker does not have are left out.
QUICK = {
    "rounds": 4,
    "restarts": 2,
    "halvings": 1,
    "starts": 1,
    "bags": 2,
    "population": 6,
    "generations": 3,
    "leaf_documents": 1,
    "label_mapping": "chosen",
}


def _quick(name: str) -> dict[str, Any]:
    declared = {one.name for one in find_ranker(name).declared_parameters()}
    return {key: value for key, value in QUICK.items() if key in declared}


@pytest.mark.parametrize("name", with_marks(LOOKING))
@pytest.mark.parametrize("measure", ["NDCG@1", "P@2"])
def test_what_is_asked_for_chooses_the_round_of_every_ranker(
    name: str, measure: str, folds: Path
) -> None:
    """The figure that a ranker says it chose by is that of the measure, on validation."""
    ranker = find_ranker(name)
    plan = planned(folds, {"name": name, "set": _quick(name)}, folds=[1],
                   selection={"measure": measure})  # fmt: skip
    parameter = selecting_parameter(ranker)
    assert parameter is not None
    combination = plan.tasks[0].combinations[0]
    assert combination[parameter] == measure
    data, validation = _plain()
    model = ranker(**combination).fit(data, validation)
    if name in CHOOSES_NO_ROUND:
        assert "selection" not in model.facts, CHOOSES_NO_ROUND[name]
        return
    # Stumps tie many documents, whose order in the file must not choose among them.
    ties = "expected" if model.scorer.kind in ("stumps", "projected-boosting") else None
    scores = model.score(validation)
    figure = evaluate(validation, scores, [measure], plan.tasks[0].selection.tool, ties=ties)
    assert model.facts["selection"] == pytest.approx(figure[measure].mean, abs=1e-12)


@pytest.mark.parametrize("name", LOOKING)
def test_where_nothing_is_asked_for_the_rule_of_the_ranker_stands(name: str, folds: Path) -> None:
    plan = planned(folds, {"name": name}, folds=[1])
    assert not {"measure", "selection"} & set(plan.tasks[0].combinations[0])
    assert plan.tasks[0].selection.measure == "MAP"


def test_a_search_that_names_its_own_measure_keeps_it(folds: Path) -> None:
    plan = planned(folds, {"name": "lambdamart", "set": {"measure": "NDCG@3"}}, folds=[1],
                   selection={"measure": "NDCG@1"})  # fmt: skip
    assert plan.tasks[0].combinations[0]["measure"] == "NDCG@3"
    assert plan.tasks[0].selection.measure == "NDCG@1"


@lru_cache(maxsize=1)
def _plain() -> tuple[Dataset, Dataset]:
    return planted(12), planted(8, seed=1)


@lru_cache(maxsize=1)
def _named(levels: int) -> tuple[Dataset, Dataset]:
    train, validation = (planted(count, 10, levels=levels, seed=count) for count in (6, 4))
    return _name_documents(train), _name_documents(validation)


def _name_documents(dataset: Dataset) -> Dataset:
    names = [f"d{row}" for row in range(dataset.n_documents)]
    return replace(dataset, document_ids=TextColumn.from_texts(names))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", with_marks(LOOKING))
def test_no_ranker_needs_a_measure_that_its_tool_does_not_compute(name: str, tool: str) -> None:
    """Labels 0 and 1, and documents by name, are what some of the tools ask for.

    The MAP of mslr takes documents for relevant from label 2 on. LETOR's scripts score queries of
    fewer than ten documents 0, whatever is learnt.
    """
    ranker = find_ranker(name)
    data, validation = _named(3 if tool == "mslr" else 2)
    tried: list[dict[str, Any]] = []
    for parameters in (
        {"tool": tool, **selected_by(ranker, None, tool)},
        measured_parameters(ranker, None, tool),
        measured_parameters(ranker, "NDCG@10", tool),
    ):
        if parameters in tried:
            continue
        tried.append(parameters)
        model = ranker(**{**_quick(name), **parameters}).fit(data, validation)
        assert model.parameters["tool"] == tool


@pytest.mark.parametrize("name", ["adarank-map", "dearank-i-map"])
def test_a_method_named_after_its_measure_keeps_it(name: str) -> None:
    """yahoo computes no MAP: the definition's is boosted, and the model says so."""
    ranker = find_ranker(name)
    made = ranker(rounds=3, **measured_parameters(ranker, None, "yahoo"))
    model = made.fit(planted(8), planted(5, seed=1))
    assert model.parameters["measure"] == "MAP"
    assert model.facts["measure_of_tool"] == "definition"
    plain = ranker(rounds=3, tool="letor4").fit(planted(8), planted(5, seed=1))
    assert "measure_of_tool" not in plain.facts


def test_the_usual_measure_of_a_tool_without_map_is_reported(tmp_path: Path) -> None:
    write(planted(), tmp_path / "train.txt")
    options = ("--ranker", "ridge-regression", "--tool", "yahoo", "-o", tmp_path / "model.json")
    assert "training NDCG@10 (yahoo): " in run(train, tmp_path / "train.txt", *options).stderr


def test_train_passes_the_measure_to_what_it_trains_towards_and_chooses_by(tmp_path: Path) -> None:
    write(planted(), tmp_path / "train.txt")
    options = ("--ranker", "lambdarank", "-m", "NDCG@3", "--set", "rounds=3", "--tool", "yahoo")
    run(train, tmp_path / "train.txt", *options, "-o", tmp_path / "model.json")
    found = load_model(tmp_path / "model.json").parameters
    assert (found["measure"], found["selection"], found["tool"]) == ("NDCG@3", "NDCG@3", "yahoo")


def test_a_measure_that_cannot_choose_a_round_is_refused_before_anything_runs(folds: Path) -> None:
    sentence = r"RMSE judges scores.* round of lambdamart; .*set = \{ measure = "
    with pytest.raises(RankwiseError, match=sentence):
        planned(folds, {"name": "lambdamart"}, folds=[1], selection={"measure": "RMSE"})
    own = {"name": "lambdamart", "set": {"measure": "MAP"}}
    planned(folds, own, folds=[1], selection={"measure": "RMSE"})


def last_place(labels: Any) -> float:
    """An own measure: where the last relevant document stands, the lower the better."""
    return float(max((place for place, label in enumerate(labels, 1) if label > 0), default=0))


last_place.lower_is_better = True  # type: ignore[attr-defined]


def test_what_falls_as_rankings_get_better_trains_nothing() -> None:
    with pytest.raises(RankwiseError, match=r"must rise as rankings get better"):
        TrainingMeasure.of(planted(3), "tests.experiments.test_measured:last_place")


@pytest.mark.parametrize("measure", ["MAP", "RMSE"])
@pytest.mark.parametrize("absent", [None, math.nan])
def test_a_figure_that_is_missing_never_wins(
    measure: str, absent: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = iter([absent, 0.5, absent])
    monkeypatch.setattr(parameter_search, "evaluate_model", lambda *given: next(figures))
    data = planted(3)
    tried = [{"feature": number} for number in range(3)]
    chosen = tune(OneFeature, tried, data, data, Selection(measure, "definition"))
    assert chosen.model.parameters["feature"] == 1
