"""Laws of learning: a planted order is found, whatever the order of queries and documents."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.evaluation import evaluate
from rankwise.rankers.ranker import Model, Round
from tests.conformance.discovery import every_ranker, skip_without_extra
from tests.conformance.made import planted, quick, reordered, trained

TEST = planted(40, seed=9)


def mean(scores: np.ndarray, measure: str = "NDCG@5", data: Dataset = TEST) -> float:
    return float(evaluate(data, scores, [measure])[measure].mean)


def random_figure() -> float:
    rng = np.random.default_rng(0)
    return float(np.mean([mean(rng.random(TEST.n_documents)) for _ in range(20)]))


def fitted(name: str, train: Dataset, validation: Dataset | None = None) -> Model:
    try:
        return quick(name).fit(train, validation)
    except RankwiseError as error:
        skip_without_extra(error)
        raise


@every_ranker
def test_learns_the_planted_order(name: str) -> None:
    try:
        model = trained(name)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    # Half of the way from a random order to a perfect one; the first feature alone does it.
    assert mean(model.score(TEST)) > (1.0 + random_figure()) / 2.0
    assert mean(model.score(TEST), "MAP") > mean(-model.score(TEST), "MAP") + 0.3


@every_ranker
def test_learns_without_validation_data(name: str) -> None:
    assert mean(fitted(name, planted()).score(TEST)) > (1.0 + random_figure()) / 2.0


@every_ranker
def test_the_order_of_queries_hardly_matters(name: str) -> None:
    train = planted()
    backwards = train.select_queries(np.arange(train.n_queries)[::-1])
    figures = [mean(fitted(name, data).score(TEST)) for data in (train, backwards)]
    assert figures[0] == pytest.approx(figures[1], abs=0.06)


@every_ranker
@pytest.mark.parametrize("direction", [1.0, -1.0], ids=["best first", "best last"])
def test_the_order_of_rows_teaches_nothing(name: str, direction: float) -> None:
    """Rows sorted by label: who learns positions fails on rows in random order."""
    train = planted()
    order = np.lexsort((-direction * train.labels, train.query_of_rows))
    model = fitted(name, reordered(train, order))
    assert mean(model.score(TEST)) > (1.0 + random_figure()) / 2.0


@every_ranker
def test_watching_changes_nothing_and_sees_rounds(name: str) -> None:
    seen: list[Round] = []

    def watch(progress: Round) -> bool:
        seen.append(progress)
        return False

    train, validation = planted(), planted(12, seed=1)
    try:
        watched = quick(name).fit(train, validation, seed=3, watch=watch)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert watched.score(TEST).tobytes() == trained(name).score(TEST).tobytes()
    for progress in seen:
        assert 1 <= progress.number <= progress.total
        for figure in (progress.training, progress.validation):
            assert figure is None or np.isfinite(figure)
    numbers = [progress.number for progress in seen]
    assert numbers == sorted(numbers)


@every_ranker
def test_a_watch_that_says_stop_is_obeyed(name: str) -> None:
    """After the first yes nothing more is asked, and there is a model all the same."""
    rounds: list[int] = []

    def watch(progress: Round) -> bool:
        rounds.append(progress.number)
        return len(rounds) >= 2

    try:
        model = quick(name).fit(planted(), planted(12, seed=1), watch=watch)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert len(rounds) <= 2
    assert np.isfinite(model.score(TEST)).all()


@every_ranker
def test_a_stop_in_the_first_round_leaves_a_model(name: str) -> None:
    try:
        model = quick(name).fit(planted(), watch=lambda progress: True)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert np.isfinite(model.score(TEST)).all()
