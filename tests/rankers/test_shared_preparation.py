"""What trainings share is prepared once, for the same data and settings, and then let go."""

from __future__ import annotations

import weakref

import pytest

from rankwise.experiments.parameter_search import Search, Selection, list_combinations, tune
from rankwise.rankers.dea import dearank
from rankwise.rankers.ranker import prepare_once, sharing_preparations
from rankwise.rankers.registry import find_ranker
from tests.rankers.boosting_data import made


class Thing:
    """Something whose end can be seen."""


def test_without_sharing_everybody_prepares() -> None:
    data = made(1)
    assert prepare_once("x", data, 1, Thing) is not prepare_once("x", data, 1, Thing)


def test_the_same_data_and_settings_are_prepared_once() -> None:
    data, other = made(1), made(1)
    with sharing_preparations():
        first = prepare_once("x", data, (1, "a"), Thing)
        assert prepare_once("x", data, (1, "a"), Thing) is first
        assert prepare_once("y", data, (1, "a"), Thing) is not first
        assert prepare_once("x", data, (2, "a"), Thing) is not first
        assert prepare_once("x", other, (2, "a"), Thing) is not first


def test_nothing_is_kept_beyond_its_successor_or_the_block() -> None:
    data = made(1)
    with sharing_preparations():
        first = weakref.ref(prepare_once("x", data, 1, Thing))
        assert first() is not None
        second = weakref.ref(prepare_once("x", data, 2, Thing))
        assert first() is None
        assert second() is not None
    assert second() is None


def test_tuned_settings_of_dearank_share_their_programs_and_change_no_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train, validation = made(2, queries=10), made(3, queries=6)
    ranker = find_ranker("dearank-i-ndcg")
    tried = list_combinations(ranker, Search({"rounds": 5}, {"best": (0, 3)}, {}))
    alone = [ranker(**setting).fit(train, validation) for setting in tried]
    solved: list[object] = []
    original = dearank.candidates

    def counted(*arguments: object) -> object:
        solved.append(arguments)
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(dearank, "candidates", counted)
    chosen = tune(ranker, tried, train, validation, Selection("MAP", "definition"))
    assert len(tried) == 4
    assert len(solved) == 1
    same = next(model for model in alone if model.parameters == chosen.model.parameters)
    assert chosen.model.scorer.as_json() == same.scorer.as_json()
    assert chosen.model.facts == same.facts
