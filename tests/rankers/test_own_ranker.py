"""Anything with fit, and predict or score, is a ranker: what it is given, and what comes of it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("lightgbm")

from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models import load_model, save_model
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.external import OwnRanker
from rankwise.rankers.parameters import parameters_of, parse_value
from rankwise.rankers.registry import RANKERS, find_ranker, ranker_names
from tests.rankers import own_rankers
from tests.rankers.own_rankers import HERE, centroid

TRAIN, VALIDATION, TEST = planted(), planted(12, seed=1), planted(6, seed=2)


def named(name: str) -> str:
    return f"{HERE}:{name}"


def fitted(name: str, **parameters: Any) -> Model:
    return find_ranker(named(name))(**parameters).fit(TRAIN, VALIDATION, seed=5)


def written(model: Model, folder: Path) -> Model:
    save_model(model, folder / "model.json")
    return load_model(folder / "model.json")


@pytest.mark.parametrize("name", ranker_names())
def test_registered_rankers_state_who_they_are(name: str) -> None:
    ranker = find_ranker(name)
    assert ranker.name == name == name.lower()
    assert ranker.family in ("pointwise", "pairwise", "listwise", "wrapper")
    assert "(" in ranker.paper
    assert find_ranker(RANKERS.homes[name]) is ranker


def test_a_subclass_of_ranker_is_taken_as_it_is() -> None:
    ranker = find_ranker(named("Centroid"))
    assert ranker is own_rankers.Centroid is find_ranker(own_rankers.Centroid)
    assert (ranker.name, ranker.family, ranker.paper) == (named("Centroid"), "own", "own")
    assert (
        fitted("Centroid").score(TEST).tobytes()
        == Linear(centroid(TRAIN)).score(TEST.features).tobytes()
    )


def test_a_subclass_of_a_registered_ranker_has_its_own_name() -> None:
    model = fitted("Heir")
    parent = find_ranker("ridge-regression")
    assert (model.ranker, model.paper) == (named("Heir"), parent.paper)
    assert model.score(TEST).tobytes() == parent().fit(TRAIN).score(TEST).tobytes()


def test_a_scikit_learn_class_trains_on_arrays_and_becomes_a_weighted_sum(tmp_path: Path) -> None:
    model = fitted("Ridge", alpha=2.0)
    expected = Ridge(alpha=2.0, random_state=5).fit(TRAIN.features, TRAIN.labels)
    assert isinstance(model.scorer, Linear)
    assert model.scorer.weights.tobytes() == expected.coef_.tobytes()
    assert model.scorer.intercept == expected.intercept_
    np.testing.assert_allclose(model.score(TEST), expected.predict(TEST.features), rtol=1e-12)
    assert written(model, tmp_path).score(TEST).tobytes() == model.score(TEST).tobytes()
    assert (model.ranker, model.parameters["alpha"]) == (named("Ridge"), 2.0)


def test_a_scikit_learn_object_keeps_its_settings_and_is_never_changed() -> None:
    ranker = find_ranker(named("pipeline"))
    model = ranker(ridge__alpha=0.5).fit(TRAIN)
    steps = own_rankers.pipeline.named_steps
    assert steps["ridge"].alpha == 3.0
    assert not hasattr(steps["ridge"], "coef_")
    scaled = (TRAIN.features - TRAIN.features.mean(axis=0)) / TRAIN.features.std(axis=0)
    expected = Ridge(alpha=0.5).fit(scaled, TRAIN.labels).predict(scaled)
    np.testing.assert_allclose(model.score(TRAIN), expected, rtol=1e-9)
    assert ranker().parameters()["ridge__alpha"] == 3.0


def test_a_lightgbm_ranker_gets_lists_and_validation_and_becomes_trees(tmp_path: Path) -> None:
    model = fitted("LGBMRanker", n_estimators=12, num_leaves=5)
    expected = LGBMRanker(n_estimators=12, num_leaves=5, random_state=5, verbosity=-1).fit(
        TRAIN.features, TRAIN.labels, group=TRAIN.query_lengths
    )
    assert isinstance(model.scorer, Trees)
    assert model.score(TEST).tobytes() == expected.predict(TEST.features).tobytes()
    assert written(model, tmp_path).score(TEST).tobytes() == model.score(TEST).tobytes()


def test_a_lightgbm_ranker_stops_early_on_validation() -> None:
    stopping = LGBMRanker(n_estimators=300, early_stopping_round=3, verbosity=-1)
    model = find_ranker(stopping)().fit(TRAIN, VALIDATION)
    assert isinstance(model.scorer, Trees)
    assert model.scorer.n_trees < 300
    with pytest.raises(RankwiseError, match=r"its fit fails with ValueError.*early stopping"):
        find_ranker(stopping)().fit(TRAIN)


@pytest.mark.parametrize("how", [{"linear_tree": True}, {"objective": "poisson"}])
def test_lightgbm_models_that_are_no_sums_of_leaves_stay_what_they_are(how: dict[str, Any]) -> None:
    model = find_ranker(own_rankers.LGBMRegressor(n_estimators=5, verbosity=-1, **how))().fit(TRAIN)
    assert model.scorer.kind == "own"
    assert np.isfinite(model.score(TEST)).all()


def test_categories_are_no_thresholds() -> None:
    class Categorical(own_rankers.LGBMRegressor):
        def fit(self, X: Any, y: Any) -> Any:
            coarse = np.floor(X * 8)
            return super().fit(coarse, y, categorical_feature=[0])

    model = find_ranker(Categorical(n_estimators=3, min_child_samples=2, verbosity=-1))().fit(TRAIN)
    assert model.scorer.kind == "own"


def test_a_data_set_is_given_to_fit_and_score_where_they_ask_for_it() -> None:
    model = fitted("ByList", power=0.5)
    raw = np.concatenate([
        (q.features - q.features.mean(axis=0)) @ centroid(TRAIN) for q in TEST.queries()
    ])  # fmt: skip
    np.testing.assert_allclose(model.score(TEST), np.sign(raw) * np.abs(raw) ** 0.5)
    scorer: Any = model.scorer
    assert not scorer.row_by_row
    assert scorer.fitted.given == (TRAIN, VALIDATION, 5)
    with pytest.raises(RankwiseError, match="scores whole lists and needs the queries"):
        model.scorer.score(TEST.features)


def test_query_ids_are_given_to_fit_and_predict_where_they_ask_for_them() -> None:
    found, expected = (fitted(name).score(TEST) for name in ("ByQueryIds", "ByList"))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_xgboosts_signature_gets_query_numbers_and_validation() -> None:
    ranker = find_ranker(named("LikeXGBoost"))
    model = ranker(rounds=4).fit(TRAIN, VALIDATION)
    scorer: Any = model.scorer
    X, y, qid, evaluated, evaluated_qid = scorer.fitted.given
    assert X is TRAIN.features and y is TRAIN.labels
    assert qid.tolist() == TRAIN.query_of_rows.tolist()
    ((features, labels),) = evaluated
    assert features is VALIDATION.features and labels is VALIDATION.labels
    assert [one.tolist() for one in evaluated_qid] == [VALIDATION.query_of_rows.tolist()]
    assert model.score(TEST).tolist() == TEST.features[:, 0].tolist()
    assert [one.name for one in parameters_of(ranker)] == [
        "rounds", "depth", "missing", "random_state",
    ]  # fmt: skip
    assert model.parameters == {"rounds": 4}
    scorer = ranker().fit(TRAIN).scorer
    assert scorer.fitted.given[3:] == (None, None)


def test_seeds_go_where_the_class_has_a_place_for_them() -> None:
    ranker = find_ranker(named("Seeded"))
    assert ranker.random and ranker().parameters() == {"scale": 1.0}
    scorer: Any = ranker().fit(TRAIN, seed=5).scorer
    assert scorer.fitted.seed == 5
    assert scorer.fitted.drawn == np.random.default_rng(5).random()
    scorer = ranker(seed=8).fit(TRAIN, seed=5).scorer
    assert scorer.fitted.seed == 8
    scorer = ranker().fit(TRAIN, seed=2**32 + 6).scorer
    assert scorer.fitted.seed == 6


def test_a_seed_that_an_object_has_is_its_owners_choice() -> None:
    ranker = find_ranker(named("forest"))
    assert not ranker.random
    assert ranker().parameters()["random_state"] == 42
    first, second = (ranker().fit(TRAIN, seed=seed).score(TEST) for seed in (0, 1))
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize(
    ("name", "null", "random", "measure"),
    [("Ridge", False, True, False), ("LGBMRanker", True, True, False),
     ("ByList", False, False, False), ("pipeline", False, True, False)],
)  # fmt: skip
def test_what_is_known_of_it(name: str, null: bool, random: bool, measure: bool) -> None:
    ranker = find_ranker(named(name))
    assert issubclass(ranker, OwnRanker)
    assert (ranker.name, ranker.family, ranker.paper) == (named(name), "own", "own")
    assert (ranker.handles_null, ranker.random, ranker.uses_measure) == (null, random, measure)


def test_what_a_class_states_counts() -> None:
    ranker = find_ranker(named("Written"))
    assert (ranker.family, ranker.paper) == ("listwise", "Somebody (2026)")
    assert [one.grid for one in parameters_of(find_ranker(named("ByList")))] == [(0.5, 1.0)]


def test_null_is_given_to_those_that_handle_it_and_refused_for_the_others() -> None:
    features = TRAIN.features.copy()
    features[::5, 1] = np.nan
    data = TRAIN.with_features(features)
    assert np.isfinite(find_ranker(named("LGBMRanker"))().fit(data).score(data)).all()
    with pytest.raises(RankwiseError, match="cannot take NULL features"):
        find_ranker(named("Ridge"))().fit(data)


def test_a_scorer_of_our_own_kind_can_be_offered(tmp_path: Path) -> None:
    model = fitted("Written")
    assert isinstance(model.scorer, Linear)
    found = written(model, tmp_path)
    assert found.score(TEST).tobytes() == Linear(centroid(TRAIN)).score(TEST.features).tobytes()
    assert (found.ranker, found.paper) == (named("Written"), "Somebody (2026)")
    # A model that was read is written again without its ranker's code.
    assert written(found, tmp_path).paper == "Somebody (2026)"


def test_what_fit_returns_is_what_scores() -> None:
    expected = Ridge().fit(TRAIN.features, TRAIN.labels).coef_
    scorer = fitted("Factory").scorer
    assert isinstance(scorer, Linear)
    assert scorer.weights.tobytes() == expected.tobytes()


def test_an_object_that_is_a_ranker_keeps_its_parameters() -> None:
    found = fitted("ranker_object").score(TEST)
    expected = find_ranker("ridge-regression")(regularization=0.3).fit(TRAIN, VALIDATION)
    assert found.tobytes() == expected.score(TEST).tobytes()


@pytest.mark.parametrize(
    "name", ["pipeline", "ByList", "RandomForestRegressor", "LogisticRegression",
             "PoissonRegressor", "Clipped"],
)  # fmt: skip
def test_what_is_no_scorer_of_ours_scores_in_memory_and_is_refused_a_file(
    name: str, tmp_path: Path
) -> None:
    model = fitted(name)
    assert model.scorer.kind == "own"
    assert model.score(TEST).shape == (TEST.n_documents,)
    with pytest.raises(RankwiseError, match=r"cannot be written to a file.*as_scorer\(\)") as told:
        save_model(model, tmp_path / "model.json")
    assert named(name) in str(told.value)
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Usurper", "must have a name of its own, found 'listnet'"),
        ("Undecorated", r"must be decorated with @dataclass\(frozen=True\).*'depth'"),
        ("Unfinished", "must have the method _learn, found none"),
        ("not_a_ranker", "must be a subclass of .*Ranker, or have fit, and predict or score"),
        ("OnlyFit", "must be a subclass of .*Ranker, or have fit, and predict or score"),
        ("Judging", r"Judging.score must take X, or a data set.*found \(X, y\)"),
        ("OneArgument", r"OneArgument.fit must take X and y, or a data set.*found \(data\)"),
        ("Demanding", r"Demanding.fit must take X and y.*found \(X, y, prices\)"),
        ("Centroidd", "cannot be imported: there is no 'Centroidd' in .*did you mean 'Centroid'"),
    ],
)
def test_what_cannot_be_a_ranker_is_told_before_training(name: str, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence) as caught:
        find_ranker(named(name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("Needy", {}, "needs a value of its parameter 'depth', which has no default"),
        ("Picky", {"deep": 1}, "has no parameter 'deep'; did you mean 'depth'"),
        ("Picky", {"depth": -1}, "its constructor fails with ValueError: depth must not be"),
        ("FailingFit", {}, r"its fit fails with KeyError: 'nothing here' \(own_rankers.py:\d+\)"),
        ("FailingPrediction", {}, "its predict fails with IndexError: list index out of range"),
        ("TooMany", {}, r"must return one score per row \(336\), found .*shape \(336, 2\)"),
        ("NotFinite", {}, "must return finite scores"),
        ("WronglyWritten", {}, "as_scorer must return one of .*Linear.*found ndarray"),
        ("NarrowlyWritten", {}, "as_scorer must return a scorer of 5 features.*found 4"),
        ("Misquoted", {}, "as_scorer must give the scores of the ranker itself, found"),
    ],
)
def test_what_fails_is_one_sentence(name: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence) as caught:
        find_ranker(named(name))(**given).fit(TRAIN).score(TRAIN)
    assert named(name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_equal_parameters_are_equal_rankers_and_others_are_not() -> None:
    ranker = find_ranker(named("ByList"))
    assert ranker is find_ranker(named("ByList"))
    assert ranker(power=0.5) == ranker(power=0.5) != ranker(power=1.0)


def test_a_module_that_is_loaded_again_gives_its_new_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    source = (
        "class Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): return X[:, {}]\n"
    )
    (tmp_path / "mine_of_a_test.py").write_text(source.format(0))
    before = find_ranker("mine_of_a_test:Mine")
    (tmp_path / "mine_of_a_test.py").write_text(source.format("1    "))
    importlib.reload(importlib.import_module("mine_of_a_test"))
    after = find_ranker("mine_of_a_test:Mine")
    assert before is not after
    assert after().fit(TRAIN).score(TEST).tolist() == TEST.features[:, 1].tolist()


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("0.5", 0.5), ("1e-3", 0.001), ("true", True), ("False", False), ("None", None),
     ("auto", "auto"), ('"3"', "3"), ("[1, 2]", [1, 2]), ("{}", "{}"), ("NaN", "NaN"), ("", "")],
)  # fmt: skip
def test_text_stands_for_what_it_looks_like(text: str, value: object) -> None:
    (declared,) = parameters_of(find_ranker(named("ByList")))
    found = parse_value(declared, text, "a name")
    assert (found, type(found)) == (value, type(value))


def test_features_of_another_number_are_refused() -> None:
    with pytest.raises(RankwiseError, match="trained on 5 features, found 4"):
        fitted("ByList").score(planted(2, features=4))


def test_importance_is_what_the_object_tells() -> None:
    forest = fitted("RandomForestRegressor").scorer
    assert int(np.argmax(forest.importance())) == 0
    with pytest.raises(RankwiseError, match="does not say how much each feature counts"):
        fitted("ByList").scorer.importance()


def test_scores_stay_when_the_object_uses_its_memory_again() -> None:
    class Reusing:
        def fit(self, X: Any, y: Any) -> None:
            self.memory = np.zeros(10_000)

        def predict(self, X: Any) -> Any:
            self.memory[: len(X)] += 1.0
            return self.memory[: len(X)]

    model = find_ranker(Reusing)().fit(TRAIN)
    first = model.score(TEST)
    model.score(TEST)
    assert first.tolist() == [1.0] * TEST.n_documents


def test_data_that_are_read_only_stay_so() -> None:
    class Writing:
        def fit(self, X: Any, y: Any) -> None:
            X[0, 0] = 1.0

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    data = Dataset.from_arrays(np.zeros((4, 2)), [0, 1, 0, 1], group=[4])
    with pytest.raises(RankwiseError, match=r"its fit fails with ValueError.*read-only"):
        find_ranker(Writing)().fit(data)
