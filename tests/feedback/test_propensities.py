"""Propensities: recovered from logs of users whose chances are known."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import EarlyRemark, RankwiseError
from rankwise.feedback import (
    ClickLog,
    PositionBased,
    Propensities,
    estimate_propensities,
    power_propensities,
    simulate_clicks,
)
from rankwise.feedback.propensities import flat_propensities
from tests.feedback.made import few_queries, one_list

USER = PositionBased((0.1, 0.4, 0.8), severity=1.0)
TRUE = np.arange(1.0, 9.0) ** -1.0


def make_log(**how: object) -> ClickLog:
    chosen = {"user": USER, "shown": 8, "sessions": 150_000, "seed": 2, **how}
    return simulate_clicks(long_queries(), **chosen)  # type: ignore[arg-type]


def long_queries() -> Dataset:
    data = few_queries(40)
    return data.select_queries(np.flatnonzero(data.query_lengths >= 10))


def check(found: Propensities, most: float) -> None:
    values, errors = np.array(found.values), np.array(found.errors)
    assert values[0] == 1.0
    assert np.all(np.abs(values / TRUE - 1.0) < most)
    assert np.all(np.abs(values - TRUE) < 5.0 * errors + 0.01)


def test_result_randomization() -> None:
    log = make_log(logging="feature:3", randomization="shuffle")
    check(estimate_propensities(log, "randomization"), 0.08)


def test_intervention_harvesting_of_several_rankers() -> None:
    log = make_log(logging=["feature:2", "feature:3", "feature:8", "random"])
    check(estimate_propensities(log, "harvesting"), 0.1)


@pytest.mark.parametrize(("first", "second"), [(40, 20), (30, 27)])
def test_harvesting_from_two_positions_is_the_ratio_of_their_clicks(
    first: int, second: int
) -> None:
    """Two documents change places every other time; `first` sessions click position 1."""
    swapped = np.arange(100) % 2
    rows = np.column_stack([swapped, 1 - swapped])
    clicks = np.column_stack([np.arange(100) < first, np.arange(100) >= 100 - second])
    log = ClickLog(
        Dataset.from_arrays(np.zeros((2, 1)), np.zeros(2), group=[2]),
        np.zeros(100, np.int64),
        np.arange(0, 202, 2),
        rows.ravel(),
        np.tile([1, 2], 100),
        clicks.ravel().astype(np.uint8),
    )
    found = estimate_propensities(log, "harvesting", resamples=0)
    assert found.values == pytest.approx((1.0, second / first), rel=1e-3)


def test_expectation_maximization_of_several_rankers() -> None:
    log = make_log(logging=["feature:2", "feature:3", "feature:8", "random"])
    check(estimate_propensities(log, "em", resamples=5), 0.1)


def test_expectation_maximization_of_swapped_lists() -> None:
    log = make_log(logging="feature:3", randomization="swap")
    check(estimate_propensities(log, "em", resamples=5), 0.1)


def test_regression_em_of_one_ranker_goes_by_the_features() -> None:
    """A made relevance that is logistic in the features, and a log that never moves a document."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(4_000, 2))
    chances = 1.0 / (1.0 + np.exp(-(features @ [1.5, -1.0] - 0.5)))
    labels = (rng.random(4_000) < chances).astype(np.float64)
    data = Dataset.from_arrays(features, labels, group=[8] * 500)
    log = simulate_clicks(
        data, 40_000, user=PositionBased((0.0, 1.0)), logging="feature:1", shown=8
    )
    found = estimate_propensities(log, "regression-em", resamples=0)
    assert np.array(found.values) == pytest.approx(TRUE, rel=0.2)
    assert np.all(np.isnan(found.errors))


def test_a_ranker_that_moves_nothing_tells_nothing() -> None:
    log = make_log(logging="feature:3", sessions=2_000)
    with pytest.raises(RankwiseError, match="no document that links position 2, 3, 4, 5, 6, …"):
        estimate_propensities(log, "em")
    with pytest.raises(RankwiseError, match="harvesting compares the clicks of one document"):
        estimate_propensities(log, "harvesting")
    with pytest.raises(RankwiseError, match="documents that keep their position"):
        estimate_propensities(log, "randomization")


def test_a_log_without_clicks() -> None:
    log = simulate_clicks(one_list(), 20, user=PositionBased((0.0, 0.0, 0.0)), logging="random")
    with pytest.raises(RankwiseError, match="must have clicks to learn from, found none"):
        estimate_propensities(log)
    with pytest.raises(RankwiseError, match="did you mean 'harvesting'"):
        estimate_propensities(make_log(sessions=50, logging="random"), "harvest")


def test_they_are_kept_in_files(tmp_path: Path) -> None:
    found = power_propensities(5, 1.0)
    found.save(tmp_path / "p.json")
    assert Propensities.load(tmp_path / "p.json") == found
    assert found.at(np.array([1, 4])).tolist() == [1.0, 0.25]
    assert flat_propensities(2).values == (1.0, 1.0)
    with pytest.raises(RankwiseError, match="found 6 and propensities for 5"):
        found.at(np.array([6]))
    (tmp_path / "p.json").write_text("[1, 2]")
    with pytest.raises(RankwiseError, match="must be a JSON object with values"):
        Propensities.load(tmp_path / "p.json")
    (tmp_path / "p.json").write_text('{"values": [1.0, 1e-300]}')
    with pytest.raises(RankwiseError, match=r"p\.json: .* found 1e-300 at position 2"):
        Propensities.load(tmp_path / "p.json")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((), "one a position, found none"),
        ((1.0, 0.0), "numbers from 1e-12 up, one a position, found 0 at position 2"),
        ((1.0, 0.5, 1e-300), "found 1e-300 at position 3"),
        ((1.0, np.nan), "found nan at position 2"),
        ((1.0, np.inf), "found inf at position 2"),
        ((0.6, 0.3), "whose own must be 1, found 0.6; divide all of them by it"),
        ((2.0, 1.0), "whose own must be 1, found 2;"),
    ],
)
def test_values_that_are_no_propensities(values: tuple[float, ...], message: str) -> None:
    with pytest.raises(RankwiseError, match=message):
        Propensities(values)


def test_a_position_above_the_first_is_told_where_its_error_does_not_explain_it() -> None:
    with pytest.warns(EarlyRemark, match="position 3 has the propensity 2: users examine it more"):
        Propensities((1.0, 0.5, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Propensities((1.0, 1.05), (0.0, 0.02))
        flat_propensities(5)
        power_propensities(5, 1.0)
    with pytest.warns(EarlyRemark, match="position 2 has the propensity 1.05"):
        Propensities((1.0, 1.05), (0.0, 0.016))


def test_a_log_of_clicks_alone_tells_nothing() -> None:
    log = make_log(sessions=50, logging="random")
    clicked = replace(log, clicks=np.ones_like(log.clicks))
    with pytest.raises(RankwiseError, match="found a click on each of its 400 rows"):
        estimate_propensities(clicked)
