"""L2, feature fraction, monotone features, categories and devices of boosted trees."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError, TrainingRemark
from rankwise.models import load_model, save_model
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.registry import find_ranker, make_ranker, parse_settings
from rankwise.rankers.trees.lightgbm_training import common_settings
from tests.data.sparse_data import held_sparse

lightgbm = pytest.importorskip("lightgbm")

NAMES = ("bm25", "brand", "price", "colour")
QUICK = {"rounds": 15, "leaf_documents": 5}
ODD = np.array(
    (
        *(np.nan, -1, -0.5, -0.99, -1e-40, 0.5, 0.99, np.nextafter(1, 0), 1, 2.7, 19.999, 20, 21),
        *(1e9, 2.0**31 - 1, 2.0**31, 2.0**32 + 1, -(2.0**31), -(2.0**33), 1e300, -1e300),
    )
)
"""What categories are not, or not of training: LightGBM has a rule for each."""


def shop(seed: int = 0, queries: int = 40, names: tuple[str, ...] | None = NAMES) -> Dataset:
    """Labels rise with bm25, fall with price, and follow some brands and colours."""
    rng = np.random.default_rng(seed)
    count = queries * 25
    brand, colour = rng.integers(0, 20, count), rng.integers(0, 3, count)
    bm25, price = rng.normal(size=count), rng.normal(size=count)
    worth = bm25 - price + 2.0 * np.isin(brand, (1, 4, 5, 11)) + (colour == 1)
    labels = np.digitize(worth + 0.5 * rng.normal(size=count), (0.0, 1.5, 3.0)).astype(float)
    features = np.column_stack([bm25, brand, price, colour]).astype(float)
    features[rng.random(count) < 0.05, 1] = np.nan
    return Dataset.from_arrays(features, labels, group=[25] * queries, feature_names=names)


def lightgbm_itself(data: Dataset, how: str, rounds: int, columns: Any, **settings: Any) -> Any:
    """LightGBM's booster, asked for in its own words."""
    objective: dict[str, Any] = {"objective": "regression", "learning_rate": 0.05, "num_leaves": 7}
    if how == "lambdamart":
        objective = {"objective": "lambdarank", "learning_rate": 0.1, "num_leaves": 31}
        objective["lambdarank_truncation_level"] = 30
    told = {**common_settings(data), **objective, "min_data_in_leaf": 5, **settings}
    rows = lightgbm.Dataset(
        data.features, data.labels, group=data.query_lengths, categorical_feature=columns
    )
    return lightgbm.train(told, rows, rounds)


