"""Scorers that compare documents of a list: their equations, their JSON, files that do not fit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.scorers import scorer
from rankwise.models.scorers.networks import Comparator, PairPotentials
from tests.models.made import made_models

COMPARATOR = made_models()["comparator"]
POTENTIALS = made_models()["pair-potentials"]
assert isinstance(COMPARATOR, Comparator)
assert isinstance(POTENTIALS, PairPotentials)


def rows_of(count: int = 12) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(count, 4))


def literal_comparison(found: Comparator, x: np.ndarray, y: np.ndarray) -> float:
    """o(x, y) of two standardised documents."""
    units = zip(found.first, found.second, found.biases, found.weights, strict=True)
    return sum(
        d * (np.tanh(u @ x + v @ y + c) - np.tanh(u @ y + v @ x + c)) for u, v, c, d in units
    )


def literal_wins(found: Comparator, rows: np.ndarray) -> list[float]:
    z = (rows - found.means) / found.scales
    return [
        sum(
            0.5 + 0.5 * np.sign(literal_comparison(found, z[i], z[k]))
            for k in range(len(z))
            if k != i
        )
        for i in range(len(z))
    ]


def literal_potentials(found: PairPotentials, rows: np.ndarray) -> list[float]:
    z = (rows - found.means) / found.scales
    n = len(z)

    def psi(x: np.ndarray, y: np.ndarray) -> float:
        return sum(
            a * np.tanh(v @ (x - y)) for a, v in zip(found.weights, found.units, strict=True)
        )

    pairs = [sum(psi(z[i], z[k]) for k in range(n) if k != i) for i in range(n)]
    return [found.linear @ z[i] + (pairs[i] / (n - 1) if n > 1 else 0.0) for i in range(n)]


@pytest.mark.parametrize("count", [1, 2, 12])
def test_scores_are_the_equations(count, monkeypatch):
    rows = rows_of(count)
    for pairs in (2**16, 30):
        monkeypatch.setattr(scorer, "_PAIRS_AT_ONCE", pairs)
        assert COMPARATOR.score(rows).tolist() == literal_wins(COMPARATOR, rows)
        assert POTENTIALS.score(rows) == pytest.approx(literal_potentials(POTENTIALS, rows))


def test_all_wins_of_a_list_are_its_pairs():
    rows = rows_of()
    rows[7] = rows[2]
    wins = COMPARATOR.score(rows)
    assert wins.sum() == 12 * 11 / 2
    assert wins[7] == wins[2]


@pytest.mark.parametrize("found", [COMPARATOR, POTENTIALS], ids=lambda one: one.kind)
def test_json_gives_the_same_bits(found):
    back = type(found).from_json(json.loads(json.dumps(found.as_json())))
    assert back.score(rows_of()).tobytes() == found.score(rows_of()).tobytes()
    assert back.as_json() == found.as_json()


@pytest.mark.parametrize("found", [COMPARATOR, POTENTIALS], ids=lambda one: one.kind)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"means": []}, "one number per feature"),
        ({"means": [0.0] * 3}, "must have a|rows of one number"),
        ({"scales": [1.0, 1.0, 0.0, 1.0]}, "a scale above 0"),
        ({"scales": [1.0]}, "a scale above 0"),
        ({"weights": []}, "a row of weights"),
        ({"weights": [1.0, 1.0]}, "a row of weights"),
        ({"weights": [1.0, float("nan"), 1.0]}, "finite"),
        ({"weights": "1"}, "list of numbers"),
    ],
)
def test_files_that_do_not_fit_are_refused(found, change, sentence):
    with pytest.raises(RankwiseError, match=sentence):
        type(found).from_json({**found.as_json(), **change})


def test_parts_must_fit_together():
    with pytest.raises(RankwiseError, match="as many second weights"):
        replace(COMPARATOR, second=COMPARATOR.second[:2])
    with pytest.raises(RankwiseError, match="a bias for each unit"):
        replace(COMPARATOR, biases=np.zeros(4))
    with pytest.raises(RankwiseError, match="4 linear weights"):
        replace(POTENTIALS, linear=np.zeros(3))
