"""Rankers as scikit-learn estimators: cloned, piped, searched, always by whole queries."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from rankwise.data.dataset import Dataset  # noqa: E402
from rankwise.errors import RankwiseError  # noqa: E402
from rankwise.evaluation import evaluate  # noqa: E402
from rankwise.models import load_model, save_model  # noqa: E402
from rankwise.rankers.registry import find_ranker  # noqa: E402
from rankwise.sklearn_adapter import QuerySplit, RankwiseRanker  # noqa: E402


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def made(queries: int = 20, documents: int = 10) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(queries * documents, 4))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=len(X)), (0.5, 1.5))
    return X, y, np.repeat(np.arange(queries), documents)


def routed(ranker: str = "ridge-regression", **parameters: object) -> RankwiseRanker:
    return (
        RankwiseRanker(ranker, **parameters).set_fit_request(qid=True).set_score_request(qid=True)
    )


def test_it_is_the_ranker_itself() -> None:
    X, y, qid = made()
    found = RankwiseRanker("ranksvm-primal", regularization=1.0).fit(X, y, qid=qid)
    data = Dataset.from_arrays(X, y, qid)
    expected = find_ranker("ranksvm-primal")(regularization=1.0).fit(data)
    assert found.predict(X).tobytes() == expected.score(data).tobytes()
    assert found.n_features_in_ == 4
    figure = evaluate(data, expected.score(data), ["NDCG@10"])["NDCG@10"].mean
    assert found.score(X, y, qid=qid) == pytest.approx(figure, abs=1e-12)


def test_parameters_are_kept_and_cloned() -> None:
    ranker = RankwiseRanker("ridge-regression", regularization=0.5, seed=3)
    assert ranker.get_params() == {
        "ranker": "ridge-regression",
        "seed": 3,
        "scoring_measure": "NDCG@10",
        "scoring_tool": "definition",
        "regularization": 0.5,
    }
    copy = clone(ranker)
    assert copy.get_params() == ranker.get_params()
    copy.set_params(regularization=2.0)
    assert (copy.parameters, ranker.parameters) == (
        {"regularization": 2.0},
        {"regularization": 0.5},
    )
    assert "regularization=0.5" in repr(ranker)


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(RankwiseError, match="ridge-regression has no parameter 'depth'; it has"):
        RankwiseRanker().set_params(depth=3)
    X, y, qid = made()
    with pytest.raises(RankwiseError, match="no parameter 'depth'"):
        RankwiseRanker(depth=3).fit(X, y, qid=qid)
    with pytest.raises(RankwiseError, match="there is no ranker 'ridge'"):
        RankwiseRanker("ridge").fit(X, y, qid=qid)


def test_queries_are_asked_for() -> None:
    X, y, qid = made()
    with pytest.raises(RankwiseError, match=r"fit needs qid.*set_fit_request\(qid=True\)"):
        RankwiseRanker().fit(X, y)
    with pytest.raises(RankwiseError, match="must stand together"):
        RankwiseRanker().fit(X, y, qid=np.tile(np.arange(10), 20))
    with pytest.raises(RankwiseError, match="score needs qid"):
        RankwiseRanker().fit(X, y, qid=qid).score(X, y)
    with pytest.raises(RankwiseError, match="without sample_weight"):
        RankwiseRanker().fit(X, y, qid=qid).score(X, y, qid=qid, sample_weight=np.ones(200))


def test_unfitted_and_other_widths() -> None:
    X, y, qid = made()
    with pytest.raises(NotFittedError):
        RankwiseRanker().predict(X)
    with pytest.raises(RankwiseError, match="fitted on 4 features, found 3"):
        RankwiseRanker().fit(X, y, qid=qid).predict(X[:, :3])


def test_validation_data_choose_the_round() -> None:
    X, y, qid = made()
    ranker = RankwiseRanker("rankboost", rounds=30)
    ranker.fit(X[:100], y[:100], qid=qid[:100], validation=(X[100:], y[100:], qid[100:]))
    train = Dataset.from_arrays(X[:100], y[:100], qid[:100])
    judged = Dataset.from_arrays(X[100:], y[100:], qid[100:])
    expected = find_ranker("rankboost")(rounds=30).fit(train, judged)
    assert ranker.predict(X).tobytes() == expected.scorer.score(X).tobytes()


def test_fitted_rankers_can_be_pickled() -> None:
    X, y, qid = made()
    ranker = RankwiseRanker().fit(X, y, qid=qid)
    assert pickle.loads(pickle.dumps(ranker)).predict(X).tobytes() == ranker.predict(X).tobytes()


def test_a_pipeline_in_a_search_with_query_split(routing: None) -> None:
    X, y, qid = made()
    pipeline = make_pipeline(StandardScaler(), routed())
    grid = {"rankwiseranker__regularization": [1e-3, 1e6]}
    search = GridSearchCV(pipeline, grid, cv=QuerySplit(qid, 4), error_score="raise")
    search.fit(X, y, qid=qid)
    assert search.best_score_ > 0.9
    assert search.predict(X).shape == (200,)
    assert search.best_params_["rankwiseranker__regularization"] in (1e-3, 1e6)


def test_a_search_over_rankers_with_group_k_fold(routing: None) -> None:
    X, y, qid = made()
    grid = [
        {"ranker": ["ridge-regression"], "regularization": [0.1, 1.0]},
        {"ranker": ["ranksvm-primal"], "regularization": [0.1]},
    ]
    search = GridSearchCV(routed(), grid, cv=GroupKFold(4), error_score="raise")
    search.fit(X, y, qid=qid, groups=qid)
    assert len(search.cv_results_["params"]) == 3
    assert search.best_score_ > 0.9


def test_cross_validation_gives_the_figures_of_hand_made_splits(routing: None) -> None:
    X, y, qid = made()
    splits = QuerySplit(qid, 4, seed=1)
    found = cross_validate(
        routed(scoring_measure="MAP"), X, y, cv=splits, params={"qid": qid}, error_score="raise"
    )["test_score"]
    expected = []
    for train, test in splits.split(X):
        ranker = RankwiseRanker().fit(X[train], y[train], qid=qid[train])
        data = Dataset.from_arrays(X[test], y[test], qid[test])
        expected.append(evaluate(data, ranker.predict(X[test]), ["MAP"])["MAP"].mean)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_query_split_keeps_queries_whole_and_tests_each_once() -> None:
    _, _, qid = made(7, 3)
    splits = QuerySplit(qid, 3)
    tested = []
    for train, test in splits.split(np.zeros((21, 1))):
        assert not set(qid[train]) & set(qid[test])
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(21))
        assert np.array_equal(test, np.sort(test))
        tested += test.tolist()
    assert sorted(tested) == list(range(21))
    # Without a seed, runs of queries in their order: 3 + 2 + 2.
    assert [len(test) for _, test in splits.split(np.zeros((21, 1)))] == [9, 6, 6]
    assert splits.get_n_splits() == 3
    with pytest.raises(RankwiseError, match=r"between 2 and the number of queries \(7\), found 8"):
        QuerySplit(qid, 8)
    with pytest.raises(RankwiseError, match=r"as many rows as qid \(21\), found 5"):
        next(splits.split(np.zeros((5, 1))))


@pytest.mark.parametrize("ranker", ["ridge-regression", "adarank-map"])
def test_sparse_matrices_are_the_same_data(ranker: str) -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 40)) < 0.1, rng.random((60, 40)), 0.0)
    y, qid = rng.integers(0, 3, 60), np.arange(60) // 6
    fitted = RankwiseRanker(ranker).fit(scipy_sparse.coo_matrix(X), y, qid)
    expected = RankwiseRanker(ranker).fit(X, y, qid).predict(X)
    for given in (scipy_sparse.csr_matrix(X), scipy_sparse.csc_array(X), X):
        np.testing.assert_allclose(fitted.predict(given), expected, atol=1e-9)
        np.testing.assert_allclose(fitted.predict(given, qid), expected, atol=1e-9)
    assert len(list(QuerySplit(qid, 3).split(scipy_sparse.csr_matrix(X)))) == 3


def framed(X: np.ndarray, library: str = "pandas") -> Any:
    frames = pytest.importorskip(library)
    return frames.DataFrame({name: X[:, place] for place, name in enumerate("abcd")})


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", ["ridge-regression", "adarank-map"])
def test_columns_of_a_frame_go_by_their_names(name: str, library: str) -> None:
    X, y, qid = made()
    frame = framed(X, library)
    moved = frame[list("cadb")]
    ranker = RankwiseRanker(name).fit(frame, y, qid, validation=(moved, y, qid))
    assert list(ranker.feature_names_in_) == list("abcd")
    expected = ranker.predict(frame)
    assert ranker.predict(moved).tobytes() == expected.tobytes()
    assert ranker.predict(moved, qid).tobytes() == expected.tobytes()
    assert ranker.score(moved, y, qid) == ranker.score(frame, y, qid)
    assert RankwiseRanker(name).fit(X, y, qid).predict(X).tobytes() == expected.tobytes()


def test_the_saved_model_keeps_the_names(tmp_path: Path) -> None:
    X, y, qid = made()
    save_model(RankwiseRanker().fit(framed(X), y, qid).model_, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").feature_names == tuple("abcd")


def test_columns_that_cannot_be_told_apart_are_refused() -> None:
    X, y, qid = made()
    named, unnamed = RankwiseRanker().fit(framed(X), y, qid), RankwiseRanker().fit(X, y, qid)
    with pytest.raises(RankwiseError, match=r"fitted on columns with names, found .* without"):
        named.predict(X)
    with pytest.raises(RankwiseError, match=r"fitted on columns without names, found .* with"):
        unnamed.predict(framed(X))
    with pytest.raises(RankwiseError, match=r"features of the ranker, by name: they lack 'd'"):
        named.predict(framed(X).rename(columns={"d": "e"}))
    with pytest.raises(RankwiseError, match=r"they also have 'e'"):
        named.predict(framed(X).assign(e=1.0))
    assert not hasattr(named.fit(X, y, qid), "feature_names_in_")


def test_a_score_that_falls_as_rankings_get_better_is_refused() -> None:
    """Searches take the highest score for the best."""
    X, y, qid = made()
    ranker = RankwiseRanker(scoring_measure="RMSE").fit(X, y, qid)
    with pytest.raises(RankwiseError, match="training measure"):
        ranker.score(X, y, qid)


def test_columns_of_one_name_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, qid = made()
    twice = pandas.DataFrame(X, columns=["a", "b", "a", "c"])
    with pytest.raises(RankwiseError, match="columns must have different names, found 'a' twice"):
        RankwiseRanker().fit(twice, y, qid)
    with pytest.raises(RankwiseError, match="columns must have different names, found 'a' twice"):
        RankwiseRanker().fit(framed(X), y, qid).predict(twice)
