"""Rankers as scikit-learn estimators: cloned, piped, searched, always by whole queries."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GroupKFold, KFold, cross_validate  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from rankwise.data.dataset import Dataset  # noqa: E402
from rankwise.errors import RankwiseError  # noqa: E402
from rankwise.measures.evaluation import evaluate  # noqa: E402
from rankwise.models import load_model, save_model  # noqa: E402
from rankwise.rankers.registry import find_ranker  # noqa: E402
from rankwise.sklearn_adapter import (  # noqa: E402
    GridSearchCV,
    QuerySplit,
    RandomizedSearchCV,
    RankwiseRanker,
)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def made(queries: int = 20, documents: int = 10) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(queries * documents, 4))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=len(X)), (0.5, 1.5))
    return X, y, np.repeat(np.arange(queries), documents)


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
        "without_qid": "refuse",
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
    with pytest.raises(RankwiseError, match=r"fit needs qid.*enable_metadata_routing=True"):
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
    with pytest.raises(RankwiseError, match="X has 3 features, but RankwiseRanker is expecting 4"):
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
    pipeline = make_pipeline(StandardScaler(), RankwiseRanker())
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
    search = GridSearchCV(RankwiseRanker(), grid, cv=GroupKFold(4), error_score="raise")
    search.fit(X, y, qid=qid, groups=qid)
    assert len(search.cv_results_["params"]) == 3
    assert search.best_score_ > 0.9


def test_cross_validation_gives_the_figures_of_hand_made_splits(routing: None) -> None:
    X, y, qid = made()
    splits = QuerySplit(qid, 4, seed=1)
    found = cross_validate(
        RankwiseRanker(scoring_measure="MAP"),
        X,
        y,
        cv=splits,
        params={"qid": qid},
        error_score="raise",
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


def test_query_split_takes_the_queries_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    qid = np.repeat(["a", "b", "c"], [2, 3, 2])
    frame = pandas.DataFrame({"bm25": np.arange(7.0), "qid": qid})
    parts = [set(qid[test]) for _, test in QuerySplit(n_splits=3).split(frame)]
    assert sorted(map(sorted, parts)) == [["a"], ["b"], ["c"]]
    with pytest.raises(ValueError, match="needs the query of each row, found none"):
        next(iter(QuerySplit(n_splits=3).split(frame.drop(columns="qid"))))


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


LISTS_ARE_WEIGHED_WHOLE = "lambdas weigh whole queries; the check gives rows weights of their own"
EXEMPT = {
    "check_no_attributes_set_in_init": (
        "which hyper-parameters there are depends on the ranker: they are kept in `parameters`"
    ),
}
EXEMPT_OF_LAMBDAMART = {
    **EXEMPT,
    "check_sample_weights_not_overwritten": LISTS_ARE_WEIGHED_WHOLE,
    "check_sample_weight_equivalence_on_dense_data": LISTS_ARE_WEIGHED_WHOLE,
    "check_sample_weight_equivalence_on_sparse_data": LISTS_ARE_WEIGHED_WHOLE,
    "check_fit2d_1sample": "one document has no order; the message says so in other words",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "exempt", "settings"),
    [
        ("ridge-regression", EXEMPT, {}),
        ("mart", EXEMPT, {"rounds": 5}),
        ("lambdamart", EXEMPT_OF_LAMBDAMART, {"rounds": 5}),
    ],
)
def test_scikit_learn_checks_pass_but_for_named_exemptions(
    name: str, exempt: dict[str, str], settings: dict[str, int]
) -> None:
    ranker = RankwiseRanker(name, without_qid="one query", **settings)
    found = check_estimator(ranker, expected_failed_checks=exempt, on_fail=None)
    status = {one["check_name"]: one["status"] for one in found}
    assert [check for check, what in status.items() if what == "failed"] == []
    # An exemption that is not needed any more is a defect too.
    assert {check for check, what in status.items() if what == "xfail"} == set(exempt)
    assert sum(what == "passed" for what in status.values()) >= 30


GRID = {"regularization": [1e-3, 1e6]}


def test_a_search_needs_no_further_words() -> None:
    X, y, qid = made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GridSearchCV(RankwiseRanker(), GRID, error_score="raise").fit(X, y, qid=qid)
    expected = []
    for train, test in QuerySplit(qid).split(X):
        one = RankwiseRanker(**search.best_params_).fit(X[train], y[train], qid=qid[train])
        expected.append(one.score(X[test], y[test], qid=qid[test]))
    assert search.best_score_ == pytest.approx(np.mean(expected), abs=1e-12)
    best = RankwiseRanker(**search.best_params_).fit(X, y, qid)
    assert search.predict(X).tobytes() == best.predict(X).tobytes()
    assert search.score(X, y, qid=qid) == best.score(X, y, qid)
    assert (search.cv, search.n_splits_) == (None, 5)
    assert not sklearn.get_config()["enable_metadata_routing"]


def test_a_pipeline_in_a_search_needs_no_further_words() -> None:
    X, y, qid = made()
    pipeline = make_pipeline(StandardScaler(), RankwiseRanker())
    grid = {"rankwiseranker__regularization": [1e-3, 1e6]}
    search = RandomizedSearchCV(pipeline, grid, n_iter=2, cv=4, error_score="raise")
    assert search.fit(X, y, qid=qid).best_score_ > 0.9
    assert (search.cv, search.n_splits_) == (4, 4)


@pytest.mark.usefixtures("routing")
def test_scikit_learn_search_asks_for_queries_by_itself() -> None:
    X, y, qid = made()
    searches = [
        kind(RankwiseRanker(), GRID, cv=QuerySplit(n_splits=4), error_score="raise").fit(
            X, y, qid=qid
        )
        for kind in (GridSearchCV, sklearn.model_selection.GridSearchCV)
    ]
    first, second = (search.cv_results_["mean_test_score"].tolist() for search in searches)
    assert first == second


@pytest.mark.usefixtures("routing")
def test_queries_that_are_parted_are_told() -> None:
    X, y, qid = made(20, 11)
    search = sklearn.model_selection.GridSearchCV(RankwiseRanker(), GRID, cv=3)
    with pytest.warns(UserWarning, match=r"keep queries whole with cv=QuerySplit\(\)"):
        search.fit(X, y, qid=qid)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_that_are_split_without_their_queries_are_told(shuffled: bool) -> None:
    """A shuffled split has rows of every query on both sides."""
    X, y, qid = made(20, 11)
    split = KFold(3, shuffle=shuffled, random_state=0 if shuffled else None)
    search = sklearn.model_selection.GridSearchCV(RankwiseRanker(), GRID, cv=split)
    with pytest.warns(UserWarning, match=r"keep queries whole with cv=QuerySplit\(\)"):
        search.fit(X, y, qid=qid)
    train, test = next(split.split(X))
    ranker = RankwiseRanker().fit(X[train], y[train], qid[train])
    with pytest.warns(UserWarning, match=r"have ids that were trained on"):
        ranker.predict(X[test], qid[test])


@pytest.mark.usefixtures("routing")
def test_whole_queries_are_scored_without_a_warning() -> None:
    X, y, qid = made(20, 11)
    ranker = RankwiseRanker()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for split in (QuerySplit(qid, 4), GroupKFold(4)):
            search = sklearn.model_selection.GridSearchCV(ranker, GRID, cv=split)
            search.fit(X, y, qid=qid, **({"groups": qid} if isinstance(split, GroupKFold) else {}))
        ranker.fit(X, y, qid)
        # The training data themselves, and other queries that are counted from the same number.
        ranker.score(X, y, qid)
        ranker.predict(X, qid)
        ranker.score(X[55:110], y[55:110], qid[:55])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_a_frame_carries_queries_without_routing(library: str) -> None:
    X, y, qid = made()
    frames = pytest.importorskip(library)
    frame = framed(X, library)
    columns = {name: frame[name] for name in frame.columns}
    held = frames.DataFrame({"qid": qid, **columns})
    found = RankwiseRanker().fit(held, y)
    assert list(found.feature_names_in_) == list("abcd")
    expected = RankwiseRanker().fit(frame, y, qid)
    assert found.predict(frame).tobytes() == expected.predict(frame).tobytes()
    assert found.predict(held).tobytes() == expected.predict(frame).tobytes()
    assert found.score(held, y) == expected.score(frame, y, qid)
    with pytest.raises(RankwiseError, match="must be the same as the column 'qid'"):
        RankwiseRanker().fit(held, y, qid[::-1])
    search = sklearn.model_selection.GridSearchCV(
        RankwiseRanker(), GRID, cv=QuerySplit(qid, 4), error_score="raise"
    )
    assert search.fit(held, y).best_score_ > 0.9


def test_weights_of_rows_are_those_of_the_data() -> None:
    X, y, qid = made()
    weights = np.arange(1.0, 201.0)
    data = replace(Dataset.from_arrays(X, y, qid), weights=weights)
    expected = find_ranker("mart")(rounds=5).fit(data).score(data)
    found = RankwiseRanker("mart", rounds=5).fit(X, y, qid, sample_weight=weights)
    assert found.predict(X).tobytes() == expected.tobytes()
    plain = RankwiseRanker("mart", rounds=5).fit(X, y, qid).predict(X)
    assert found.predict(X).tobytes() != plain.tobytes()
    with pytest.raises(RankwiseError, match="lambdamart weighs whole queries"):
        RankwiseRanker("lambdamart").fit(X, y, qid, sample_weight=weights)
    with pytest.raises(RankwiseError, match="adarank-map cannot weigh documents"):
        RankwiseRanker("adarank-map").fit(X, y, qid, sample_weight=weights)
    with pytest.raises(ValueError, match="some sample_weight must be above zero"):
        RankwiseRanker("mart").fit(X, y, qid, sample_weight=np.zeros(200))


@pytest.mark.usefixtures("routing")
def test_a_search_with_weights_counts_them_in_training_alone() -> None:
    X, y, qid = made()
    ranker = RankwiseRanker().set_score_request(sample_weight=False)
    weights = np.arange(1.0, 201.0)
    search = GridSearchCV(ranker, GRID, error_score="raise")
    search.fit(X, y, qid=qid, sample_weight=weights)
    best = RankwiseRanker(**search.best_params_).fit(X, y, qid, sample_weight=weights)
    assert search.predict(X).tobytes() == best.predict(X).tobytes()


def test_an_evaluation_set_is_validation() -> None:
    X, y, qid = made()
    half = (X[:100], y[:100], qid[:100])
    other = (X[100:], y[100:], qid[100:])

    def scores(**how: Any) -> bytes:
        return RankwiseRanker("rankboost", rounds=30).fit(*half, **how).predict(X).tobytes()

    expected = scores(validation=other)
    assert scores(eval_set=[other]) == expected
    assert scores(eval_set=[other[:2]], eval_qid=[other[2]]) == expected
    assert scores(eval_set=[other[:2]], eval_group=[[10] * 10]) == expected
    for how, message in (
        ({"eval_set": [other, other]}, "eval_set must be one"),
        ({"eval_set": [other[:2]]}, "must be given once"),
        ({"eval_set": [other], "eval_qid": [other[2]]}, "must be given once"),
        ({"eval_qid": [other[2]]}, "go with eval_set"),
        ({"eval_set": [other], "validation": other}, "found both"),
    ):
        with pytest.raises(RankwiseError, match=message):
            scores(**how)


def test_importances_add_up_to_one() -> None:
    X, y, qid = made()
    for name in ("ridge-regression", "lambdamart"):
        ranker = RankwiseRanker(name)
        assert not hasattr(ranker, "feature_importances_")
        counted = np.abs(ranker.fit(X, y, qid).model_.scorer.importance())
        assert ranker.feature_importances_ == pytest.approx(counted / counted.sum())
        assert ranker.feature_importances_.argmax() == 0


def test_names_of_other_libraries_are_understood() -> None:
    X, y, qid = made()
    theirs = RankwiseRanker("lambdamart", n_estimators=7, num_leaves=5, min_child_samples=3)
    ours = RankwiseRanker("lambdamart", rounds=7, leaves=5, leaf_documents=3)
    found = theirs.fit(X, y, qid)
    assert found.predict(X).tobytes() == ours.fit(X, y, qid).predict(X).tobytes()
    assert found.model_.parameters["rounds"] == 7
    assert clone(theirs).get_params() == theirs.get_params()
    with pytest.raises(RankwiseError, match="'rounds' must be given once, found it again as"):
        RankwiseRanker("lambdamart", rounds=7, n_estimators=7).fit(X, y, qid)
    with pytest.raises(RankwiseError, match="ridge-regression has no parameter 'n_estimators'"):
        RankwiseRanker(n_estimators=7).fit(X, y, qid)


def test_choices_of_trees_come_under_the_names_of_other_libraries() -> None:
    X, y, qid = made()
    frame = framed(X)
    few = {"rounds": 7, "leaf_documents": 3}
    ours = RankwiseRanker(
        "lambdamart", **few, l2=2.0, feature_fraction=0.5, monotone=f"{frame.columns[0]}:+"
    )
    wanted = ours.fit(frame, y, qid).predict(frame).tobytes()
    for other in (
        {"reg_lambda": 2.0, "colsample_bytree": 0.5, "monotone_constraints": [1, 0, 0, 0]},
        {"lambda_l2": 2.0, "feature_fraction": 0.5, "monotonic_cst": {frame.columns[0]: 1}},
        {"l2_regularization": 2, "feature_fraction": 0.5, "monotone": np.array([1, 0, 0, 0])},
    ):
        theirs = RankwiseRanker("lambdamart", **few, **other, device_type="cpu")
        assert clone(theirs).fit(frame, y, qid).predict(frame).tobytes() == wanted
    assert RankwiseRanker("lambdamart", **few).fit(frame, y, qid).predict(frame).tobytes() != wanted


def test_a_search_goes_over_choices_of_trees() -> None:
    X, y, qid = made()
    X[:, 1] = np.arange(len(X)) % 7
    grid = {"monotone_constraints": [None, [1, 0, 0, 0]], "reg_lambda": [0.0, 5.0]}
    search = GridSearchCV(RankwiseRanker("mart", rounds=5, categorical="2"), grid, cv=2)
    assert set(search.fit(X, y, qid=qid).best_params_) == set(grid)
    assert len(search.cv_results_["params"]) == 4


def test_a_model_mapped_from_a_file_scores(tmp_path: Path) -> None:
    """joblib hands large models to its workers so."""
    joblib = pytest.importorskip("joblib")
    X, y, qid = made()
    ranker = RankwiseRanker("lambdamart", rounds=5).fit(X, y, qid)
    joblib.dump(ranker, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    assert mapped.predict(X).tobytes() == ranker.predict(X).tobytes()
