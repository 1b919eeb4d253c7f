"""Differential evolution and particle swarms: their equations, and optima that they find."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.search.populations import LinearObjective
from rankwise.rankers.search.weight_search import (
    DifferentialEvolution,
    ParticleSwarm,
    RankDE,
    SwarmRank,
)
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made

TOP = np.array([0.25, 0.75, 0.5])


def peak(candidates):
    """Highest at TOP."""
    return -((candidates - TOP) ** 2).sum(axis=1)


def evolution(rng, judge=peak, count=20, **changes):
    how = {"factor": 0.5, "crossover": 0.9} | changes
    return DifferentialEvolution(judge, rng.random((count, 3)), rng, **how)


def swarm(rng, judge=peak, count=20, **changes):
    how = {"inertia": 0.7, "own": 1.5, "common": 1.5, "fastest": 0.5} | changes
    return ParticleSwarm(judge, rng.random((count, 3)), rng, **how)


@pytest.mark.parametrize("make", [evolution, swarm])
def test_a_search_climbs_to_the_top_and_never_falls(make):
    search = make(np.random.default_rng(1))
    figures = [search.step() for _ in range(80)]
    assert np.all(np.diff(figures) >= 0)
    assert search.best == pytest.approx(TOP, abs=1e-3)
    assert peak(search.best[np.newaxis])[0] == figures[-1]


@pytest.mark.parametrize("make", [evolution, swarm])
def test_the_same_seed_searches_the_same(make):
    first, second = (make(np.random.default_rng(4)) for _ in range(2))
    for _ in range(5):
        assert first.step() == second.step()
    assert first.best.tobytes() == second.best.tobytes()


def test_a_candidate_is_tried_by_the_difference_of_two_others():
    """v_i = x_a + F (x_b − x_c) for some a, b, c that are different and not i."""
    seen = []

    def judge(candidates):
        seen.append(candidates.copy())
        return np.zeros(len(candidates))

    search = evolution(np.random.default_rng(0), judge, count=5, factor=0.3, crossover=1.0)
    search.step()
    start, tried = seen
    for number, one in enumerate(tried):
        others = [place for place in range(5) if place != number]
        made_of = [
            start[a] + 0.3 * (start[b] - start[c])
            for a in others
            for b in others
            for c in others
            if len({a, b, c}) == 3
        ]
        assert any(np.array_equal(one, each) for each in made_of)


def test_without_crossover_one_number_of_a_candidate_changes():
    seen = []

    def judge(candidates):
        seen.append(candidates.copy())
        return np.zeros(len(candidates))

    evolution(np.random.default_rng(0), judge, count=8, crossover=0.0).step()
    assert ((seen[0] != seen[1]).sum(axis=1) == 1).all()


def test_particles_without_pull_keep_their_speed_and_stay_in_the_cube():
    places = []

    def judge(candidates):
        places.append(candidates.copy())
        return peak(candidates)

    search = swarm(np.random.default_rng(3), judge, inertia=1.0, own=2.0, common=2.0)
    for _ in range(30):
        search.step()
    assert np.min(places) >= 0.0
    assert np.max(places) <= 1.0
    assert np.abs(np.diff(places, axis=0)).max() <= 0.5


@pytest.mark.parametrize("ranker", [RankDE(generations=15), SwarmRank(generations=15)])
def test_the_figure_of_training_is_that_of_the_measure(ranker):
    dataset = made(1, n_queries=10, n_features=6)
    figures = []
    model = ranker.fit(dataset, watch=lambda progress: bool(figures.append(progress.training)))
    reached = TrainingMeasure.of(dataset, "MAP", ties="expected").mean(model.score(dataset))
    assert np.all(np.diff(figures) >= 0)
    assert reached == pytest.approx(max(figures), abs=1e-12)
    assert model.facts["training"] == max(figures)
    assert np.abs(model.scorer.weights).sum() == pytest.approx(1.0)


def test_weights_of_a_swarm_are_not_negative():
    model = SwarmRank(generations=10).fit(made(5, n_queries=8))
    assert model.scorer.weights.min() >= 0.0


def test_weights_that_are_all_0_stay_0():
    objective = LinearObjective(made(0, n_queries=3), "MAP", "definition")
    assert not objective.scorer(np.zeros(objective.n_features)).weights.any()


def test_three_candidates_are_too_few_to_vary_by():
    with pytest.raises(ValueError, match="at least 4"):
        evolution(np.random.default_rng(0), count=3)