CHOICES = {
    "l2": ({"l2": 3.5}, {"lambda_l2": 3.5}, "auto"),
    "monotone": (
        {"monotone": "bm25:+,price:-"}, {"monotone_constraints": [1, 0, -1, 0]}, "auto",
    ),
    "categorical": ({"categorical": "brand,colour"}, {}, [1, 3]),
    "all": (
        {"categorical": "2", "monotone": "1:+", "l2": 1.0},
        {"lambda_l2": 1.0, "monotone_constraints": [1, 0, 0, 0]}, [1],
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", ["lambdamart", "mart"])
@pytest.mark.parametrize("choice", CHOICES)
def test_trees_are_those_of_lightgbm_to_the_bit(how: str, choice: str) -> None:
    ours, theirs, columns = CHOICES[choice]
    data = shop()
    own = {"lambdas": "lightgbm"} if how == "lambdamart" else {}
    model = make_ranker(how, **QUICK, **ours, **own).fit(data)
    itself = lightgbm_itself(data, how, 15, columns, **theirs)
    rows = shop(1).features.copy()
    rng = np.random.default_rng(2)
    rows[:500, 1], rows[300:800, 3] = rng.choice(ODD, 500), rng.choice(ODD, 500)
    assert model.scorer.score(rows).tobytes() == itself.predict(rows).tobytes()
    plain = make_ranker(how, **QUICK, **own).fit(data)
    assert plain.scorer.as_json() != model.scorer.as_json()


@pytest.mark.parametrize("how", ["lambdamart", "mart"])
def test_features_are_drawn_by_the_seed(how: str) -> None:
    data, ranker = shop(), make_ranker(how, **QUICK, feature_fraction=0.5)
    first, again, other = (ranker.fit(data, seed=seed).scorer.as_json() for seed in (1, 1, 2))
    assert first == again != other
    # Half of four features: no tree splits on more than two.
    trees = ranker.fit(data, seed=1).scorer
    assert isinstance(trees, Trees)
    ends = [*trees.roots.tolist(), len(trees.columns)]
    used = [len(set(trees.columns[first:last].tolist())) for first, last in pairwise(ends)]
    assert max(used) == 2
    drawn = int(np.random.default_rng(1).integers(2**31))
    own = {"lambdas": "lightgbm"} if how == "lambdamart" else {}
    model = make_ranker(how, **QUICK, **own, feature_fraction=0.5).fit(data, seed=1)
    told = {"feature_fraction": 0.5, "feature_fraction_seed": drawn}
    itself = lightgbm_itself(data, how, 15, "auto", **told)
    assert model.score(data).tobytes() == itself.predict(data.features).tobytes()


@pytest.mark.parametrize("how", ["lambdamart", "mart"])
def test_without_a_fraction_the_seed_changes_nothing(how: str) -> None:
    data, ranker = shop(), make_ranker(how, **QUICK, l2=1.0, categorical="brand")
    assert ranker.fit(data, seed=1).scorer.as_json() == ranker.fit(data, seed=2).scorer.as_json()


@pytest.mark.parametrize("lambdas", ["lightgbm", "measure"])
@pytest.mark.parametrize("how", ["lambdamart", "mart"])
def test_monotone_models_are_monotone(how: str, lambdas: str) -> None:
    """Along a grid of one feature, whatever the others are."""
    rng = np.random.default_rng(3)
    data = shop()
    noisy = replace(data, labels=rng.permutation(data.labels), features=data.features)
    own = {"lambdas": lambdas, "measure": "NDCG"} if how == "lambdamart" else {}
    free = make_ranker(how, **QUICK, **own).fit(noisy)
    held = make_ranker(how, **QUICK, **own, monotone="bm25:+,price:-").fit(noisy)
    for column, sign in ((0, 1.0), (2, -1.0)):
        assert np.all(sign * steps_along(held, column) >= 0.0)
        assert np.any(steps_along(held, column) != 0.0)
        assert np.any(sign * steps_along(free, column) < 0.0)


def steps_along(model: Any, column: int) -> np.ndarray:
    """How the scores of documents change from one value of a feature to the next."""
    rows = shop(4, queries=4).features
    grid = np.linspace(-4.0, 4.0, 200)
    repeated = np.repeat(rows, len(grid), axis=0)
    repeated[:, column] = np.tile(grid, len(rows))
    return np.diff(model.scorer.score(repeated).reshape(len(rows), -1), axis=1)


def test_directions_are_given_in_many_ways() -> None:
    data = shop()
    wanted = make_ranker("mart", **QUICK, monotone="bm25:+,price:-").fit(data).scorer.as_json()
    for given in (
        "1:+,3:-", " bm25 : +1 , price:-1 ", [1, 0, -1, 0], (1.0, 0, -1, 0), "(1,0,-1,0)",
        "[1, 0, -1, 0]", {"bm25": 1, "price": -1}, np.array([1, 0, -1, 0]),
    ):  # fmt: skip
        ranker = make_ranker("mart", **QUICK, monotone=given)
        assert isinstance(ranker.parameters()["monotone"], str)
        assert ranker.fit(data).scorer.as_json() == wanted
    told = parse_settings(find_ranker("mart"), ["monotone=bm25:+,price:-"])
    assert told == {"monotone": "bm25:+,price:-"}


def test_categories_are_given_in_many_ways() -> None:
    data = shop()
    wanted = make_ranker("mart", **QUICK, categorical="brand,colour").fit(data).scorer.as_json()
    for given in ("2,4", "[brand, 4]", ["brand", "colour"], [2, 4], ("colour", 2)):
        found = make_ranker("mart", **QUICK, categorical=given).fit(data)
        assert found.scorer.as_json() == wanted
    assert make_ranker("mart", categorical=2).parameters()["categorical"] == "2"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"monotone": "weight:+"}, "monotone must hold names of features or numbers from 1 to 4"),
        ({"monotone": "0:+"}, "numbers from 1 to 4, found '0'"),
        ({"monotone": "5:+"}, "numbers from 1 to 4, found '5'"),
        ({"monotone": "price:+,3:-"}, "must name a feature once, found '3' again"),
        ({"monotone": "price"}, "must be written feature:. or feature:-.* found 'price'"),
        ({"monotone": "price:0"}, "found 'price:0'"),
        ({"monotone": [1, 0]}, "a number for each of the 4 features, found 2"),
        ({"monotone": [1, 0, 2, 0]}, "must be 1, 0 or -1 for each feature, found 2"),
        ({"monotone": 1}, "monotone must be a text or a list, found 1"),
        ({"monotone": {"a,b": 1}}, "monotone parts features by commas"),
        ({"categorical": "shape"}, "categorical must hold names of features"),
        ({"categorical": "brand,2"}, "must name a feature once, found feature 2 again"),
        ({"categorical": "bm25"}, "feature 'bm25' must be whole numbers from 0 to 65,535, or NULL"),
        ({"categorical": "price", "monotone": "price:-"}, "found feature 3 in both"),
        ({"l2": -1.0}, "l2 must be at least 0"),
        ({"feature_fraction": 0.0}, "feature_fraction must be at least 0.001"),
        ({"device": "tpu"}, "device must be one of cpu, gpu, cuda"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(RankwiseError, match=said):
        make_ranker("lambdamart", **QUICK, **settings).fit(shop())


def test_data_without_names_have_numbers() -> None:
    with pytest.raises(RankwiseError, match="from 1 to 4, as the data name none, found 'price'"):
        make_ranker("mart", **QUICK, monotone="price:-").fit(shop(names=None))


def test_a_device_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(RankwiseError) as said:
        make_ranker("mart", **QUICK, device="cuda").fit(shop())
    assert str(said.value).startswith("mart: device=cuda needs a LightGBM that was built for it")
    assert "\n" not in str(said.value)


def test_sparse_data_have_the_same_categories() -> None:
    data = shop()
    data = replace(data, features=np.nan_to_num(data.features))
    ranker = make_ranker("lambdamart", **QUICK, categorical="brand")
    sparse = ranker.fit(held_sparse(data))
    assert sparse.score(data).tobytes() == ranker.fit(data).score(data).tobytes()
    assert sparse.score(held_sparse(data)).tobytes() == sparse.score(data).tobytes()
    wrong = held_sparse(replace(data, features=data.features + 0.5))
    with pytest.raises(RankwiseError, match=r"categories of feature 'brand'.* found"):
        ranker.fit(wrong)


def test_training_goes_on_from_trees_with_categories(tmp_path: Any) -> None:
    data = shop()
    first = make_ranker("mart", **QUICK, categorical="brand").fit(data)
    for then in ("", "colour"):
        more = make_ranker("mart", **QUICK, categorical=then).fit(data, start=first)
        assert more.scorer.n_trees == 30  # type: ignore[attr-defined]
        save_model(more, tmp_path / "model.json")
        found = load_model(tmp_path / "model.json").score(data)
        assert found.tobytes() == more.score(data).tobytes()
        assert not np.array_equal(found, first.score(data))


@pytest.mark.parametrize("how", ["lambdamart", "mart"])
def test_the_round_is_chosen_by_measures_of_any_tool_and_own_ones(how: str) -> None:
    data, validation = shop(), shop(1, queries=20)
    for measure, tool in (
        ("ERR@10", "definition"), ("NDCG@5", "letor4"), ("P@3", "letor3"),
        ("tests.rankers.own_rankers:share_of_good_first", "definition"),
    ):  # fmt: skip
        model = make_ranker(how, **QUICK, measure=measure, tool=tool).fit(data, validation)
        found = rw.evaluate(validation, model.score(validation), [measure], tool=tool)
        assert model.facts["selection"] == pytest.approx(next(iter(found.means().values())))


def test_what_lightgbm_refuses_is_told_before_training() -> None:
    many = 10_001
    rng = np.random.default_rng(0)
    long = Dataset.from_arrays(rng.normal(size=(many, 2)), rng.integers(0, 3, many), group=[many])
    with pytest.raises(RankwiseError, match=r"at most 10,000 documents, found 10,001 in query '1'"):
        make_ranker("lambdamart", rounds=1, lambdas="lightgbm").fit(long)
    with pytest.warns(TrainingRemark, match="has 10,001 documents: every round"):
        model = make_ranker("lambdamart", rounds=1, measure="NDCG@10").fit(long)
    assert any("10,001 documents" in one for one in model.facts["remarks"])
    make_ranker("mart", rounds=1).fit(long)


def test_more_than_31_labels() -> None:
    rng = np.random.default_rng(0)
    data = Dataset.from_arrays(rng.normal(size=(100, 2)), np.arange(100.0) % 50, group=[50, 50])
    with pytest.raises(RankwiseError, match="lambdas=measure, of NDCG or MAP, takes them"):
        make_ranker("lambdamart", rounds=1, lambdas="lightgbm").fit(data)
    with pytest.warns(TrainingRemark, match="lambdamart: training labels reach 49"):
        make_ranker("lambdamart", rounds=1, measure="NDCG@10").fit(data)
    make_ranker("mart", rounds=1).fit(data)
