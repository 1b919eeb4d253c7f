"""Laws of learning: a planted order is found, whatever the order of queries and documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.law import law, law_for_each, require
from rankwise.checks.made import half_way, mean, planted, reordered, unseen
from rankwise.checks.subject import ExaminedRanker
from rankwise.rankers.ranker import Round


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
