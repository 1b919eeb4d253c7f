"""Counterfactual estimators: unbiased over seeds, honest intervals, and warnings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.feedback import (
    ClickLog,
    PositionBased,
    evaluate_from_log,
    power_propensities,
    simulate_clicks,
)
from rankwise.feedback.counterfactual_evaluation import expected_worth, gather_evidence
from tests.feedback.made import few_queries, one_list

USER = PositionBased((0.1, 0.4, 0.8))
DATA = few_queries(12)
TARGET = DATA.features[:, 2]
PROPENSITIES = power_propensities(60, 1.0)


def truth(goal: str) -> float:
    attraction = np.array(USER.attraction)[DATA.labels.astype(int)]
    return float(expected_worth(DATA, TARGET, attraction, PROPENSITIES, goal).mean())


def make_log(seed: int, sessions: int = 3_000, **how: object) -> ClickLog:
    chosen = {"user": USER, "shown": 0, "logging": "feature:10", "seed": seed, **how}
    return simulate_clicks(DATA, sessions, **chosen)  # type: ignore[arg-type]


def shuffled_exposures() -> np.ndarray:
    """What a document is exposed on average in lists of all documents in an order of chance."""
    lengths = DATA.query_lengths
    means = np.array([np.mean(np.arange(1.0, length + 1.0) ** -1.0) for length in lengths])
    return np.repeat(means, lengths)


def check_unbiased(seeds: int, sessions: int, covered_at_least: float) -> None:
    """The mean of the estimates is the truth within its own error, and 95 % intervals cover it."""
    cases = {
        "logged in order, ρ by position": ({}, "position"),
        "shuffled, ρ known": ({"randomization": "shuffle"}, shuffled_exposures()),
        "shuffled, ρ from the log": ({"randomization": "shuffle"}, "log"),
    }
    for goal in ("DCG@10", "clicks@5"):
        for name, (how, exposures) in cases.items():
            found: dict[str, list[tuple[float, bool]]] = {}
            for seed in range(seeds):
                log = make_log(seed, sessions, **how)
                result = evaluate_from_log(
                    log, TARGET, PROPENSITIES, goal=goal, exposures=exposures
                )
                for one in result.estimates:
                    covered = one.low <= truth(goal) <= one.high
                    found.setdefault(one.estimator, []).append((one.value, covered))
            for estimator, runs in found.items():
                values = np.array([value for value, _ in runs])
                error = values.std(ddof=1) / np.sqrt(seeds)
                where = (goal, name, estimator, values.mean(), truth(goal), error)
                assert abs(values.mean() - truth(goal)) < 3.5 * error, where
                assert np.mean([covered for _, covered in runs]) >= covered_at_least, where


def test_estimators_are_unbiased_within_their_intervals_over_20_seeds() -> None:
    check_unbiased(20, 2_000, 0.8)


@pytest.mark.slow
def test_estimators_are_unbiased_within_their_intervals_over_200_seeds() -> None:
    check_unbiased(200, 4_000, 0.92)


def test_naive_clicks_are_biased() -> None:
    flat = power_propensities(60, 0.0)
    (found,) = evaluate_from_log(make_log(1), TARGET, flat, estimators=["ips"]).estimates
    assert not found.low <= truth("DCG@10") <= found.high


def test_doubly_robust_varies_less() -> None:
    log = make_log(1, 20_000, randomization="shuffle")
    ips, dr = evaluate_from_log(
        log, TARGET, PROPENSITIES, estimators=["ips", "dr"], exposures=shuffled_exposures()
    ).estimates
    assert dr.standard_error < 0.95 * ips.standard_error


def test_doubly_robust_changes_nothing_where_lists_are_whole_and_fixed() -> None:
    ips, dr = evaluate_from_log(
        make_log(1), TARGET, PROPENSITIES, estimators=["ips", "dr"]
    ).estimates
    assert dr.value == pytest.approx(ips.value)


def test_self_normalization_changes_nothing_where_lists_are_whole() -> None:
    ips, snips = evaluate_from_log(
        make_log(1), TARGET, PROPENSITIES, estimators=["ips", "snips"]
    ).estimates
    assert snips.value == pytest.approx(ips.value)


def test_the_equation_of_inverse_propensity_scoring() -> None:
    log = simulate_clicks(one_list(), 3, user=USER, logging="feature:1", shown=0, seed=4)
    scores = np.array([3.0, 1, 2, 0, 7, 6, 5, 4])
    ranks = {row: rank for rank, row in enumerate(np.argsort(-scores), 1)}
    total = 0.0
    for row, position, click in zip(log.rows, log.positions, log.clicks, strict=True):
        if click and ranks[row] <= 3:
            total += 1 / np.log2(1 + ranks[row]) / (1 / position)
    (found,) = evaluate_from_log(
        log, scores, PROPENSITIES, goal="DCG@3", estimators=["ips"]
    ).estimates
    assert found.value == pytest.approx(total / 3)


def test_sums_by_session_keep_their_digits() -> None:
    """A session of large values before them takes nothing from small ones."""
    log = make_log(1, 40)
    evidence = gather_evidence(log, TARGET, PROPENSITIES)
    values = np.full(log.n_impressions, 0.1)
    values[: log.session_offsets[1]] = 1e17
    expected = [sum(values[a:b].tolist()) for a, b in pairwise(log.session_offsets.tolist())]
    assert evidence.by_session(values).tolist() == expected


def test_a_log_of_clicks_alone_or_of_none_is_refused() -> None:
    log = make_log(1, 20)
    with pytest.raises(RankwiseError, match="found a click on each"):
        evaluate_from_log(replace(log, clicks=np.ones_like(log.clicks)), TARGET, PROPENSITIES)
    with pytest.raises(RankwiseError, match="found none"):
        evaluate_from_log(replace(log, clicks=np.zeros_like(log.clicks)), TARGET, PROPENSITIES)


def test_a_warning_where_weights_explode() -> None:
    severe = PositionBased((0.1, 0.4, 0.8), severity=2.0)
    log = make_log(1, 300, user=severe)
    found = evaluate_from_log(log, TARGET, power_propensities(60, 2.0)).estimates[0]
    assert found.effective_clicks < 100
    assert "of equal weight: too few" in found.warnings[0]
    assert any("has" in warning and "of all weight" in warning for warning in found.warnings)
    log = make_log(1, 60_000, user=severe)
    found = evaluate_from_log(log, TARGET, power_propensities(60, 2.0)).estimates[0]
    assert "weights explode" in found.warnings[0]


def test_a_warning_where_the_log_shows_too_little() -> None:
    log = make_log(1, shown=3)
    found = evaluate_from_log(log, TARGET, PROPENSITIES).estimates[0]
    assert found.coverage < 1.0
    assert "documents that the log never showed" in found.warnings[-1]


def test_what_is_refused() -> None:
    log = make_log(1, 20)
    with pytest.raises(RankwiseError, match="DCG@k, P@k and clicks@k, such as DCG@10, found 'MAP'"):
        gather_evidence(log, TARGET, PROPENSITIES, "MAP")
    with pytest.raises(RankwiseError, match="one score a document"):
        gather_evidence(log, TARGET[:5], PROPENSITIES)
    with pytest.raises(RankwiseError, match="by position or from the log, found 'some'"):
        gather_evidence(log, TARGET, PROPENSITIES, exposures="some")
    with pytest.raises(RankwiseError, match="no estimator 'ipw'"):
        evaluate_from_log(log, TARGET, PROPENSITIES, estimators=["ipw"])
