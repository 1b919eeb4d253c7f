"""Values of hyper-parameters, and names that these have in other libraries."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers import make_ranker
from rankwise.rankers.parameters import OTHER_NAMES, parameters_of, with_own_names
from rankwise.rankers.registry import find_ranker, ranker_names


@pytest.mark.parametrize(
    ("ranker", "name", "given", "kept"),
    [
        ("lambdamart", "leaves", np.int64(7), 7),
        ("lambdamart", "leaves", np.uint8(7), 7),
        ("lambdamart", "learning_rate", np.float32(0.5), 0.5),
        ("lambdamart", "learning_rate", np.int32(1), 1),
        ("lambdamart", "query_norm", np.bool_(False), False),
    ],
)
def test_numbers_of_numpy_are_numbers(ranker: str, name: str, given: Any, kept: Any) -> None:
    found = make_ranker(ranker, **{name: given}).parameters()[name]
    assert (type(found), found) == (type(kept), kept)
    assert json.dumps(found) == json.dumps(kept)


def test_numbers_of_numpy_reach_rankers_of_ones_own_as_plain_ones() -> None:
    found = make_ranker("tests.rankers.own_rankers:Needy", depth=np.int64(3))
    assert type(found.parameters()["depth"]) is int


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, np.float64("inf")])
@pytest.mark.parametrize("ranker", ranker_names())
def test_what_is_not_finite_is_refused(ranker: str, value: float) -> None:
    for declared in parameters_of(find_ranker(ranker)):
        if isinstance(declared.default, int | float):
            with pytest.raises(RankwiseError, match=f"{declared.name} must be "):
                make_ranker(ranker, **{declared.name: value})


@pytest.mark.parametrize(("name", "value"), [("leaves", 7.0), ("leaves", True), ("query_norm", 1)])
def test_values_of_another_kind_are_refused(name: str, value: object) -> None:
    with pytest.raises(RankwiseError, match=f"lambdamart: {name} must be .*, found {value!r}"):
        make_ranker("lambdamart", **{name: value})


@pytest.mark.parametrize(
    ("ranker", "theirs", "own"),
    [
        ("lambdamart", "n_estimators", "rounds"),
        ("random-forest", "n_estimators", "trees"),
        ("swarmrank", "max_iter", "generations"),
        ("self-attention", "max_iter", "epochs"),
        ("ranksvm", "max_iter", "rounds"),
        ("lambdamart", "colsample_bytree", "feature_fraction"),
        ("bl-mart", "feature_fraction", "feature_share"),
        ("bagboo", "colsample_bytree", "feature_share"),
        ("random-forest", "colsample_bynode", "feature_share"),
        ("random-forest", "subsample", "document_share"),
        ("bl-mart", "bagging_fraction", "document_share"),
        ("bl-mart", "lambdarank_truncation_level", "truncation"),
        ("listnet", "lr", "learning_rate"),
    ],
)
def test_names_that_mean_the_same(ranker: str, theirs: str, own: str) -> None:
    known = [one.name for one in parameters_of(find_ranker(ranker))]
    assert with_own_names({theirs: 1}, known) == {own: 1}
    if theirs not in known:
        with pytest.raises(RankwiseError, match=f"its name here is '{own}'"):
            make_ranker(ranker, **{theirs: 1})


@pytest.mark.parametrize(
    ("ranker", "theirs"),
    [
        ("qd-knn", "max_depth"),
        ("gprank", "max_depth"),
        ("lambdamart", "max_depth"),
        ("ranksvm", "n_estimators"),
        ("sparserank", "num_boost_round"),
        ("random-forest", "colsample_bytree"),
        ("listnet", "eta"),
        ("lambdamart", "subsample"),
    ],
)
def test_names_that_mean_something_else_reach_nothing(ranker: str, theirs: str) -> None:
    known = [one.name for one in parameters_of(find_ranker(ranker))]
    assert with_own_names({theirs: 0.5}, known) == {theirs: 0.5}
    with pytest.raises(RankwiseError, match=f"{ranker} has no parameter '{theirs}'"):
        make_ranker(ranker, **{theirs: 0.5})


def test_every_name_here_is_one_of_a_ranker() -> None:
    every = [{one.name for one in parameters_of(find_ranker(name))} for name in ranker_names()]
    for theirs, ours in OTHER_NAMES.items():
        for own, beside in ours.items():
            assert any({own, beside or own} <= known for known in every), (theirs, own)
        for known in every:
            meant = [own for own, beside in ours.items() if {own, beside or own} <= known]
            assert len(meant) <= 1, (theirs, meant)
