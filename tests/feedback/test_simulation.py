"""Simulated logs: the same bytes whoever makes them, and lists as their randomization says."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.feedback import Cascade, ClickLog, simulate_clicks
from rankwise.feedback.simulation import SessionSetting, prepare_simulation
from tests.feedback.made import few_queries, one_list

PROGRAM = """
from tests.feedback.test_simulation import digest, make
print(digest(make()))
"""


def make(threads: int | None = None) -> ClickLog:
    return simulate_clicks(
        few_queries(), 70_000, logging=["feature:2", "random"], randomization="plackett-luce",
        user="dynamic-bayesian:informational", seed=11, threads=threads,
    )  # fmt: skip


def digest(log: ClickLog) -> str:
    arrays = (log.session_queries, log.session_offsets, log.rows, log.positions, log.clicks)
    return hashlib.sha256(b"".join(one.tobytes() for one in arrays)).hexdigest()


def test_same_seed_same_bytes_with_any_number_of_threads() -> None:
    assert digest(make(1)) == digest(make(3)) == digest(make())


def test_same_seed_same_bytes_in_another_process() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.strip() == digest(make()), done.stderr


def test_another_seed_is_another_log() -> None:
    data = few_queries()
    logs = [simulate_clicks(data, 500, logging="feature:1", seed=seed) for seed in (1, 2)]
    assert digest(logs[0]) != digest(logs[1])


def test_a_part_is_what_the_whole_has_there() -> None:
    simulation = prepare_simulation(few_queries(), logging="feature:1", randomization="shuffle")
    whole, part = simulation.draw(0, 400), simulation.draw(150, 100)
    assert digest(whole.take_sessions(slice(150, 250))) == digest(part)
    blocks = list(simulation.blocks(400, most=777))
    assert sum(one.n_sessions for one in blocks) == 400
    assert np.array_equal(np.concatenate([one.clicks for one in blocks]), whole.clicks)


def positions_of(log: ClickLog, row: int) -> np.ndarray:
    return np.bincount(log.positions[log.rows == row], minlength=9)[1:] / log.n_sessions


def test_shuffled_lists_have_every_document_everywhere() -> None:
    log = simulate_clicks(one_list(), 40_000, logging="feature:1", randomization="shuffle", shown=0)
    for row in range(8):
        assert positions_of(log, row) == pytest.approx(np.full(8, 1 / 8), abs=0.008)


def test_swapped_lists_have_the_first_document_everywhere_else_once() -> None:
    log = simulate_clicks(one_list(), 40_000, logging="feature:1", randomization="swap", shown=0)
    assert positions_of(log, 0) == pytest.approx(np.full(8, 1 / 8), abs=0.008)
    assert positions_of(log, 3) == pytest.approx(np.eye(8)[0] / 8 + np.eye(8)[3] * 7 / 8, abs=0.008)


def test_plackett_luce_draws_in_proportion_to_the_exponential_of_scores() -> None:
    scores = np.linspace(0.0, 2.0, 8)
    log = simulate_clicks(
        one_list(), 40_000, logging=scores, randomization="plackett-luce", shown=3, temperature=0.5
    )
    chances = np.exp(scores / 0.5) / np.exp(scores / 0.5).sum()
    first = log.rows[log.positions == 1]
    assert np.bincount(first, minlength=8) / 40_000 == pytest.approx(chances, abs=0.01)
    after = log.rows[log.positions == 2][first == 7]
    others = chances[:7] / chances[:7].sum()
    assert np.bincount(after, minlength=7) / len(after) == pytest.approx(others, abs=0.02)


def test_short_queries_have_short_lists() -> None:
    data = few_queries()
    log = simulate_clicks(data, 2_000, logging="random", shown=10)
    lengths = np.diff(log.session_offsets)
    assert np.array_equal(lengths, np.minimum(data.query_lengths, 10)[log.session_queries])
    assert log.facts()["sessions"] == 2_000


def test_a_logging_ranker_learns_from_few_queries() -> None:
    data = few_queries()
    log = simulate_clicks(data, 500, logging="best-feature", share=0.1, seed=1)
    same = simulate_clicks(data, 500, logging="best-feature", share=0.1, seed=1)
    assert digest(log) == digest(same)


def test_compiled_code_never_meets_a_grade_that_the_user_lacks() -> None:
    with pytest.raises(RankwiseError, match="each of the 3 grades of the labels, found 2"):
        SessionSetting(one_list(), Cascade((0.0, 1.0)), 5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sessions": 0}, "at least 1 session, found 0"),
        ({"randomization": "some"}, "none, shuffle, swap, plackett-luce, found 'some'"),
        ({"logging": "feature:99"}, "a number from 1 to 1, found '99'"),
        ({"shown": -1}, "at least 1 document"),
        ({"logging": np.zeros(3)}, r"one score a document \(8\), found \(3,\)"),
    ],
)
def test_what_is_refused(wrong: dict[str, object], message: str) -> None:
    how: dict[str, object] = {"sessions": 10, "logging": "feature:1", **wrong}
    with pytest.raises(RankwiseError, match=message):
        simulate_clicks(one_list(), **how)  # type: ignore[arg-type]
