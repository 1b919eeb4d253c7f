"""Click models: simulated clicks against closed forms, and these against all that can happen."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.feedback import (
    CLICK_MODELS,
    Cascade,
    ClickModel,
    DependentClick,
    DynamicBayesian,
    PositionBased,
    make_user,
    simulate_clicks,
)
from rankwise.feedback.users import count_grades, find_click_model
from tests.feedback.made import GRADES, one_list

SESSIONS = 60_000
USERS = [
    f"{name}:{setting}" for name in CLICK_MODELS for setting in find_click_model(name).settings(3)
]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("noise", [None, 0.3])
def test_simulated_clicks_are_as_often_as_expected(user: str, noise: float | None) -> None:
    log = simulate_clicks(
        one_list(), SESSIONS, user=user, noise=noise, logging="feature:1", shown=0, seed=5
    )
    expected = make_user(user, 3, noise).expected_clicks(GRADES)
    found = np.array(log.facts()["click_rate_by_position"])
    errors = np.sqrt(np.maximum(expected * (1.0 - expected), 1e-12) / SESSIONS)
    assert np.all(np.abs(found - expected) <= 4.5 * errors + 1e-9)


def enumerate_clicks(model: ClickModel, grades: np.ndarray) -> np.ndarray:
    """The chance of a click at every position, summed over every course a session can take."""
    tables = model.tables(len(grades))
    total = np.zeros(len(grades))
    for course in product((0, 1), repeat=2 * len(grades)):
        clicks, onwards = course[: len(grades)], course[len(grades) :]
        chance, examining, clicked = 1.0, 1, []
        for place, grade in enumerate(grades):
            if not examining:
                if clicks[place] or onwards[place]:
                    chance = 0.0
                continue
            attraction = tables.attraction[grade]
            chance *= attraction if clicks[place] else 1.0 - attraction
            going_on = tables.perseverance
            if clicks[place]:
                clicked.append(place)
                going_on = (1.0 - tables.satisfaction[grade]) * tables.positions[place]
            chance *= going_on if onwards[place] else 1.0 - going_on
            examining = onwards[place]
        total[clicked] += chance
    return total


@pytest.mark.parametrize(
    "model",
    [
        Cascade((0.1, 0.4, 0.9)),
        DependentClick((0.1, 0.4, 0.9), stop=(0.1, 0.5, 0.8)),
        DependentClick((0.2, 0.5, 0.8), onward=(0.9, 0.7, 0.4)),
        DynamicBayesian((0.1, 0.4, 0.9), satisfaction=(0.0, 0.3, 0.8), perseverance=0.7),
    ],
    ids=lambda model: model.name,
)
def test_closed_forms_sum_over_all_courses_of_a_session(model: ClickModel) -> None:
    grades = np.array([1, 0, 2, 1])
    assert model.expected_clicks(grades) == pytest.approx(
        enumerate_clicks(model, grades), abs=1e-12
    )


def test_the_equations_of_the_docstrings() -> None:
    a, grades = np.array([0.1, 0.4, 0.9]), np.array([1, 2, 0])
    b = a[grades]
    assert Cascade(tuple(a)).expected_clicks(grades) == pytest.approx(
        [b[0], (1 - b[0]) * b[1], (1 - b[0]) * (1 - b[1]) * b[2]]
    )
    assert PositionBased(tuple(a), severity=2.0).expected_clicks(grades) == pytest.approx(
        [b[0], b[1] / 4, b[2] / 9]
    )
    bayesian = DynamicBayesian(tuple(a), satisfaction=(0.2, 0.5, 0.6), perseverance=0.9)
    second = 0.9 * (1 - b[0] * 0.5)
    assert bayesian.expected_clicks(grades) == pytest.approx(
        [b[0], second * b[1], second * 0.9 * (1 - b[1] * 0.6) * b[2]]
    )
    dependent = DependentClick(tuple(a), onward=(0.5, 0.25))
    second = 1 - b[0] * (1 - 0.5)
    assert dependent.expected_clicks(grades) == pytest.approx(
        [b[0], second * b[1], second * (1 - b[1] * (1 - 0.25)) * b[2]]
    )


def test_published_settings() -> None:
    perfect = make_user("dependent-click:perfect", 3)
    assert (perfect.attraction, perfect.stop) == ((0.0, 0.5, 1.0), (0.0, 0.0, 0.0))
    navigational = make_user("dependent-click:navigational", 5)
    assert navigational.attraction == (0.05, 0.3, 0.5, 0.7, 0.95)
    assert navigational.stop == (0.2, 0.3, 0.5, 0.7, 0.9)
    usual = make_user("position-based", 3)
    assert usual.attraction == pytest.approx((0.1, 0.1 + 0.9 / 3, 1.0))


def test_what_is_refused() -> None:
    with pytest.raises(RankwiseError, match="no click model 'cascad'; did you mean 'cascade'"):
        make_user("cascad", 3)
    with pytest.raises(RankwiseError, match="cascade has no setting 'usual'; it has perfect"):
        make_user("cascade:usual", 3)
    with pytest.raises(RankwiseError, match="published for 2, 3 and 5 grades of labels, found 4"):
        make_user("cascade", 4)
    with pytest.raises(RankwiseError, match="attraction must be chances from 0 to 1, found 2"):
        Cascade((0.0, 2.0))
    with pytest.raises(RankwiseError, match="each of the 3 grades of the labels, found 2"):
        make_user(Cascade((0.0, 1.0)), 3)
    halves = one_list().labels / 2
    with pytest.raises(RankwiseError, match="labels that are whole numbers from 0 to 31"):
        count_grades(type(one_list()).from_arrays(np.ones((8, 1)), halves, group=[8]))
