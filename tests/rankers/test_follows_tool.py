"""Rankers that claim to train under a tool's convention do: another convention, another model."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.registry import find_ranker, make_ranker, ranker_names

FOLLOWERS = [name for name in ranker_names() if find_ranker(name).follows_tool]
WITH_A_TOOL = [
    name
    for name in ranker_names()
    if any(p.name == "tool" for p in parameters_of(find_ranker(name)))
]


# These look at the measure to choose features: so few that they must choose.
SETTINGS = {"gas-e": {"keep": 1}, "fsm-svm": {"price": 0.08}}


def graded() -> Dataset:
    """Labels 0 to 3, of which LETOR's scripts take the last for 0; every query has 12 documents.

    The first feature follows the labels, the second what LETOR's scripts take them for.
    """
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 4, 20 * 12).astype(float)
    seen = np.where(labels > 2, 0.0, labels)
    columns = np.stack([labels, seen, labels + seen, 0 * labels], axis=1)
    return Dataset.from_arrays(columns + rng.normal(size=columns.shape), labels, group=[12] * 20)


@pytest.mark.parametrize("name", FOLLOWERS)
def test_another_convention_gives_another_model(name: str) -> None:
    data = graded()
    scores = [
        make_ranker(name, tool=tool, **SETTINGS.get(name, {})).fit(data).score(data)
        for tool in ("definition", "letor4")
    ]
    assert not np.array_equal(scores[0], scores[1])


def test_only_rankers_with_a_tool_claim_to_follow_one() -> None:
    assert set(FOLLOWERS) <= set(WITH_A_TOOL)
    assert {"adarank-ndcg", "coordinate-ascent", "lambdarank", "softrank"} <= set(FOLLOWERS)
    assert not {"ranknet", "rankboost", "mart", "listnet"} & set(FOLLOWERS)


def test_what_a_ranker_trains_under_may_depend_on_its_settings() -> None:
    assert make_ranker("self-attention", loss="neuralndcg").trains_under_tool()
    assert not make_ranker("self-attention", loss="listnet").trains_under_tool()
    assert make_ranker("per-class", of="coordinate-ascent").trains_under_tool()
    assert not make_ranker("per-class", of="ridge-regression").trains_under_tool()
