"""Odd data: every ranker trains and scores them, or says in one sentence why not."""

from __future__ import annotations

import numpy as np

from rankwise.checks.law import (
    ExaminedRanker,
    law,
    law_for_each,
    refusal,
    require,
    require_learned,
    require_sentence,
    train,
    train_or_refuse,
)
from rankwise.checks.made import DOCUMENTS, joined, planted, with_column, with_labels


@law_for_each({"0": 0.0, "7.5": 7.5})
def a_constant_feature(subject: ExaminedRanker, value: float) -> None:
    """A feature of one value does not keep it from learning the others."""
    data = planted()
    data = with_column(data, np.full(data.n_documents, value))
    require_learned(train(subject, data), data)


@law
def a_feature_that_is_constant_within_queries(subject: ExaminedRanker) -> None:
    """A feature of the query does not keep it from learning those of documents."""
    data = planted()
    data = with_column(data, data.query_of_rows / 10.0)
    require_learned(train(subject, data), data)


@law
def only_constant_features(subject: ExaminedRanker) -> None:
    """Documents that are all alike are trained on, or refused with a sentence."""
    data = planted(8)
    constant = data.with_features(np.ones((data.n_documents, 3)))
    train_or_refuse(subject, "only_constant_features", constant, "feature")


@law
def duplicate_features(subject: ExaminedRanker) -> None:
    """Every feature twice is learned as well."""
    data = planted()
    data = data.with_features(np.hstack([data.features, data.features]))
    require_learned(train(subject, data), data)


@law
def null_features_are_handled_or_the_remedy_is_named(subject: ExaminedRanker) -> None:
    """NULL features are learned from where `handles_null` is true, else refused with the remedy."""
    data = planted()
    features = data.features.copy()
    features[::7, 2] = np.nan
    data = data.with_features(features)
    if subject.ranker.handles_null:
        require_learned(train(subject, data), data)
        return
    error = refusal(lambda: subject.quick().fit(data), "no NULL features")
    require_sentence(error, subject.ranker.name, "NULL", "rankwise data normalize")
    error = refusal(lambda: subject.quick().fit(planted(), data), "no NULL in validation data")
    require("validation" in str(error), "a sentence that names the validation data", str(error))


@law
def infinite_features_are_refused(subject: ExaminedRanker) -> None:
    """An infinite feature is refused in one sentence."""
    data = planted(4)
    features = data.features.copy()
    features[3, 1] = np.inf
    infinite = data.with_features(features)
    error = refusal(lambda: subject.quick().fit(infinite), "data must be finite")
    require_sentence(error, subject.ranker.name, "must be finite")


@law
def no_features_are_refused(subject: ExaminedRanker) -> None:
    """Data without features are refused."""
    data = planted(4)
    empty = data.with_features(np.empty((data.n_documents, 0)))
    error = refusal(lambda: subject.quick().fit(empty), "data must have features")
    require("must have features, found none" in str(error), "must have features", str(error))


@law
def validation_data_of_another_width_are_refused(subject: ExaminedRanker) -> None:
    """Training and validation data of different widths are refused."""
    wanted = "equally many features, found 5 and 4"
    error = refusal(lambda: subject.quick().fit(planted(4), planted(4, features=4)), wanted)
    require(wanted in str(error), wanted, str(error))


@law
def one_document_queries_among_others(subject: ExaminedRanker) -> None:
    """Queries with a single document, in training and validation, do no harm."""
    data = joined(planted(6, 1, seed=2), planted(), planted(6, 1, seed=3))
    train(subject, data, joined(planted(6, 1, seed=4), planted(6, seed=5)))


@law
def nothing_but_one_document_queries(subject: ExaminedRanker) -> None:
    """Queries that all have one document are trained on, or refused with a sentence."""
    data = planted(30, 1)
    train_or_refuse(subject, "nothing_but_one_document_queries", data, "label", "quer")


@law
def queries_of_one_label_among_others(subject: ExaminedRanker) -> None:
    """Queries whose documents are all equally relevant do no harm."""
    data = planted()
    labels = data.labels.copy()
    labels[: 3 * DOCUMENTS] = 0.0
    labels[3 * DOCUMENTS : 6 * DOCUMENTS] = 2.0
    train(subject, with_labels(data, labels))


@law
def validation_without_a_relevant_document(subject: ExaminedRanker) -> None:
    """Validation data in which nothing is relevant do no harm."""
    validation = planted(6, seed=1)
    train(subject, planted(), with_labels(validation, np.zeros(validation.n_documents)))


@law
def a_single_query(subject: ExaminedRanker) -> None:
    """One query is enough to train on."""
    train(subject, planted(1, 60))


@law_for_each({"0": 0.0, "1": 1.0})
def all_labels_equal(subject: ExaminedRanker, label: float) -> None:
    """Where no order can be learned there is a model of the labels, or a sentence about them."""
    data = planted(8)
    equal = with_labels(data, np.full(data.n_documents, label))
    train_or_refuse(subject, "all_labels_equal", equal, "label", "quer")


@law
def five_levels_of_labels(subject: ExaminedRanker) -> None:
    """Labels from 0 to 4 are learned."""
    data = planted(levels=5)
    require_learned(train(subject, data), data)


@law
def two_levels_of_labels(subject: ExaminedRanker) -> None:
    """Labels 0 and 1 are learned."""
    data = planted(levels=2)
    require_learned(train(subject, data), data)


@law
def a_single_feature(subject: ExaminedRanker) -> None:
    """One feature is enough."""
    train(subject, planted(features=1))


@law
def a_thousand_features(subject: ExaminedRanker) -> None:
    """More features than documents do no harm."""
    train(subject, planted(8, 10, features=1000))


@law
def unscaled_features(subject: ExaminedRanker) -> None:
    """Features of 1e9 beside those of 1 are learned as well, and nothing overflows."""
    data = planted()
    scales = np.array([1e9, 1.0, 1e9, 1e-3, 1e9])
    large = data.with_features(data.features * scales + np.array([0.0, 0.0, 1e9, 0.0, -1e9]))
    require_learned(train(subject, large), large)
