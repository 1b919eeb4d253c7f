"""Experiments with wrappers: the grid of the wrapped ranker is reached, its code counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.checks.made import planted
from rankwise.data.folds import split_folds, write_folds
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import configure
from rankwise.experiments.digests import digest_code
from rankwise.experiments.planning import Task, expand
from rankwise.rankers.registry import make_ranker
from tests.rankers.test_wrapper import BARE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("data") / "folds"
    write_folds(split_folds(planted(15), 5), home)
    return home


def tasks(folder: Path, **ranker: Any) -> list[Task]:
    content = {
        "data": [{"path": str(folder)}],
        "folds": [1],
        "measures": ["MAP"],
        "rankers": [{"name": BARE, **ranker}],
    }
    return list(expand(configure(content)).tasks)


def tried(folder: Path, **ranker: Any) -> list[tuple[str, int]]:
    [task] = tasks(folder, **ranker)
    return [(one.get("settings", ""), one["times"]) for one in task.combinations]


def test_the_grid_of_the_wrapped_ranker_is_tried(folder: Path) -> None:
    grid = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    expected = {(f"regularization={value}", times) for times in (1, 2) for value in grid}
    found = tried(folder)
    assert len(found) == len(expected)
    assert set(found) == expected


def test_parameters_of_the_wrapped_ranker_are_set_and_tried(folder: Path) -> None:
    found = tried(
        folder,
        set={"of": "ranksvm", "of.gap": 0.01, "times": 1},
        grid={"of.regularization": [0.5, 2.0]},
    )
    assert found == [("gap=0.01,regularization=0.5", 1), ("gap=0.01,regularization=2.0", 1)]


def test_settings_say_all_of_the_wrapped_ranker(folder: Path) -> None:
    assert tried(folder, set={"settings": "regularization=3"}) == [
        ("regularization=3", 1),
        ("regularization=3", 2),
    ]
    texts = ["regularization=3", "regularization=4"]
    assert len(tried(folder, grid={"settings": texts, "times": [1]})) == 2


def test_draws_choose_among_all_of_both(folder: Path) -> None:
    found = tried(folder, draws=5)
    assert len(set(found)) == 5
    drawn = tried(folder, draws=3, draw={"of.regularization": {"low": 0.1, "high": 1.0}})
    assert len(set(drawn)) == 3


def test_the_convention_reaches_the_wrapped_ranker(folder: Path) -> None:
    [task] = tasks(folder, set={"of": "adarank-map", "times": 1}, tools=["letor3"])
    assert len(task.combinations) > 0
    for one in task.combinations:
        assert make_ranker(BARE, **one).wrapped.parameters()["tool"] == "letor3"  # type: ignore[attr-defined]


def test_the_code_of_the_wrapped_ranker_counts(folder: Path) -> None:
    codes = {
        of: tasks(folder, set={"of": of, "settings": "", "times": 1})[0].code
        for of in ("ridge-regression", "rankboost")
    }
    assert codes["rankboost"] == digest_code(BARE, (), ("rankboost",))
    assert len({*codes.values(), digest_code(BARE)}) == 3


@pytest.mark.parametrize(
    ("ranker", "words"),
    [
        ({"grid": {"of": ["ranksvm", "listnet"]}}, "wraps one ranker at a time"),
        ({"set": {"settings": "gap=1", "of.gap": 1}}, "found both"),
        ({"set": {"of.gapp": 1}}, "no parameter 'gapp'"),
    ],
)
def test_contradictions_are_one_sentence(folder: Path, ranker: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        tasks(folder, **ranker)
