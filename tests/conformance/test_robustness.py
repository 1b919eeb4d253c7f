"""Odd data: every ranker trains and scores them, or says in one sentence why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.registry import find_ranker
from tests.conformance.discovery import (
    every_ranker,
    one_sentence,
    skip_without_extra,
    sound,
)
from tests.conformance.made import joined, planted, quick, with_labels
from tests.conformance.test_learning import TEST, mean, random_figure


def must_train(name: str, train: Dataset, validation: Dataset | None = None) -> np.ndarray:
    """The scores of the training data, which must be sound."""
    try:
        model = quick(name).fit(train, validation)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    scores = model.score(train)
    sound(model, train.n_documents, scores)
    return scores


def trains_unless(refused: bool, name: str, train: Dataset, *words: str) -> None:
    """Sound scores, or of those rankers that cannot, a sentence that holds the words."""
    if not refused:
        must_train(name, train)
        return
    with pytest.raises(RankwiseError) as caught:
        quick(name).fit(train)
    skip_without_extra(caught.value)
    one_sentence(caught.value, *words)


# What these learn is made of differences between documents, of which there are none.
NEED_FEATURES_THAT_VARY = {
    "best-feature", "rankboost", "frank", "adarank-map", "adarank-ndcg", "coordinate-ascent",
    "dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg",
}  # fmt: skip


def needs_an_order(name: str) -> bool:
    """Pointwise rankers learn labels, equal ones too; best-feature compares orders all the same."""
    return name == "best-feature" or find_ranker(name).family != "pointwise"


def with_column(data: Dataset, values: np.ndarray) -> Dataset:
    return data.with_features(np.column_stack([data.features, values]))


def good_on_training(data: Dataset, scores: np.ndarray) -> bool:
    return mean(scores, data=data) > (1.0 + random_figure()) / 2.0


@every_ranker
@pytest.mark.parametrize("value", [0.0, 7.5])
def test_a_constant_feature(name: str, value: float) -> None:
    data = planted()
    data = with_column(data, np.full(data.n_documents, value))
    assert good_on_training(data, must_train(name, data))


@every_ranker
def test_a_feature_that_is_constant_within_queries(name: str) -> None:
    data = planted()
    data = with_column(data, data.query_of_rows / 10.0)
    assert good_on_training(data, must_train(name, data))


@every_ranker
def test_only_constant_features(name: str) -> None:
    data = planted(8)
    constant = data.with_features(np.ones((data.n_documents, 3)))
    trains_unless(name in NEED_FEATURES_THAT_VARY, name, constant, "feature")


@every_ranker
def test_duplicate_features(name: str) -> None:
    data = planted()
    data = data.with_features(np.hstack([data.features, data.features]))
    assert good_on_training(data, must_train(name, data))


@every_ranker
def test_null_features_are_handled_or_the_remedy_is_named(name: str) -> None:
    data = planted()
    features = data.features.copy()
    features[::7, 2] = np.nan
    data = data.with_features(features)
    if find_ranker(name).handles_null:
        assert good_on_training(data, must_train(name, data))
        return
    with pytest.raises(RankwiseError) as caught:
        quick(name).fit(data)
    one_sentence(caught.value, name, "NULL", "rankwise data normalize")
    with pytest.raises(RankwiseError, match="validation"):
        quick(name).fit(planted(), data)


@every_ranker
def test_infinite_features_are_refused(name: str) -> None:
    data = planted(4)
    features = data.features.copy()
    features[3, 1] = np.inf
    with pytest.raises(RankwiseError, match="must be finite") as caught:
        quick(name).fit(data.with_features(features))
    one_sentence(caught.value, name)


@every_ranker
def test_no_features_are_refused(name: str) -> None:
    data = planted(4)
    with pytest.raises(RankwiseError, match="must have features, found none"):
        quick(name).fit(data.with_features(np.empty((data.n_documents, 0))))


@every_ranker
def test_validation_data_of_another_width_are_refused(name: str) -> None:
    with pytest.raises(RankwiseError, match="equally many features, found 5 and 4"):
        quick(name).fit(planted(4), planted(4, features=4))


@every_ranker
def test_one_document_queries_among_others(name: str) -> None:
    data = joined(planted(6, 1, seed=2), planted(), planted(6, 1, seed=3))
    must_train(name, data, joined(planted(6, 1, seed=4), planted(6, seed=5)))


@every_ranker
def test_nothing_but_one_document_queries(name: str) -> None:
    trains_unless(needs_an_order(name), name, planted(30, 1), "label", "quer")


@every_ranker
def test_queries_of_one_label_among_others(name: str) -> None:
    data = planted()
    labels = data.labels.copy()
    labels[: 3 * 14] = 0.0
    labels[3 * 14 : 6 * 14] = 2.0
    must_train(name, with_labels(data, labels))


@every_ranker
def test_validation_without_a_relevant_document(name: str) -> None:
    validation = planted(6, seed=1)
    must_train(name, planted(), with_labels(validation, np.zeros(validation.n_documents)))


@every_ranker
def test_a_single_query(name: str) -> None:
    must_train(name, planted(1, 60))


@every_ranker
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_all_labels_equal(name: str, label: float) -> None:
    """No order can be learned: a model of the labels, or a sentence about them."""
    data = planted(8)
    equal = with_labels(data, np.full(data.n_documents, label))
    trains_unless(needs_an_order(name), name, equal, "label", "quer")


@every_ranker
def test_five_levels_of_labels(name: str) -> None:
    data = planted(levels=5)
    assert set(data.labels) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert good_on_training(data, must_train(name, data))


@every_ranker
def test_two_levels_of_labels(name: str) -> None:
    data = planted(levels=2)
    assert good_on_training(data, must_train(name, data))


@every_ranker
def test_a_single_feature(name: str) -> None:
    must_train(name, planted(features=1))


@every_ranker
def test_a_thousand_features(name: str) -> None:
    must_train(name, planted(8, 10, features=1000))


@every_ranker
def test_unscaled_features(name: str) -> None:
    """Features of 1e9 beside those of 1: learned as well, not overflowed."""
    data = planted()
    scales = np.array([1e9, 1.0, 1e9, 1e-3, 1e9])
    large = data.with_features(data.features * scales + np.array([0.0, 0.0, 1e9, 0.0, -1e9]))
    scores = must_train(name, large)
    assert good_on_training(large, scores)


@every_ranker
def test_parameters_out_of_bounds_are_one_sentence(name: str) -> None:
    ranker = find_ranker(name)
    tried = 0
    for one in parameters_of(ranker):
        wrong: list[object] = [] if one.lowest is None else [one.lowest - 1]
        wrong += [] if one.highest is None else [one.highest + 1]
        wrong += ["no such choice"] if one.choices else []
        wrong += ["text"] if isinstance(one.default, int | float) and not one.choices else []
        for value in wrong:
            if isinstance(one.default, bool):
                continue
            tried += 1
            with pytest.raises(RankwiseError) as caught:
                ranker(**{one.name: value})
            one_sentence(caught.value, name, one.name)
    assert tried or not any(
        isinstance(one.default, int | float) and not isinstance(one.default, bool)
        for one in parameters_of(ranker)
    )


@every_ranker
def test_every_number_has_a_bound_and_every_parameter_a_meaning(name: str) -> None:
    for one in parameters_of(find_ranker(name)):
        assert len(one.meaning) > 5
        if isinstance(one.default, int | float) and not isinstance(one.default, bool):
            assert one.lowest is not None, f"{one.name} may be any number"
        assert not one.grid or one.default in one.grid or len(one.grid) > 1


@every_ranker
def test_every_choice_and_every_tuned_value_trains(name: str) -> None:
    """One parameter at a time; a choice that needs an absent library says which."""
    train, validation = planted(10), planted(5, seed=1)
    for one in parameters_of(find_ranker(name)):
        for value in dict.fromkeys([*one.choices, *one.grid]):
            try:
                model = quick(name, **{one.name: value}).fit(train, validation)
            except MissingExtra as error:
                one_sentence(error, "pip install")
                continue
            scores = model.score(train)
            sound(model, train.n_documents, scores)
            assert model.parameters[one.name] == value
            # Choices may change the form of the model: neural networks are saved here too.
            again = from_text(as_text(ModelFile(model, ""))).model
            assert again.score(train).tobytes() == scores.tobytes()


@every_ranker
def test_unknown_measures_and_tools_are_one_sentence(name: str) -> None:
    if not find_ranker(name).uses_measure:
        pytest.skip("looks at no measure")
    for wrong in ({"measure": "NDGC@5"}, {"tool": "letor9"}):
        with pytest.raises(RankwiseError) as caught:
            quick(name, **wrong).fit(planted(4), planted(4, seed=1))
        skip_without_extra(caught.value)
        one_sentence(caught.value)


@every_ranker
def test_a_data_set_is_not_kept_in_the_model(name: str) -> None:
    """The model of data with document ids and comments is that of the bare arrays."""
    data = planted(8)
    named = replace(data, feature_names=tuple("abcde"))
    try:
        bare, rich = quick(name).fit(data), quick(name).fit(named)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert bare.score(TEST).tobytes() == rich.score(TEST).tobytes()
