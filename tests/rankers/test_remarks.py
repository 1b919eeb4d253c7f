"""A training that goes through, but not as it was meant: the model says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.cli.rankers.training_commands import train
from rankwise.data.dataset import Dataset
from rankwise.data.joining import concatenate
from rankwise.data.reading import write
from rankwise.errors import RankwiseError
from rankwise.models import load_model
from tests.cli.command import run

QUICK = {"rounds": 3}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("lambdamart", "all 3 rounds were run and kept"),
        ("mart", "all 3 rounds were run and kept"),
        ("rankboost", "all 3 rounds were run and kept"),
        ("adarank-map", "chosen by the training data themselves"),
        ("coordinate-ascent", "chosen by the training data themselves"),
        ("lambdarank", "chosen by the training data themselves"),
    ],
)
def test_without_validation_data_the_model_says_what_that_did(name: str, sentence: str) -> None:
    model = rw.fit(rw.make_ranker(name, **QUICK), planted(10))
    assert sentence in model.facts["remarks"][0]
    validated = rw.fit(rw.make_ranker(name, **QUICK), planted(10), planted(5, seed=1))
    assert "remarks" not in validated.facts


@pytest.mark.parametrize("name", ["ridge-regression", "random-forest", "best-feature", "listnet"])
def test_methods_that_validation_does_not_touch_have_nothing_to_say(name: str) -> None:
    assert "remarks" not in rw.fit(name, planted(10)).facts


def test_training_queries_that_validate_are_counted() -> None:
    data, other = planted(10), planted(5, seed=1)
    renamed = Dataset.from_arrays(
        other.features, other.labels, [f"other {number}" for number in other.query_of_rows]
    )
    mixed = concatenate([data.select_queries(slice(2, 5)), renamed])
    model = rw.fit("ridge-regression", data, mixed)
    assert "3 of the 8 queries that validate are training queries" in model.facts["remarks"][0]
    # The same ids with other rows are other queries, as in files that number theirs from 1.
    assert set(data.query_ids) & set(other.query_ids)
    assert "remarks" not in rw.fit("ridge-regression", data, other).facts


@pytest.mark.parametrize(
    "name", ["lambdamart", "mart", "rankboost", "permurank", "coordinate-ascent", "iprank"]
)
def test_where_grades_begin_at_1_another_measure_than_map_chooses(name: str) -> None:
    """MAP is 1 for every ranking: the first round would always be the best."""
    train, validation = (_from_1(planted(20)), _from_1(planted(8, seed=1)))
    ranker = rw.make_ranker(
        name, **({"rounds": 30} if hasattr(rw.make_ranker(name), "rounds") else {})
    )
    model = rw.fit(ranker, train, validation)
    assert model.parameters["measure"] == "NDCG@10"
    # Trees let the file order documents of equal scores, the others judge what the scores say.
    values = [
        rw.evaluate(validation, model.score(validation), "NDCG@10", ties=ties)["NDCG@10"].mean
        for ties in ("input", "expected")
    ]
    assert any(model.facts["selection"] == pytest.approx(value) for value in values)
    (said,) = [one for one in model.facts["remarks"] if "for every ranking" in one]
    assert "no document is irrelevant, labels begin at 1; NDCG@10 is taken" in said
    assert "remarks" not in rw.fit(ranker, planted(20), planted(8, seed=1)).facts


def test_trees_follow_the_same_lambdas_whatever_chooses_their_number() -> None:
    """LightGBM's lambdas of MAP's NDCG, as without validation data, not those of NDCG@10."""
    train, validation = _from_1(planted(20)), _from_1(planted(8, seed=1))
    model = rw.fit("lambdamart", train, validation)
    named = rw.make_ranker("lambdamart", measure="NDCG@10", lambdas="lightgbm")
    assert np.array_equal(
        model.score(validation), rw.fit(named, train, validation).score(validation)
    )


def test_a_method_named_after_its_measure_is_refused_where_that_says_nothing() -> None:
    with pytest.raises(RankwiseError, match=r"adarank-map must be .* labels begin at 1; take"):
        rw.fit("adarank-map", _from_1(planted(20)), planted(8, seed=1))


def test_a_validation_part_without_preferences_chooses_nothing_and_says_so() -> None:
    validation = planted(8, seed=1)
    equal = replace(validation, labels=np.ones_like(validation.labels))
    model = rw.fit(rw.make_ranker("listnet", rounds=3), planted(20), equal)
    assert "no measure tells rankings apart there" in model.facts["remarks"][0]


def _from_1(dataset: Dataset) -> Dataset:
    return replace(dataset, labels=dataset.labels + 1)


def test_train_prints_the_remarks_and_the_model_keeps_them(tmp_path: Path) -> None:
    data, output = tmp_path / "train.txt", tmp_path / "model.json"
    write(planted(10), data)
    options = ("--ranker", "lambdamart", "--set", "rounds=3", "-o", output)
    found = run(train, data, *options).stderr
    assert "note: there were no validation data: all 3 rounds" in found
    assert "--validate FILE" in found
    found = run(train, data, *options, "--validate", data).stderr
    assert "note: 10 of the 10 queries that validate are training queries" in found
    assert "10 of the 10" in load_model(output).facts["remarks"][0]


def test_training_and_validation_data_of_different_width_are_told(tmp_path: Path) -> None:
    data, narrow = tmp_path / "train.txt", tmp_path / "vali.txt"
    write(planted(10), data)
    made = planted(5, seed=1)
    write(made.with_features(made.features[:, :3]), narrow)
    sentence = "the training data have 5 features, the validation data 3: those that are absent"
    assert sentence in rw.fit("ridge-regression", data, narrow).facts["remarks"][0]
    options = ("--ranker", "ridge-regression", "--validate", narrow, "-o", tmp_path / "m")
    assert sentence in run(train, data, *options).stderr


def test_validation_data_go_by_the_names_of_the_training_data() -> None:
    names = tuple("abcde")
    data, validation = (replace(planted(8, seed=s), feature_names=names) for s in (0, 1))
    order = [4, 0, 3, 1, 2]
    moved = replace(
        validation,
        features=validation.features[:, order],
        feature_names=tuple(names[place] for place in order),
    )
    made = rw.make_ranker("adarank-map", rounds=5)
    first, second = made.fit(data, validation), made.fit(data, moved)
    assert first.facts == second.facts
    assert first.score(moved).tobytes() == first.score(validation).tobytes()
    with pytest.raises(RankwiseError, match=r"features of the training data, by name: they lack"):
        made.fit(data, replace(validation, feature_names=tuple("abcdx")))


def test_parts_that_are_joined_go_by_name_and_are_not_filled_up() -> None:
    one, other = planted(3), planted(3, seed=1)
    ids = [f"other {number}" for number in other.query_of_rows]
    order = [1, 0, 2, 4, 3]
    names = tuple("abcde")
    first = replace(one, feature_names=names)
    second = Dataset.from_arrays(
        other.features[:, order], other.labels, ids, feature_names=[names[p] for p in order]
    )
    joined = concatenate([first, second])
    assert joined.feature_names == names
    assert joined.features[one.n_documents :].tobytes() == other.features.tobytes()
    narrow = Dataset.from_arrays(other.features[:, 1:], other.labels, ids, feature_names=names[1:])
    with pytest.raises(RankwiseError, match=r"by name: they lack 'a'"):
        rw.fit("ridge-regression", first, narrow)
