"""The Ladder and the groups of a board, by their equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.arena import ladder
from rankwise.arena.boards import letter_groups, separate
from rankwise.arena.ladder import BOOTSTRAP_BELOW, beats_noise, round_to_queries, take_step
from rankwise.comparison.significance_tests import holm, t_test

MANY = 400


def test_a_first_entry_is_shown_rounded_to_one_query() -> None:
    values = np.full(7, 0.5)
    step = take_step(values, 0.5, None, math.nan, errors=2.0)
    assert step.shown and step.value == round(0.5 * 7) / 7 == 4 / 7


@pytest.mark.parametrize("errors", [1.0, 2.0, 3.0])
def test_a_step_is_shown_exactly_where_it_beats_the_noise(errors: float) -> None:
    """mean(d) > z · s / √m, evaluated literally on both sides of the border."""
    rng = np.random.default_rng(1)
    best = rng.random(MANY)
    noise = rng.standard_normal(MANY) * 0.3
    noise -= noise.mean()
    border = errors * np.std(noise, ddof=1) / math.sqrt(MANY)
    for factor, expected in ((1.05, True), (0.95, False)):
        values = best + noise + factor * border
        best_value = round_to_queries(float(best.mean()), MANY)
        step = take_step(values, float(values.mean()), best, best_value, errors=errors)
        assert step.shown == expected
        assert step.value == (
            round_to_queries(float(values.mean()), MANY) if expected else best_value
        )


def test_the_noise_is_looked_at_whatever_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the time would tell whether it was the mean or the noise."""
    looked: list[float] = []

    def look(differences: np.ndarray, errors: float) -> bool:
        looked.append(float(differences.mean()))
        return beats_noise(differences, errors)

    monkeypatch.setattr(ladder, "beats_noise", look)
    best = np.linspace(0.0, 1.0, 50)
    for shift in (-0.1, 0.0, 0.1):
        take_step(best + shift, 0.5 + shift, best, 0.5, errors=2.0)
    assert len(looked) == 3


def test_lower_is_better_turns_the_sign() -> None:
    best = np.linspace(0.0, 1.0, MANY)
    lower = best - 0.1 - 0.01 * np.sin(np.arange(MANY))
    kept = {"errors": 2.0, "lower_is_better": True}
    assert take_step(lower, float(lower.mean()), best, 0.5, **kept).shown  # type: ignore[arg-type]
    assert not take_step(lower, float(lower.mean()), best, 0.5, errors=2.0).shown


def test_what_rounds_to_the_shown_value_is_no_news() -> None:
    best = np.full(MANY, 0.5)
    better = best + 1e-6 * (1.0 + 0.1 * np.sin(np.arange(MANY)))
    assert beats_noise(better - best, 2.0)
    assert not take_step(better, float(better.mean()), best, 0.5, errors=2.0).shown


def test_few_queries_are_drawn_again() -> None:
    """One query that wins by much is luck, also where its mean is high."""
    count = BOOTSTRAP_BELOW - 1
    lucky = np.zeros(count)
    lucky[0] = 50.0
    assert not beats_noise(lucky, 2.0)
    assert beats_noise(np.full(count, 0.1) + 0.01 * np.sin(np.arange(count)), 2.0)
    assert not beats_noise(np.array([1.0]), 1.0)


def test_both_rules_agree_on_normal_differences() -> None:
    rng = np.random.default_rng(4)
    agreed = 0
    for _ in range(40):
        differences = rng.standard_normal(BOOTSTRAP_BELOW - 1) + rng.choice([0.0, 0.4])
        by_error = differences.mean() > 2.0 * np.std(differences, ddof=1) / math.sqrt(
            len(differences)
        )
        agreed += beats_noise(differences, 2.0) == by_error
    assert agreed >= 38


def test_the_same_differences_give_the_same_answer() -> None:
    differences = np.random.default_rng(2).standard_normal(50) + 0.25
    assert len({beats_noise(differences, 2.0) for _ in range(3)}) == 1


def test_groups_are_those_of_paired_tests_with_holm() -> None:
    rng = np.random.default_rng(3)
    queries = rng.random(60)
    values = np.array([queries + shift + 0.1 * rng.random(60) for shift in (0.3, 0.28, 0.1, 0.0)])
    values = np.vstack([values, values[0], values[0] + 0.5])
    pairs = [(i, j) for i in range(len(values)) for j in range(i + 1, len(values))]
    adjusted = holm([t_test(values[j] - values[i]).p_value for i, j in pairs])
    found = separate(values, 0.05)
    for (i, j), p_value in zip(pairs, adjusted, strict=True):
        assert found[i, j] == found[j, i] == (p_value < 0.05)
    assert not found[0, 4] and found[0, 5]


@given(st.integers(1, 7), st.data())
def test_methods_share_a_letter_exactly_where_they_are_not_separated(
    count: int, data: st.DataObject
) -> None:
    separated = np.zeros((count, count), dtype=bool)
    for one in range(count):
        for other in range(one + 1, count):
            separated[one, other] = separated[other, one] = data.draw(st.booleans())
    letters = letter_groups(separated)
    assert all(letters)
    for one in range(count):
        for other in range(one + 1, count):
            shared = bool(set(letters[one]) & set(letters[other]))
            assert shared != separated[one, other]


def test_letters_go_on_after_z() -> None:
    letters = letter_groups(~np.eye(28, dtype=bool))
    assert letters[0] == ("a",) and letters[25] == ("z",) and letters[27] == ("ab",)


def test_too_many_letters_go_to_runs_of_neighbours() -> None:
    """Pairs 0-1, 2-3, … separated alone need a set for each choice of one of every pair."""
    separated = np.zeros((24, 24), dtype=bool)
    for one in range(0, 24, 2):
        separated[one, one + 1] = separated[one + 1, one] = True
    letters = letter_groups(separated)
    assert letters[0] == ("a",) and letters[1] == letters[2] == ("b",)
    for one, other in zip(*np.nonzero(separated), strict=True):
        assert not set(letters[one]) & set(letters[other])
    assert len({letter for own in letters for letter in own}) == 13
