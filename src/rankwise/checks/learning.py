"""Laws of learning: the same seed gives the same model to the bit, and a planted order is found.

The model is the same again, elsewhere and with other thread counts; the order is found whatever the
order of queries and documents.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.in_another_process import digest
from rankwise.checks.law import (
    ExaminedRanker,
    NotApplicable,
    fingerprint,
    law,
    law_for_each,
    require,
)
from rankwise.checks.made import half_way, mean, planted, reordered, unseen
from rankwise.rankers.ranker import Round


@law_for_each({"1": 1, "3": 3})
def trains_the_same_in_another_process_with_threads(subject: ExaminedRanker, threads: int) -> None:
    """Another process with another number of threads trains the same model to the bit."""
    if subject.reference not in subject.elsewhere.rankers:
        raise NotApplicable(
            f"another process cannot make {subject.reference}: it must stand in a module, and its "
            "parameters be numbers, texts and lists"
        )
    here = digest(subject)
    there = subject.elsewhere.digest(subject.reference, threads)
    require(there == here, f"the digest {here}", there)


@law
def trains_the_same_twice(subject: ExaminedRanker) -> None:
    """Two trainings with one seed give the same model to the bit."""
    models = (subject.trained_alone, subject.quick().fit(planted()))
    first, second = (fingerprint(model, unseen()) for model in models)
    require(first == second, "the same model of the same seed", "another one")


@law
def training_changes_no_data_and_no_global_state(subject: ExaminedRanker) -> None:
    """Training leaves the data, and the global random state of Python and numpy, as they are."""
    train, validation = planted(8), planted(4, seed=1)
    before = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    state = _global_state()
    subject.quick().fit(train, validation)
    after = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    require(after == before, "the data as they were", "other values in them")
    require(_global_state() == state, "an untouched global random state", "another one")


@law
def only_rankers_that_say_so_draw_random_numbers(subject: ExaminedRanker) -> None:
    """A ranker whose `random` is false trains the same model with every seed."""
    if subject.ranker.random:
        raise NotApplicable("draws random numbers, as it says")
    models = (subject.trained_alone, subject.quick().fit(planted(), seed=2))
    first, second = (fingerprint(model, unseen()) for model in models)
    require(first == second, "one model for all seeds, or random = True", "different ones")


def _global_state() -> str:
    """With the place in the block of numbers: a single draw moves nothing else."""
    state: Any = np.random.get_state(legacy=False)
    key = state["state"]["key"].tobytes().hex()
    numpys = (key, state["state"]["pos"], state["has_gauss"], state["gauss"])
    return repr((numpys, random.getstate()))


@law
def learns_the_planted_order(subject: ExaminedRanker) -> None:
    """It ranks unseen data by what was planted, and higher scores are better."""
    scores = subject.trained.score(unseen())
    _require_learned(scores)
    reversed_figure = mean(-scores, "MAP")
    found = mean(scores, "MAP")
    require(found > reversed_figure + 0.3, f"MAP above {reversed_figure + 0.3:.4f}", found)


@law
def learns_without_validation_data(subject: ExaminedRanker) -> None:
    """It learns the planted order from training data alone."""
    _require_learned(subject.trained_alone.score(unseen()))


@law
def the_order_of_queries_hardly_matters(subject: ExaminedRanker) -> None:
    """Queries in reverse give about the same NDCG@5."""
    train = planted()
    backwards = train.select_queries(np.arange(train.n_queries)[::-1])
    models = (subject.trained_alone, subject.quick().fit(backwards, None))
    first, second = (mean(model.score(unseen())) for model in models)
    require(abs(first - second) <= 0.06, f"NDCG@5 within 0.06 of {first:.4f}", f"{second:.4f}")


@law_for_each({"best_first": 1.0, "best_last": -1.0})
def the_order_of_rows_teaches_nothing(subject: ExaminedRanker, direction: float) -> None:
    """Trained on rows sorted by label it ranks rows in random order: it has learned no places."""
    train = planted()
    order = np.lexsort((-direction * train.labels, train.query_of_rows))
    _require_learned(subject.quick().fit(reordered(train, order), None).score(unseen()))


@law
def watching_changes_nothing_and_sees_rounds(subject: ExaminedRanker) -> None:
    """A watch is told of rising rounds with finite figures, and the model stays the same."""
    seen: list[Round] = []

    def watch(progress: Round) -> bool:
        seen.append(progress)
        return False

    watched = subject.quick().fit(planted(), planted(12, seed=1), seed=3, watch=watch)
    same = watched.score(unseen()).tobytes() == subject.trained.score(unseen()).tobytes()
    require(same, "the scores of a training that nobody watches", "others")
    for progress in seen:
        require(1 <= progress.number <= progress.total, "rounds from 1 to the total", progress)
        for figure in (progress.training, progress.validation):
            require(figure is None or bool(np.isfinite(figure)), "finite figures", progress)
    numbers = [progress.number for progress in seen]
    require(numbers == sorted(numbers), "rounds in their order", numbers)


@law
def a_watch_that_says_stop_is_obeyed(subject: ExaminedRanker) -> None:
    """After the first yes a watch is asked no more, and there is a model all the same."""
    rounds: list[int] = []

    def watch(progress: Round) -> bool:
        rounds.append(progress.number)
        return len(rounds) >= 2

    model = subject.quick().fit(planted(), planted(12, seed=1), watch=watch)
    require(len(rounds) <= 2, "no round after the stop", f"{len(rounds)} rounds")
    _require_finite(model.score(unseen()))


@law
def a_stop_in_the_first_round_leaves_a_model(subject: ExaminedRanker) -> None:
    """Stopped after one round, it returns a model that scores."""
    model = subject.quick().fit(planted(), watch=lambda progress: True)
    _require_finite(model.score(unseen()))


def _require_learned(scores: NDArray[np.float64]) -> None:
    found = mean(scores)
    require(found > half_way(), f"NDCG@5 above {half_way():.4f} on unseen data", f"{found:.4f}")


def _require_finite(scores: NDArray[np.float64]) -> None:
    require(bool(np.isfinite(scores).all()), "finite scores", scores)
