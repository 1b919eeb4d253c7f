"""LAC-MR-OR and RE-QR: items, rules listed one by one, competence, model files."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.rules import AssociationRules, Items, QueryRules
from rankwise.rankers.query_dependent.lac import LACMROR, REQR


def test_items_are_places_among_quantiles_and_null_is_its_own():
    features = np.array([[1.0, 7.0, np.nan], [2.0, 7.0, np.nan], [3.0, 7.0, 5.0], [4.0, 7.0, 6.0]])
    items = Items.of(features, 2)
    assert [cuts.tolist() for cuts in items.cuts] == [[2.0], [], [5.0]]
    assert items.codes(features).tolist() == [[0, 0, 1, 1], [0, 0, 0, 0], [2, 2, 0, 1]]
    assert items.codes(np.array([[2.5, -1.0, 99.0]])).tolist() == [[1], [0], [1]]


def literal(codes, labels, document, length, support, confidence, default):
    """Every rule listed: all sets of items of the document, all grades."""
    grades = sorted(set(default))
    scores = []
    for grade in grades:
        confidences = []
        for size in range(1, length + 1):
            for chosen in combinations(range(len(document)), size):
                covered = [
                    row
                    for row in range(len(labels))
                    if all(codes[j][row] == document[j] for j in chosen)
                ]
                hits = sum(labels[row] == grade for row in covered)
                if hits and hits >= support * len(labels) and hits >= confidence * len(covered):
                    confidences.append(hits / len(covered))
        scores.append(np.mean(confidences) if confidences else 0.0)
    if sum(scores) == 0:
        return np.mean(default)
    return sum(g * s for g, s in zip(grades, scores, strict=True)) / sum(scores)


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize(("support", "confidence"), [(0.0, 0.0), (0.03, 0.0), (0.01, 0.6)])
def test_a_score_is_that_of_all_rules_listed(length, support, confidence):
    train, test = planted(4, 10), planted(2, 5, seed=1)
    ranker = LACMROR(bins=4, length=length, support=support, confidence=confidence)
    items = Items.of(train.features, 4)
    codes, others = items.codes(train.features), items.codes(test.features)
    found = ranker.fit(train).score(test)
    for row in range(test.n_documents):
        expected = literal(
            codes, train.labels, others[:, row], length, support, confidence, train.labels
        )
        assert found[row] == pytest.approx(expected, rel=1e-12)


def test_without_any_rule_the_mean_label_is_expected():
    train = planted(3)
    scores = LACMROR(support=1.0).fit(train).score(train)
    assert scores == pytest.approx(np.full(train.n_documents, train.labels.mean()))


def test_competence_is_the_equation():
    train, test = planted(3, 8), planted(1, 6, seed=2)
    model = REQR(bins=3, neighbours=4, support=0.1, length=2).fit(train)
    items = Items.of(train.features, 3)
    codes, others = items.codes(train.features), items.codes(test.features)
    parts = [slice(0, 8), slice(8, 16), slice(16, 24)]

    def estimate(part, document):
        return literal(codes[:, part], train.labels[part], document, 2, 0.1, 0.0, train.labels)

    errors = [
        [(estimate(part, codes[:, row]) - train.labels[row]) ** 2 for row in range(24)]
        for part in parts
    ]
    for row in range(test.n_documents):
        shared = (codes == others[:, [row]]).sum(axis=0)
        near = [other for other in range(24) if shared[other] >= sorted(shared)[-4]]
        weights = []
        for number, part in enumerate(parts):
            foreign = [other for other in near if not part.start <= other < part.stop]
            foreign = foreign or [
                other for other in range(24) if not part.start <= other < part.stop
            ]
            weights.append(1 / (0.05 + np.mean([errors[number][other] for other in foreign])))
        own = [estimate(part, others[:, row]) for part in parts]
        assert model.score(test)[row] == pytest.approx(np.average(own, weights=weights), rel=1e-9)


def test_labels_that_are_no_grades_are_refused():
    data = Dataset.from_arrays(
        np.random.default_rng(0).random((70, 2)), np.arange(70.0), group=[70]
    )
    for ranker in (LACMROR(), REQR()):
        with pytest.raises(RankwiseError, match="at most 64, found 70 different labels"):
            ranker.fit(data)


@pytest.mark.parametrize(
    "change",
    [
        {"bins": 1},
        {"cuts": []},
        {"cuts": [[2.0, 1.0]] * 5},
        {"codes": [99] * 140},
        {"grades": [7] * 28},
        {"labels": []},
        {"lengths": [0, 28]},
        {"length": 3},
        {"support": 2.0},
    ],
)
def test_values_that_do_not_fit_together_are_refused(change):
    for ranker, form in ((LACMROR(), AssociationRules), (REQR(), QueryRules)):
        values = ranker.fit(planted(2)).scorer.as_json()
        assert form.from_json(values).as_json() == values
        with pytest.raises(RankwiseError):
            form.from_json({**values, **change})
